//! A parser of unified diffs that trusts the shape of lines, not the numbers in headers.
//!
//! `diffy` and git trust the counts in hunk headers, which models get wrong more often than the lines
//! themselves, so hunks are read here and `diffy` only renders. A hunk begins at any line that begins
//! with `@@`. Prose, fences and envelopes around the diff are skipped. Which unmarked lines are context
//! and which are prose depends on the file, so [`super::line_roles`] decides that.

use std::collections::HashMap;

use super::PatchFault;
use super::hunk::{Hunk, HunkRow, LineMark, SideCounts, Truncation, parse_hunk_header};

/// The hunks of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileSection<'a> {
    /// The name in the patch; empty without a header.
    name: &'a str,
    /// The old side is `/dev/null`.
    pub(super) creates: bool,
    /// The new side is `/dev/null`.
    deletes: bool,
    pub(super) hunks: Vec<Hunk<'a>>,
}

/// The hunks of the requested file, and the other files of the patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedPatch<'a> {
    pub(super) section: FileSection<'a>,
    /// The names of other files that the patch has hunks for.
    pub(super) others: Vec<String>,
}

/// Parses the hunks for `path`, in the order of the patch.
///
/// If the patch is of one file, its name does not matter.
///
/// Fails with [`PatchFault::Combined`] or [`PatchFault::Renames`] for these forms of a diff,
/// [`PatchFault::OtherFile`] if its only file is another one, [`PatchFault::SeveralFiles`] if no section is of `path`, [`PatchFault::DeletesFile`] if the new side is
/// `/dev/null`, and [`PatchFault::NoHunks`] without a `@@` header that has lines.
pub(super) fn parse_patch<'a>(patch: &'a str, path: &str) -> Result<ParsedPatch<'a>, PatchFault> {
    let mut reader = PatchReader { ended: patch.ends_with('\n'), ..PatchReader::default() };
    let patch = patch.strip_prefix('\u{feff}').unwrap_or(patch);
    let mut lines: Vec<&str> =
        patch.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    if let Some(end) = find_fence_end(&lines) {
        lines.truncate(end);
        reader.ended = true;
    }
    let mut rest = lines.as_slice();
    while let [line, after @ ..] = rest {
        let next = after.first().copied().unwrap_or_default();
        let third = after.get(1).copied().unwrap_or_default();
        let taken = reader.read_line(line, next, third);
        rest = rest.get(taken..).unwrap_or_default();
    }
    match reader.unsupported {
        Some(UnsupportedForm::Combined) => return Err(PatchFault::Combined),
        Some(UnsupportedForm::Renames) => return Err(PatchFault::Renames),
        None => {}
    }
    reader.finish();
    select_file(reader.sections, path)
}

/// Returns the line of the fence that ends the patch, if the patch begins in a fence and nothing after
/// it belongs to a patch. In a Markdown file it could be taken for a line of the file.
fn find_fence_end(lines: &[&str]) -> Option<usize> {
    let begin = lines.iter().position(|line| line.starts_with("```") || line.starts_with("@@"))?;
    let first = lines.get(begin)?;
    let fence = first.get(..first.len() - first.trim_start_matches('`').len())?;
    let end = lines.iter().rposition(|line| line.trim_end() == fence)?;
    let after = lines.get(end + 1..)?;
    let ends = end > begin && !fence.is_empty();
    (ends && !after.iter().any(|line| line.starts_with(['+', '-', '@', '*']))).then_some(end)
}

/// Returns the hunks of the file `path` and the names of all other files.
fn select_file<'a>(
    sections: Vec<FileSection<'a>>,
    path: &str,
) -> Result<ParsedPatch<'a>, PatchFault> {
    let files = merge_sections(sections);
    let own = find_own_file(&files, path)?;
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

/// Joins the sections of the same file.
fn merge_sections(sections: Vec<FileSection<'_>>) -> Vec<FileSection<'_>> {
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

/// Returns the index of the file that means `path`; `None` if the patch names no file.
///
/// That is the file of this very name, or else the only one that may mean it. Hunks without a header
/// belong to it in any case.
fn find_own_file(files: &[FileSection<'_>], path: &str) -> Result<Option<usize>, PatchFault> {
    let named: Vec<(usize, &str)> = files
        .iter()
        .enumerate()
        .map(|(index, file)| (index, file.name))
        .filter(|(_, name)| !name.is_empty())
        .collect();
    if let Some((index, _)) = named.iter().find(|(_, name)| *name == path) {
        return Ok(Some(*index));
    }
    match named.as_slice() {
        [] => return Ok(None),
        [(index, name)] if is_same_file(name, path) || is_placeholder(name) => {
            return Ok(Some(*index));
        }
        [(_, name)] => return Err(PatchFault::OtherFile((*name).to_owned())),
        _ => {}
    }
    let mut meant = named.iter().filter(|(_, name)| is_same_file(name, path));
    if let (Some((index, _)), None) = (meant.next(), meant.next()) {
        return Ok(Some(*index));
    }
    Err(PatchFault::SeveralFiles(named.iter().map(|(_, name)| (*name).to_owned()).collect()))
}

/// Words that models write into a header in place of the path.
const PLACEHOLDERS: [&str; 16] = [
    "a", "b", "file", "path", "original", "modified", "old", "new", "before", "after", "current",
    "updated", "fixed", "source", "target", "text",
];

/// Returns `true` if a name in a header means no file in particular: `original`, `file.py`, `path/to/file`.
fn is_placeholder(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    let stem = last.split('.').next().unwrap_or(last).to_ascii_lowercase();
    let is_example = name == last || name.starts_with("path/to/");
    stem.is_empty() || is_example && PLACEHOLDERS.contains(&stem.as_str())
}

/// Returns `true` if a name in a patch may mean the file: models add and drop leading folders.
pub(super) fn is_same_file(name: &str, path: &str) -> bool {
    is_path_suffix(name, path) || is_path_suffix(path, name)
}

/// Returns `true` if the shorter path is the end of the longer one at a `/`: `src/a.rs` of
/// `b/src/a.rs`.
fn is_path_suffix(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Returns the name of a file in a header line, without `a/`, `b/` and a time stamp.
fn file_name(text: &str) -> &str {
    let name = text.split('\t').next().unwrap_or_default().trim().trim_matches('"');
    let name = name.strip_prefix("./").unwrap_or(name);
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

const NO_FILE: &str = "/dev/null";

/// The state of the parser between two lines.
#[derive(Default)]
struct PatchReader<'a> {
    sections: Vec<FileSection<'a>>,
    /// Lines belong to the last hunk.
    in_hunk: bool,
    /// A file header came last, so a hunk may begin without a header of its own.
    after_header: bool,
    /// The name in a line that is no whole header of a file; that of the next hunks, unless a header follows.
    heading: Option<&'a str>,
    /// The last line of the patch is complete.
    ended: bool,
    /// The lines of the last hunk that the header still promises.
    left: SideCounts,
    unsupported: Option<UnsupportedForm>,
}

/// A form of patch that cannot be applied to one file.
#[derive(Clone, Copy)]
enum UnsupportedForm {
    Combined,
    Renames,
}

/// A line of the `*** Begin Patch` form.
enum EnvelopeLine<'a> {
    /// The header of a file.
    File(&'a str),
    /// The begin or end of the patch.
    Frame,
}

/// Parses a line of the envelope that some models put around a diff (the `apply_patch` format of
/// OpenAI's tools): `*** Begin Patch`, `*** Update File: src/a.rs`, `*** End Patch`.
fn parse_envelope(line: &str) -> Option<EnvelopeLine<'_>> {
    let line = line.strip_prefix("*** ")?;
    if ["Begin Patch", "End Patch", "End of File"].contains(&line.trim_end()) {
        return Some(EnvelopeLine::Frame);
    }
    let forms = ["Update File: ", "Add File: ", "Delete File: "];
    let name = forms.iter().find_map(|form| line.strip_prefix(form))?;
    Some(if name.is_empty() { EnvelopeLine::Frame } else { EnvelopeLine::File(name) })
}

impl<'a> PatchReader<'a> {
    /// Reads a line, and a second one if both are a file header; returns the number of lines read.
    fn read_line(&mut self, line: &'a str, next: &'a str, third: &str) -> usize {
        let file_header = line.strip_prefix("--- ").zip(next.strip_prefix("+++ "));
        if line.starts_with("@@@") {
            self.unsupported.get_or_insert(UnsupportedForm::Combined);
        } else if line.starts_with("@@") {
            self.begin_hunk(parse_hunk_header(line));
        } else if let Some((old, new)) = file_header.filter(|_| !self.expects_body(third)) {
            let (old, new) = (file_name(old), file_name(new));
            self.begin_file(if new == NO_FILE { old } else { new });
            if let Some(section) = self.sections.last_mut() {
                (section.creates, section.deletes) = (old == NO_FILE, new == NO_FILE);
            }
            return 2;
        } else if let Some(envelope) = parse_envelope(line) {
            self.in_hunk = false;
            if let EnvelopeLine::File(name) = envelope {
                self.begin_file(file_name(name));
            }
        } else if line.starts_with("diff --git ") {
            (self.in_hunk, self.after_header) = (false, false);
            self.heading = line.rsplit_once(" b/").map(|(_, name)| file_name(name));
        } else if !self.in_hunk && line.starts_with("rename from ") {
            self.unsupported.get_or_insert(UnsupportedForm::Renames);
        } else if self.in_hunk {
            self.push_row(line);
        } else if let Some(name) =
            ["Index: ", "--- ", "+++ "].iter().find_map(|it| line.strip_prefix(it))
        {
            self.heading = Some(file_name(name)).filter(|name| *name != NO_FILE).or(self.heading);
        } else if self.after_header && line.starts_with([' ', '+', '-']) {
            self.begin_hunk(Hunk::default());
            self.push_row(line);
        }
        1
    }

    /// Returns `true` if two lines that look like a file header are lines of the current hunk.
    ///
    /// A deleted line `-- x` and a new line `++ x` look like one. The line after them decides, or the
    /// counts if they ask for exactly one line on each side.
    fn expects_body(&self, third: &str) -> bool {
        let expected = self.in_hunk && (self.left.old > 0 || self.left.new > 0);
        expected && (!third.starts_with("@@") || self.left == SideCounts { old: 1, new: 1 })
    }

    /// Starts the section of a file. An `@@` must follow before rows count.
    fn begin_file(&mut self, name: &'a str) {
        self.sections.push(FileSection { name, ..FileSection::default() });
        self.heading = None;
        (self.in_hunk, self.after_header) = (false, true);
    }

    /// Starts a hunk. A patch without file headers has one section without a name.
    fn begin_hunk(&mut self, hunk: Hunk<'a>) {
        self.left = hunk.counts.unwrap_or_default();
        if let Some(name) = self.heading.take() {
            self.begin_file(name);
        }
        (self.in_hunk, self.after_header) = (true, false);
        if self.sections.is_empty() {
            self.sections.push(FileSection::default());
        }
        if let Some(section) = self.sections.last_mut() {
            // After the first hunk, the sides differ by the lines that the hunks before added.
            let goes_above = hunk.goes_above && section.hunks.is_empty();
            section.hunks.push(Hunk { goes_above, ..hunk });
        }
    }

    /// Adds a row to the hunk. `\ No newline at end of file` belongs to the row before it, on the
    /// old side, the new side or both.
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
            self.left.old = self.left.old.saturating_sub(1);
        }
        if mark != LineMark::Delete {
            self.left.new = self.left.new.saturating_sub(1);
        }
        hunk.rows.push(HunkRow { mark, raw });
    }

    /// Sets the truncation of the last hunk, then drops hunks and files without content.
    fn finish(&mut self) {
        let (in_hunk, ended) = (self.in_hunk, self.ended);
        let last = self.sections.last_mut().and_then(|section| section.hunks.last_mut());
        if let Some(hunk) = last
            && let Some(counts) = hunk.counts
        {
            let actual = hunk.count_sides();
            let mark = hunk.rows.last().map(|row| row.mark);
            let torn = in_hunk && !ended && mark == Some(LineMark::Insert);
            // A patch that ends in a whole new line is complete, and its counts are wrong: models add lines up.
            // After a deleted line the new ones are missing.
            let deletes = mark == Some(LineMark::Delete);
            hunk.truncation = match (actual.old < counts.old, actual.new < counts.new) {
                (true, _) | (_, true) if torn => Truncation::Certain,
                (true, true) if deletes => Truncation::IfFileContinues,
                _ => Truncation::None,
            };
        }
        for section in &mut self.sections {
            section.hunks.retain(|hunk| !hunk.rows.is_empty());
        }
        self.sections.retain(|section| !section.hunks.is_empty() || section.deletes);
    }
}
