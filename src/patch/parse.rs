//! Reads a unified diff of one file: tolerant of line counts and of what stands around it, strict about meaning.
//!
//! `diffy` reads diffs too, but trusts the counts in hunk headers, which models get wrong more often
//! than the lines themselves; so hunks are read here and `diffy` only renders.

use super::PatchFault;

/// What a line of a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Must be there and stays.
    Context,
    /// Must be there and goes.
    Delete,
    /// Comes.
    Insert,
}

/// One hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The old side's first line as the header states it, 1-based; `None` when it states none.
    pub old_start: Option<usize>,
    /// The lines without their marks and endings.
    pub lines: Vec<(Tag, String)>,
    /// `\ No newline at end of file` follows the last old line.
    pub old_no_newline: bool,
    /// The same for the last new line.
    pub new_no_newline: bool,
}

impl Hunk {
    /// Returns the lines that must be in the file.
    pub fn old_side(&self) -> Vec<&str> {
        self.side(Tag::Insert)
    }

    /// Returns the lines that will be in the file.
    pub fn new_side(&self) -> Vec<&str> {
        self.side(Tag::Delete)
    }

    fn side(&self, without: Tag) -> Vec<&str> {
        self.lines
            .iter()
            .filter(|(tag, _)| *tag != without)
            .map(|(_, text)| text.as_str())
            .collect()
    }

    /// Returns the hunk's body as a diff shows it.
    pub fn body(&self) -> String {
        let mark = |tag| match tag {
            Tag::Context => ' ',
            Tag::Delete => '-',
            Tag::Insert => '+',
        };
        self.lines.iter().fold(String::new(), |mut body, (tag, text)| {
            body.push(mark(*tag));
            body.push_str(text);
            body.push('\n');
            body
        })
    }
}

/// Reads the hunks of a patch of one file, in order.
pub fn parse(patch: &str) -> Result<Vec<Hunk>, PatchFault> {
    let mut reader =
        Reader { hunks: Vec::new(), files: 0, open: false, old_left: 0, new_left: 0, last: None };
    let lines: Vec<&str> = patch.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).copied().unwrap_or_default();
        reader.line(line, next);
    }
    if reader.files > 1 {
        return Err(PatchFault::SeveralFiles);
    }
    let mut hunks = reader.hunks;
    for hunk in &mut hunks {
        while hunk.lines.last().is_some_and(|(_, text)| text == SURPLUS) {
            hunk.lines.pop();
        }
        for (_, text) in &mut hunk.lines {
            if text == SURPLUS {
                text.clear();
            }
        }
    }
    hunks.retain(|hunk| !hunk.lines.is_empty());
    if hunks.is_empty() {
        return Err(PatchFault::NoHunks);
    }
    if hunks.iter().all(|hunk| hunk.lines.iter().all(|(tag, _)| *tag == Tag::Context)) {
        return Err(PatchFault::ChangesNothing);
    }
    Ok(hunks)
}

/// Stands for an unmarked blank line that the counts do not ask for: context in the middle of a
/// hunk, nothing at its end. No line of a text can equal it.
const SURPLUS: &str = "\n";

/// The reader's place in the patch; `open` while lines belong to the last hunk.
struct Reader {
    hunks: Vec<Hunk>,
    files: usize,
    open: bool,
    old_left: usize,
    new_left: usize,
    last: Option<Tag>,
}

impl Reader {
    fn line(&mut self, line: &str, next: &str) {
        let expected = self.open && (self.old_left > 0 || self.new_left > 0);
        let file_header = line.starts_with("--- ") && next.starts_with("+++ ");
        if let Some((old_start, old_count, new_count)) = header(line) {
            (self.old_left, self.new_left) = (old_count, new_count);
            (self.open, self.last) = (true, None);
            let lines = Vec::new();
            self.hunks.push(Hunk {
                old_start,
                lines,
                old_no_newline: false,
                new_no_newline: false,
            });
        } else if file_header && !expected {
            self.files += 1;
            self.open = false;
        } else if line.starts_with("diff --git ") {
            self.open = false;
        } else if self.open {
            self.body(line, expected);
        }
    }

    fn body(&mut self, line: &str, expected: bool) {
        let last = self.last;
        let Some(hunk) = self.hunks.last_mut() else { return };
        let mut chars = line.chars();
        let tag = match chars.next() {
            Some(' ') => Tag::Context,
            Some('-') => Tag::Delete,
            Some('+') => Tag::Insert,
            Some('\\') => {
                hunk.old_no_newline |= last != Some(Tag::Insert);
                hunk.new_no_newline |= last != Some(Tag::Delete);
                return;
            }
            None => {
                let text = if expected { String::new() } else { SURPLUS.to_owned() };
                hunk.lines.push((Tag::Context, text));
                self.count(Tag::Context);
                return;
            }
            // Prose or a closing fence after the diff.
            Some(_) => return,
        };
        hunk.lines.push((tag, chars.as_str().to_owned()));
        self.last = Some(tag);
        self.count(tag);
    }

    fn count(&mut self, tag: Tag) {
        if tag != Tag::Insert {
            self.old_left = self.old_left.saturating_sub(1);
        }
        if tag != Tag::Delete {
            self.new_left = self.new_left.saturating_sub(1);
        }
    }
}

/// Reads `@@ -a,b +c,d @@ …`; numbers that are missing or unreadable are `None` and 0.
fn header(line: &str) -> Option<(Option<usize>, usize, usize)> {
    let rest = line.strip_prefix("@@")?;
    let ranges = rest.split("@@").next().unwrap_or_default();
    let mut old = (None, 0);
    let mut new = (None, 0);
    for word in ranges.split_whitespace() {
        if let Some(range) = word.strip_prefix('-') {
            old = numbers(range);
        } else if let Some(range) = word.strip_prefix('+') {
            new = numbers(range);
        } else {
            return None;
        }
    }
    Some((old.0, old.1, new.1))
}

fn numbers(range: &str) -> (Option<usize>, usize) {
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    (start.parse().ok(), count.parse().unwrap_or(0))
}
