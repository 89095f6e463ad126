//! Reads a unified diff by its shape: marks say what a line does, numbers and counts are only hints.
//!
//! `diffy` and git trust the counts in hunk headers, which models get wrong more often than the lines
//! themselves, so hunks are read here and `diffy` only renders. A hunk begins at any line that begins
//! with `@@`; prose, fences and envelopes around the diff are let pass. Which unmarked lines are context
//! and which are prose depends on the file, so `reading` decides that.

use std::collections::HashMap;

use super::PatchFault;

/// The mark in a hunk line's first column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineMark {
    /// A space: must be there and stays.
    Context,
    /// `-`: must be there and goes.
    Delete,
    /// `+`: comes.
    Insert,
    /// None of these: an empty line, context that lost its mark, or prose.
    Missing,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HunkRow<'a> {
    pub(super) mark: LineMark,
    /// As written, the mark included.
    pub(super) raw: &'a str,
}

impl<'a> HunkRow<'a> {
    /// Returns the line without its mark.
    pub(super) fn text(&self) -> &'a str {
        match self.mark {
            LineMark::Missing => self.raw,
            _ => self.raw.strip_prefix(MARKS).unwrap_or_default(),
        }
    }
}

/// The marks; a no-break space is a space that a page made of it.
const MARKS: [char; 4] = [' ', '\u{a0}', '-', '+'];

/// Whether a patch ends before its last hunk does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Truncation {
    /// It does not.
    #[default]
    No,
    /// It does if the file goes on: the last line is a change, and both sides are short.
    IfMore,
    /// It ends in the middle of a new line.
    Yes,
}

/// One hunk as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    /// The old side's first line as the header states it, 1-based; `None` when it states none.
    pub(super) stated: Option<usize>,
    /// The lines of the old and of the new side, as the header states them.
    pub(super) counts: Option<(usize, usize)>,
    /// The new side's first line is stated as the old side's, which puts lines that only come above that
    /// line, where the old side alone puts them below it.
    pub(super) goes_above: bool,
    /// What stands after the numbers: the line of the enclosing definition.
    pub(super) section: &'a str,
    /// The lines.
    pub(super) rows: Vec<HunkRow<'a>>,
    /// `\ No newline at end of file` follows the last old line.
    pub(super) old_no_newline: bool,
    /// The same for the last new line.
    pub(super) new_no_newline: bool,
    /// The patch may end before the hunk does: it is the last one, and short of its counts.
    pub(super) cut: Truncation,
}

impl Hunk<'_> {
    /// Returns the lines of the old and of the new side that are there.
    pub(super) fn count_sides(&self) -> (usize, usize) {
        let without = |mark| self.rows.iter().filter(|row| row.mark != mark).count();
        (without(LineMark::Insert), without(LineMark::Delete))
    }
}

/// The hunks for one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileSection<'a> {
    /// The file as the patch names it; empty without a header.
    name: &'a str,
    /// The old side is `/dev/null`.
    pub(super) creates: bool,
    /// The new side is `/dev/null`.
    deletes: bool,
    pub(super) hunks: Vec<Hunk<'a>>,
}

/// What concerns the file, and the files that the patch also names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedPatch<'a> {
    pub(super) section: FileSection<'a>,
    pub(super) others: Vec<String>,
}

/// Reads the hunks for `path`, in order. A patch of one file is taken whatever name it gives that
/// file; of several files, those hunks are taken whose file is `path`.
pub(super) fn parse_patch<'a>(patch: &'a str, path: &str) -> Result<ParsedPatch<'a>, PatchFault> {
    let mut reader = PatchReader { ended: patch.ends_with('\n'), ..PatchReader::default() };
    let strip = |line: &'a str| line.strip_suffix('\r').unwrap_or(line);
    let patch = patch.strip_prefix('\u{feff}').unwrap_or(patch);
    let mut lines: Vec<&str> = patch.split_terminator('\n').map(strip).collect();
    if let Some(end) = fence_end(&lines) {
        lines.truncate(end);
        reader.ended = true;
    }
    let at = |index: usize| lines.get(index).copied().unwrap_or_default();
    let mut index = 0;
    while index < lines.len() {
        index += reader.read_line([at(index), at(index + 1), at(index + 2)]);
    }
    match reader.odd {
        Some(UnsupportedForm::Combined) => return Err(PatchFault::Combined),
        Some(UnsupportedForm::Renames) => return Err(PatchFault::Renames),
        None => {}
    }
    reader.end_hunk();
    pick_section(reader.sections, path)
}

/// Returns the line that ends the fence which the patch begins in, when nothing after it belongs to a
/// patch. In Markdown it would pass for a line of the file.
fn fence_end(lines: &[&str]) -> Option<usize> {
    let begin = lines.iter().position(|line| line.starts_with("```") || line.starts_with("@@"))?;
    let first = lines.get(begin)?;
    let fence = first.get(..first.len() - first.trim_start_matches('`').len())?;
    let end = lines.iter().rposition(|line| line.trim_end() == fence)?;
    let after = lines.get(end + 1..)?;
    let ends = end > begin && !fence.is_empty();
    (ends && !after.iter().any(|line| line.starts_with(['+', '-', '@', '*']))).then_some(end)
}

/// Takes the file's own hunks out of all.
fn pick_section<'a>(
    sections: Vec<FileSection<'a>>,
    path: &str,
) -> Result<ParsedPatch<'a>, PatchFault> {
    let files = by_name(sections);
    let own = own_file(&files, path)?;
    let mut section = FileSection::default();
    let mut others = Vec::new();
    let mut hunks = Vec::new();
    for (index, file) in files.into_iter().enumerate() {
        if Some(index) == own || file.name.is_empty() {
            hunks.extend(file.hunks);
            section = FileSection { hunks: Vec::new(), ..file };
        } else {
            others.push(file.name.to_owned());
        }
    }
    section.hunks = hunks;
    if section.deletes {
        return Err(PatchFault::DeletesFile);
    }
    if section.hunks.is_empty() {
        return Err(PatchFault::NoHunks);
    }
    Ok(ParsedPatch { section, others })
}

fn by_name(sections: Vec<FileSection<'_>>) -> Vec<FileSection<'_>> {
    let mut files: Vec<FileSection<'_>> = Vec::new();
    let mut known = HashMap::new();
    for section in sections {
        let index = *known.entry(section.name).or_insert(files.len());
        match files.get_mut(index) {
            Some(file) => file.hunks.extend(section.hunks),
            None => files.push(section),
        }
    }
    files
}

/// Returns which of the files is `path`: the one of that very name, or else the only one that may
/// mean it, which is the only one at all whatever its name. Hunks without a header are the file's own.
fn own_file(files: &[FileSection<'_>], path: &str) -> Result<Option<usize>, PatchFault> {
    let named = || files.iter().enumerate().filter(|(_, file)| !file.name.is_empty());
    if let Some((index, _)) = named().find(|(_, file)| file.name == path) {
        return Ok(Some(index));
    }
    let single = named().count() == 1;
    let mut meant = named().filter(|(_, file)| single || is_same_file(file.name, path));
    match (meant.next(), meant.next()) {
        (Some((index, _)), None) => Ok(Some(index)),
        (None, _) if named().next().is_none() => Ok(None),
        _ => Err(PatchFault::SeveralFiles(named().map(|(_, file)| file.name.to_owned()).collect())),
    }
}

/// Tells whether a name in a patch means the file: models add and drop leading folders.
pub(super) fn is_same_file(name: &str, path: &str) -> bool {
    let below = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    below(name, path) || below(path, name)
}

/// Returns a file's name out of a header line, without `a/`, `b/` and a time stamp.
fn file_name(text: &str) -> &str {
    let name = text.split('\t').next().unwrap_or_default().trim().trim_matches('"');
    let name = name.strip_prefix("./").unwrap_or(name);
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

const NO_FILE: &str = "/dev/null";

/// The reader's place in the patch.
#[derive(Default)]
struct PatchReader<'a> {
    sections: Vec<FileSection<'a>>,
    /// Lines belong to the last hunk.
    open: bool,
    /// A file header came last, so a hunk may begin without a header of its own.
    headed: bool,
    /// The patch's last line is complete.
    ended: bool,
    old_left: usize,
    new_left: usize,
    odd: Option<UnsupportedForm>,
}

/// What makes a patch none that can be landed.
#[derive(Clone, Copy)]
enum UnsupportedForm {
    Combined,
    Renames,
}

/// Reads a line of the `*** Begin Patch` form: the file it names, or nothing.
fn envelope_path(line: &str) -> Option<&str> {
    let line = line.strip_prefix("*** ")?;
    let forms = ["Update File: ", "Add File: ", "Delete File: "];
    let named = forms.iter().find_map(|form| line.strip_prefix(form));
    let ends = ["Begin Patch", "End Patch", "End of File"].contains(&line.trim_end());
    named.or(ends.then_some(""))
}

impl<'a> PatchReader<'a> {
    /// Takes the first of three lines in, or the first two; returns how many.
    fn read_line(&mut self, [line, next, third]: [&'a str; 3]) -> usize {
        let expected = self.open && (self.old_left > 0 || self.new_left > 0);
        let pair = line.strip_prefix("--- ").zip(next.strip_prefix("+++ "));
        // A removed line `-- x` and a new line `++ x` look like a header; the counts ask for just these.
        let body =
            expected && (!third.starts_with("@@") || (self.old_left, self.new_left) == (1, 1));
        if line.starts_with("@@@") {
            self.odd.get_or_insert(UnsupportedForm::Combined);
        } else if line.starts_with("@@") {
            self.begin_hunk(parse_header(line));
        } else if let Some((old, new)) = pair.filter(|_| !body) {
            let (old, new) = (file_name(old), file_name(new));
            self.begin_file(if new == NO_FILE { old } else { new });
            if let Some(section) = self.sections.last_mut() {
                (section.creates, section.deletes) = (old == NO_FILE, new == NO_FILE);
            }
            return 2;
        } else if let Some(name) = envelope_path(line) {
            self.open = false;
            if !name.is_empty() {
                self.begin_file(file_name(name));
            }
        } else if line.starts_with("diff --git ") {
            (self.open, self.headed) = (false, false);
        } else if !self.open && line.starts_with("rename from ") {
            self.odd.get_or_insert(UnsupportedForm::Renames);
        } else if self.open {
            self.push_row(line);
        } else if self.headed && line.starts_with([' ', '+', '-']) {
            self.begin_hunk(Hunk::default());
            self.push_row(line);
        }
        1
    }

    fn begin_file(&mut self, name: &'a str) {
        self.sections.push(FileSection { name, ..FileSection::default() });
        (self.open, self.headed) = (false, true);
    }

    fn begin_hunk(&mut self, hunk: Hunk<'a>) {
        (self.old_left, self.new_left) = hunk.counts.unwrap_or_default();
        (self.open, self.headed) = (true, false);
        if self.sections.is_empty() {
            self.sections.push(FileSection::default());
        }
        if let Some(section) = self.sections.last_mut() {
            // Below another hunk the sides' numbers differ by what that one added or took.
            let goes_above = hunk.goes_above && section.hunks.is_empty();
            section.hunks.push(Hunk { goes_above, ..hunk });
        }
    }

    fn push_row(&mut self, raw: &'a str) {
        let Some(hunk) = self.sections.last_mut().and_then(|section| section.hunks.last_mut())
        else {
            return;
        };
        if raw.starts_with("\\ ") {
            let last = hunk.rows.last().map(|row| row.mark);
            hunk.old_no_newline |= last != Some(LineMark::Insert);
            hunk.new_no_newline |= last != Some(LineMark::Delete);
            return;
        }
        let mark = match raw.chars().next() {
            Some(' ' | '\u{a0}') => LineMark::Context,
            Some('-') => LineMark::Delete,
            Some('+') => LineMark::Insert,
            _ => LineMark::Missing,
        };
        if mark != LineMark::Insert {
            self.old_left = self.old_left.saturating_sub(1);
        }
        if mark != LineMark::Delete {
            self.new_left = self.new_left.saturating_sub(1);
        }
        hunk.rows.push(HunkRow { mark, raw });
    }

    /// Drops what turned out to be nothing, and tells a patch that was cut off.
    fn end_hunk(&mut self) {
        let last = self.sections.last_mut().and_then(|section| section.hunks.last_mut());
        if let Some((hunk, counts)) = last.and_then(|hunk| hunk.counts.map(|counts| (hunk, counts)))
        {
            let (old, new) = hunk.count_sides();
            let mark = hunk.rows.last().map(|row| row.mark);
            let torn = self.open && !self.ended && mark == Some(LineMark::Insert);
            let change = matches!(mark, Some(LineMark::Insert | LineMark::Delete));
            hunk.cut = match (old < counts.0, new < counts.1) {
                (true, _) | (_, true) if torn => Truncation::Yes,
                (true, true) if change => Truncation::IfMore,
                _ => Truncation::No,
            };
        }
        for section in &mut self.sections {
            section.hunks.retain(|hunk| !hunk.rows.is_empty());
        }
        self.sections.retain(|section| !section.hunks.is_empty() || section.deletes);
    }
}

/// Reads `@@ -a,b +c,d @@ section`, of which anything may be missing.
fn parse_header(line: &str) -> Hunk<'_> {
    let rest = line.trim_start_matches('@');
    let (ranges, section) = rest.split_once("@@").unwrap_or((rest, ""));
    let side = |mark: char| {
        let range = ranges.split_whitespace().find_map(|word| word.strip_prefix(mark))?;
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()))
    };
    let (old, new) = (side('-'), side('+'));
    let section = if old.is_none() && section.trim().is_empty() { ranges } else { section };
    let counts = old.and_then(|(_, old)| old).zip(new.and_then(|(_, new)| new));
    let starts = old.zip(new).map(|((old, _), (new, _))| (old, new));
    Hunk {
        stated: old.map(|(start, _)| start),
        counts,
        goes_above: starts.is_some_and(|(old, new)| old > 0 && old == new),
        section: section.trim(),
        ..Hunk::default()
    }
}
