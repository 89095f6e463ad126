//! Splits a git patch into files and lines; what is no patch gives none.

use super::spans::{self, RawLine};
use super::{DiffLine, FileDiff, LineKind, LinePiece};
use papayu_lang::Language;

/// Lines that are shown of one file.
const MOST_LINES: usize = 5_000;

/// Returns the files of a git patch; a hunk's counts say which lines are its own, so that a deleted line
/// `-- x` is no header.
pub fn read(patch: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut hunk: Vec<RawLine<'_>> = Vec::new();
    // Counts of zero mean that no hunk is open.
    let mut left = HunkCounts::default();
    for line in patch.lines() {
        if left != HunkCounts::default() && push_line(line, &mut left, &mut hunk) {
            // Lines of a hunk are never headers, whatever they look like.
            continue;
        }
        close_hunk(&mut files, &mut hunk);
        left = hunk_counts(line).unwrap_or_default();
        if let Some(names) = line.strip_prefix("diff --git ") {
            files.push(FileDiff { path: patch_path(names), lines: Vec::new() });
        } else if let Some(file) = files.last_mut()
            && !line.starts_with("--- ")
            && !line.starts_with("+++ ")
            && !line.starts_with("index ")
        {
            push_head(file, line);
        }
    }
    close_hunk(&mut files, &mut hunk);
    for file in &mut files {
        // A generated file would make the page too large for a browser.
        // The note takes the place of the lines that are left out.
        if file.lines.len() > MOST_LINES {
            let more = file.lines.len() - MOST_LINES;
            file.lines.truncate(MOST_LINES);
            push_head(file, &format!("... {more} more lines"));
        }
    }
    files
}

/// Adds a line of the diff that is no content.
fn push_head(file: &mut FileDiff, text: &str) {
    let span = LinePiece { text: text.to_owned(), changed: false, ink: "plain" };
    file.lines.push(DiffLine { kind: LineKind::Head, spans: vec![span] });
}

/// Highlights the lines of a hunk together: a string or comment may span them.
fn close_hunk(files: &mut [FileDiff], hunk: &mut Vec<RawLine<'_>>) {
    let raw = std::mem::take(hunk);
    if let Some(file) = files.last_mut() {
        let language = Language::of_path(&file.path);
        file.lines.extend(spans::lines_of(language, &raw));
    }
}

/// Adds a line to the hunk and counts it; a note about a missing line end is skipped. Returns `false` for a line
/// after the hunk.
fn push_line<'p>(line: &'p str, left: &mut HunkCounts, hunk: &mut Vec<RawLine<'p>>) -> bool {
    // An empty line counts as context that lost its blank.
    let mark = line.chars().next().unwrap_or(' ');
    let text = line.get(mark.len_utf8()..).unwrap_or_default();
    let kind = match mark {
        ' ' => LineKind::Context,
        '-' => LineKind::Deleted,
        '+' => LineKind::Added,
        '\\' => return true,
        _ => return false,
    };
    // A context line counts on both sides.
    left.old = left.old.saturating_sub(usize::from(kind != LineKind::Added));
    left.new = left.new.saturating_sub(usize::from(kind != LineKind::Deleted));
    hunk.push((kind, text));
    true
}

/// The number of lines of a hunk on each side.
#[derive(Default, PartialEq)]
struct HunkCounts {
    old: usize,
    new: usize,
}

/// Returns how many lines a hunk has on each side.
fn hunk_counts(line: &str) -> Option<HunkCounts> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let new = rest.split(' ').next()?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        // `@@ -3 +3 @@` is one line on each side.
        None => Some(1),
    };
    Some(HunkCounts { old: count(old)?, new: count(new)? })
}

/// Returns the file of `a/x b/x`; both names when they differ.
fn patch_path(names: &str) -> String {
    // Both names have the same length unless the file was renamed.
    let half = names.len() / 2;
    let (Some(one), Some(two)) = (names.get(..half), names.get(half + 1..)) else {
        return names.to_owned();
    };
    match (one.strip_prefix("a/"), two.strip_prefix("b/")) {
        (Some(one), Some(two)) if one == two => one.to_owned(),
        _ => names.to_owned(),
    }
}
