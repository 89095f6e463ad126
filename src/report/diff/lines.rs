//! Splits a git patch into files and lines; what is no patch gives none.

use super::spans::{self, Raw};
use super::{FileDiff, Line, LineKind, Span};
use crate::index::Language;

/// Lines that are shown of one file.
const MOST_LINES: usize = 5_000;

/// Returns the files of a git patch; a hunk's counts say which lines are its own, so that a deleted line
/// `-- x` is no header.
pub fn read(patch: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut hunk: Vec<Raw<'_>> = Vec::new();
    let mut left = (0_usize, 0_usize);
    for line in patch.lines() {
        if left != (0, 0) && own(line, &mut left, &mut hunk) {
            continue;
        }
        close(&mut files, &mut hunk);
        left = counts(line).unwrap_or_default();
        if let Some(names) = line.strip_prefix("diff --git ") {
            files.push(FileDiff { path: path(names), lines: Vec::new() });
        } else if let Some(file) = files.last_mut()
            && !line.starts_with("--- ")
            && !line.starts_with("+++ ")
            && !line.starts_with("index ")
        {
            head(file, line);
        }
    }
    close(&mut files, &mut hunk);
    for file in &mut files {
        if file.lines.len() > MOST_LINES {
            let more = file.lines.len() - MOST_LINES;
            file.lines.truncate(MOST_LINES);
            head(file, &format!("... {more} more lines"));
        }
    }
    files
}

fn head(file: &mut FileDiff, text: &str) {
    let span = Span { text: text.to_owned(), changed: false, ink: "plain" };
    file.lines.push(Line { kind: LineKind::Head, spans: vec![span] });
}

fn close(files: &mut [FileDiff], hunk: &mut Vec<Raw<'_>>) {
    let raw = std::mem::take(hunk);
    if let Some(file) = files.last_mut() {
        let language = Language::of_path(&file.path);
        file.lines.extend(spans::lines(language, &raw));
    }
}

/// Adds a line to the hunk; a note about a missing line end changes the line before. Returns
/// `false` for a line after the hunk.
fn own<'p>(line: &'p str, (old, new): &mut (usize, usize), hunk: &mut Vec<Raw<'p>>) -> bool {
    let mark = line.chars().next().unwrap_or(' ');
    let text = line.get(mark.len_utf8()..).unwrap_or_default();
    let (kind, less) = match mark {
        ' ' => (LineKind::Context, (1, 1)),
        '-' => (LineKind::Deleted, (1, 0)),
        '+' => (LineKind::Added, (0, 1)),
        '\\' => return true,
        _ => return false,
    };
    (*old, *new) = (old.saturating_sub(less.0), new.saturating_sub(less.1));
    hunk.push((kind, text));
    true
}

/// Returns how many lines a hunk has on each side.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let new = rest.split(' ').next()?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}

/// Returns the file of `a/x b/x`; both names when they differ.
fn path(names: &str) -> String {
    let half = names.len() / 2;
    let (Some(one), Some(two)) = (names.get(..half), names.get(half + 1..)) else {
        return names.to_owned();
    };
    match (one.strip_prefix("a/"), two.strip_prefix("b/")) {
        (Some(one), Some(two)) if one == two => one.to_owned(),
        _ => names.to_owned(),
    }
}
