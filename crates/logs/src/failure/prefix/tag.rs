//! Finds the names of processes and jobs that are put before every line of their output, by repetition.
//!
//! ```text
//! [api] FAILED tests/test_a.py      concurrently, yarn, Jenkins
//! py312: FAILED tests/test_a.py     tox, lerna
//! web.1 | FAILED tests/test_a.py    foreman, docker
//! mill> FAILED tests/test_a.py      nix
//! api\tFAILED tests/test_a.py       GNU parallel
//! DEBUG util.py:463:  FAILED tests/test_a.py    mock, and other programs that log the output of a command
//! ```
//!
//! A tool repeats its own name too (`ld: error: …`), but it does not put it before blank and indented lines. So a name is
//! a tag if several lines in a row have it, and what follows it is blank or indented once.

use std::collections::VecDeque;

/// The longest tag, in bytes.
const MAX_TAG: usize = 60;
/// Lines with a tag that make it one.
const MIN_LINES: usize = 3;
/// Most lines that wait for the decision.
const MAX_HELD: usize = 24;
/// Most tags of a log.
const MAX_TAGS: usize = 64;

/// Words that are levels or verdicts and no names.
const LEVELS: &[&str] = &[
    "error", "err", "warning", "warn", "info", "debug", "trace", "fatal", "note", "notice", "help",
    "hint", "severe", "critical", "fail", "failed", "failure", "pass", "passed", "ok", "skip", "e",
    "w", "i", "d", "f", "task", "x", "success", "c", "r", "s", "alert", "emerg", "crit",
];

/// The way in which a tag is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagForm {
    /// `[api] text`, `[api]: text`
    Bracket,
    /// `py312: text`
    Colon,
    /// `web.1 | text`
    Bar,
    /// `mill> text`
    Angle,
    /// `api\ttext`
    Tab,
    /// `DEBUG util.py:463:  text`; the number is no part of the tag
    Logger,
    /// `       > text`, which has no name
    Quote,
    /// `Step #1 - "test": text`, `   +unit | text`, `job x > text`
    Wide,
}

/// The parts of a line that may have a tag.
#[derive(Clone, Copy)]
struct TagParts<'l> {
    form: TagForm,
    tag: &'l str,
    rest: &'l str,
}

/// A line with the name of its process, which is empty for lines without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::failure) struct TaggedLine {
    pub(in crate::failure) tag: String,
    pub(in crate::failure) text: String,
}

/// The treatment of a line.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::failure) enum TagVerdict<'l> {
    /// The tag and the text of this line.
    Line(&'l str, &'l str),
    /// It waits for the lines below it.
    Held,
    /// These lines, of which this is the last.
    Lines(Vec<TaggedLine>),
}

/// The tags of a log so far.
#[derive(Debug, Default)]
pub(in crate::failure) struct TagReader {
    known: Vec<(TagForm, String)>,
    held: VecDeque<HeldLine>,
}

/// A line that waits.
#[derive(Debug)]
struct HeldLine {
    form: TagForm,
    line: TaggedLine,
    /// The text after the tag begins here.
    rest: usize,
}

impl TagReader {
    /// Takes the next line.
    pub(in crate::failure) fn push_line<'l>(&mut self, line: &'l str) -> TagVerdict<'l> {
        let parts = split_tag(line).or_else(|| self.find_blank(line));
        if self.held.is_empty() {
            let Some(parts) = parts else { return TagVerdict::Line("", line) };
            if self.is_known(parts) {
                return TagVerdict::Line(parts.tag, parts.rest);
            }
            if self.known.len() >= MAX_TAGS {
                return TagVerdict::Line("", line);
            }
            self.hold(line, parts);
            return TagVerdict::Held;
        }
        let same = parts.filter(|parts| self.held.front().is_none_or(|it| it.form == parts.form));
        let Some(parts) = same else {
            let mut lines = self.finish();
            // The line that breaks the run can begin the next one.
            match self.push_line(line) {
                TagVerdict::Held if lines.is_empty() => return TagVerdict::Held,
                TagVerdict::Line(tag, text) => {
                    lines.push(TaggedLine { tag: tag.to_owned(), text: text.to_owned() });
                }
                TagVerdict::Held => {}
                TagVerdict::Lines(more) => lines.extend(more),
            }
            return TagVerdict::Lines(lines);
        };
        self.hold(line, parts);
        if self.accept_tags(parts) || self.held.len() >= MAX_HELD {
            return TagVerdict::Lines(self.finish());
        }
        TagVerdict::Held
    }

    /// Returns the lines that still wait.
    pub(in crate::failure) fn finish(&mut self) -> Vec<TaggedLine> {
        let held = std::mem::take(&mut self.held);
        let known = &self.known;
        let is_known =
            |it: &HeldLine| known.iter().any(|(form, tag)| *form == it.form && *tag == it.line.tag);
        held.into_iter()
            .map(|mut it| {
                if is_known(&it) {
                    it.line.text = it.line.text.split_off(it.rest.min(it.line.text.len()));
                } else {
                    it.line.tag.clear();
                }
                it.line
            })
            .collect()
    }

    /// Returns the parts of a tag before a tab and a blank text: the tab at the end of a line is taken off before.
    fn find_blank<'l>(&self, line: &'l str) -> Option<TagParts<'l>> {
        let is_own = |it: &HeldLine| it.form == TagForm::Tab && it.line.tag == line;
        let parts = TagParts { form: TagForm::Tab, tag: line, rest: "" };
        (self.held.iter().any(is_own) || self.is_known(parts)).then_some(parts)
    }

    fn is_known(&self, parts: TagParts<'_>) -> bool {
        self.known.iter().any(|(form, tag)| *form == parts.form && tag == parts.tag)
    }

    fn hold(&mut self, line: &str, parts: TagParts<'_>) {
        let line_of = TaggedLine { tag: parts.tag.to_owned(), text: line.to_owned() };
        let rest = line.len() - parts.rest.len();
        self.held.push_back(HeldLine { form: parts.form, line: line_of, rest });
    }

    /// Adds the tags of the kept lines if the last one shows that they are tags. Returns whether it does.
    fn accept_tags(&mut self, last: TagParts<'_>) -> bool {
        let is_own = |it: &&HeldLine| it.line.tag == last.tag;
        let times = self.held.iter().filter(is_own).count();
        let rest = |it: &HeldLine| it.line.text.get(it.rest..).unwrap_or_default().to_owned();
        let rests: Vec<String> = self.held.iter().filter(is_own).map(rest).collect();
        let is_indented = |rest: &str| rest.starts_with("  ") || rest.starts_with('\t');
        // A key without a value is no tag, however often it is repeated.
        let is_wrapped = rests.iter().any(|rest| is_indented(rest))
            || rests.iter().any(String::is_empty) && !rests.iter().all(String::is_empty);
        let is_tag = self.is_known(last)
            || times >= MIN_LINES && (is_wrapped || last.form == TagForm::Quote);
        if !is_tag {
            return false;
        }
        // Processes that print at the same time are found together.
        for at in 0..self.held.len() {
            let Some(HeldLine { form, line, .. }) = self.held.get(at) else { continue };
            let (form, tag) = (*form, line.tag.clone());
            let count = self.held.iter().filter(|it| it.line.tag == tag).count();
            let is_new = !self.known.iter().any(|known| *known == (form, tag.clone()));
            if is_new && count > 1 && self.known.len() < MAX_TAGS {
                self.known.push((form, tag));
            }
        }
        true
    }
}

/// Returns the text after something that has the form of a tag; `None` if there is none.
pub(in crate::failure) fn after_tag(text: &str) -> Option<&str> {
    split_tag(text).map(|parts| parts.rest).filter(|rest| !rest.is_empty())
}

/// Splits a line into the parts of a tag; `None` for a line that cannot have one.
fn split_tag(line: &str) -> Option<TagParts<'_>> {
    match line.as_bytes().first()? {
        b'[' => split_bracket(line, "[]"),
        b'(' => split_bracket(line, "()"),
        b'<' => split_bracket(line, "<>"),
        b' ' | b'\xe2' => split_quote(line).or_else(|| split_wide(line)),
        _ => split_word(line).or_else(|| split_logger(line)).or_else(|| split_wide(line)),
    }
}

/// `       > text`, `▸ text`
fn split_quote(line: &str) -> Option<TagParts<'_>> {
    let quoted = line.trim_start_matches(' ').strip_prefix(['>', '▸'])?;
    let rest = after_blank(quoted)?;
    // Gradle's nested causes begin with more and more blanks, and are no quote.
    let tag = line.get(..line.len() - quoted.len())?;
    (line.starts_with("  ") || tag == "▸").then_some(TagParts { form: TagForm::Quote, tag, rest })
}

/// The signs behind a name that may have blanks in it.
const WIDE_ENDS: [&str; 6] = [":", " |", " │", " >", " >>", " ▶"];

/// `Step #1 - "test": text`
fn split_wide(line: &str) -> Option<TagParts<'_>> {
    let head = line.get(..line.floor_char_boundary(MAX_TAG))?;
    let end_of = |sign: &&str| {
        let mut ends = head.match_indices(sign).map(|(at, _)| at + sign.len());
        ends.find(|end| line.get(*end..).is_some_and(|rest| after_blank(rest).is_some()))
    };
    let end = WIDE_ENDS.iter().filter_map(end_of).min()?;
    let (tag, rest) = line.split_at_checked(end)?;
    let name = tag.trim().trim_end_matches([':', '|', '│', '>', '▶']).trim_end();
    // The lines of a source or a table have numbers before a bar.
    let is_name = (name.len() > 1 || !tag.ends_with([':', '|']))
        && name.chars().any(char::is_alphabetic)
        && name.split([' ', ':', '(']).all(|word| !is_level(word) && !is_source(word));
    is_name.then_some(TagParts { form: TagForm::Wide, tag, rest: after_blank(rest)? })
}

/// `[api] text`; `signs` are the two brackets.
fn split_bracket<'l>(line: &'l str, signs: &str) -> Option<TagParts<'l>> {
    let (open, close) = signs.split_at_checked(1)?;
    let (tag, rest) = line.strip_prefix(open)?.split_once(close)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let is_name = !tag.is_empty()
        && tag.len() <= MAX_TAG
        && !tag.starts_with(' ')
        && !tag.ends_with(' ')
        && !tag.contains(['%', '[', '"'])
        && !tag.starts_with("xUnit.net")
        && !is_level(tag);
    is_name.then_some(TagParts { form: TagForm::Bracket, tag, rest: after_blank(rest)? })
}

/// `py312: text`, `web.1 | text` and `mill> text`
fn split_word(line: &str) -> Option<TagParts<'_>> {
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '.' | '/' | '+' | '-');
    let after = line.trim_start_matches(is_part);
    let tag = line.get(..line.len() - after.len())?;
    if tag.is_empty() || tag.len() > MAX_TAG {
        return None;
    }
    let (form, rest) = if let Some(rest) = after.strip_prefix(':') {
        (TagForm::Colon, rest)
    } else if let Some(rest) = after.strip_prefix('>') {
        (TagForm::Angle, rest)
    } else if let Some(rest) = after.strip_prefix('\t') {
        let is_name = !is_level(tag) && !is_source(tag);
        return is_name.then_some(TagParts { form: TagForm::Tab, tag, rest });
    } else {
        (TagForm::Bar, after.trim_start_matches(' ').strip_prefix('|')?)
    };
    // A number before a bar is that of a line of source.
    if form == TagForm::Bar && (after.starts_with('|') || tag.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    // `L:   3 | P:   7 | text` is a row of a table.
    if form == TagForm::Colon && tag.len() == 1 && tag.chars().all(char::is_alphabetic) {
        return None;
    }
    // Asked last, because few lines come so far.
    if is_level(tag) || is_source(tag) {
        return None;
    }
    Some(TagParts { form, tag, rest: after_blank(rest)? })
}

/// `DEBUG util.py:463:  text`
fn split_logger(line: &str) -> Option<TagParts<'_>> {
    let (level, place) = line.split_once(' ').filter(|(level, _)| is_level(level))?;
    let (file, rest) = place.trim_start_matches(' ').split_once(':')?;
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(':')?;
    let tag = line.get(..line.len() - rest.len())?;
    let is_place = after.len() + 1 < rest.len() && tag.len() <= MAX_TAG && !file.contains(' ');
    let rest = after.strip_prefix("  ").or_else(|| after_blank(after))?;
    (is_place && level.len() > 1).then_some(TagParts { form: TagForm::Logger, tag, rest })
}

/// Returns the text after one blank, or after the end of the line.
fn after_blank(rest: &str) -> Option<&str> {
    rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))
}

fn is_level(tag: &str) -> bool {
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(tag))
}

/// Returns `true` for the name of a file of source, which compilers print before their messages.
fn is_source(tag: &str) -> bool {
    tag.rsplit_once('.')
        .is_some_and(|(_, end)| crate::failure::location::SOURCE_EXTENSIONS.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let mut reader = TagReader::default();
        let mut all = Vec::new();
        for line in text.lines() {
            match reader.push_line(line) {
                TagVerdict::Line(tag, text) => all.push((tag.to_owned(), text.to_owned())),
                TagVerdict::Held => {}
                TagVerdict::Lines(lines) => {
                    all.extend(lines.into_iter().map(|it| (it.tag, it.text)));
                }
            }
        }
        all.extend(reader.finish().into_iter().map(|it| (it.tag, it.text)));
        all
    }

    fn told(text: &str) -> String {
        read(text).iter().flat_map(|(tag, text)| [tag, "~", text, "\n"]).collect()
    }

    #[test]
    fn repeated_names_before_blank_or_indented_lines_are_tags() {
        assert_eq!(told("[a] x\n[a]\n[a]   y\nz\n[a] w\n"), "a~x\na~\na~  y\n~z\na~w\n");
        assert_eq!(told("[a] 1\n[b] 1\n[a]\n[b]\n[a] 3\n[b] 3"), "a~1\nb~1\na~\nb~\na~3\nb~3\n");
        assert_eq!(told("py3: x\npy3:\npy3:   y"), "py3~x\npy3~\npy3~  y\n");
        assert_eq!(told("w.1  | x\nw.1  |\nw.1  |   y"), "w.1~x\nw.1~\nw.1~  y\n");
        assert_eq!(told("  > x\n  > y\n  >  z"), "  >~x\n  >~y\n  >~ z\n");
        assert_eq!(told("▸ x\n▸\n▸   y"), "▸~x\n▸~\n▸~  y\n");
        assert_eq!(told("a\tx\na\na\t  y"), "a~x\na~\na~  y\n");
        let logged = "DEBUG u.py:4:  x\nDEBUG u.py:5:  \nDEBUG u.py:4:    y";
        assert_eq!(told(logged), "DEBUG u.py:~x\nDEBUG u.py:~\nDEBUG u.py:~  y\n");
        assert_eq!(told("<a> x\n<a>\n<a>   y"), "a~x\na~\na~  y\n");
        for tag in ["Step #1 - \"t\":", "   +unit |", "job b >", "a ▶", "@a/b#x:"] {
            let lines = format!("{tag} x\n{tag}\n{tag}   y");
            assert_eq!(told(&lines), format!("{tag}~x\n{tag}~\n{tag}~  y\n"));
        }
    }

    #[test]
    fn other_repeated_beginnings_are_the_texts_own() {
        for text in [
            "ld: error: a\nld: error: b\nld: error: c\n",
            "error: a\nerror:\nerror:   b\n",
            "[INFO] a\n[INFO]\n[INFO]   b\n",
            "src/a.c: In f\nsrc/a.c:\nsrc/a.c:   x\n",
            "12 | a\n12 |\n12 |   b\n",
            "L: 1 | a\nL:  1 | b\nL:   1 | c\n",
            "[a] x\n[a]\n\n[a]   y\n",
            "  data:\n  data:\n  data:\n",
            "> Task :a\n> Task :b\n> Task :c\n",
        ] {
            let plain: String = text.lines().flat_map(|line| ["~", line, "\n"]).collect();
            assert_eq!(told(text), plain);
        }
    }

    #[test]
    fn a_flood_of_names_is_bounded() {
        let lines: Vec<String> = (0..10_000).map(|n| format!("[n{}] text", n / 2)).collect();
        let text = lines.join("\n") + "\n";
        assert_eq!(read(&text).len(), 10_000);
    }
}
