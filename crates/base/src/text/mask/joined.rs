//! Reads a value that is written in several literals, or goes on in the next line.

use std::ops::Range;

use super::assigned::AssignedValue;
use super::value::Reader;

/// The most literals of one value.
const MAX_PIECES: usize = 16;

/// The signs that join two literals in some language.
const JOINTS: [&str; 7] = ["..", "+", ".", "&", "~", "<>", "->"];

/// The most blanks between two literals.
const MAX_BLANKS: usize = 160;

/// Returns the place of the value, and those of the literals or lines with which it goes on.
pub(super) fn pieces_of(text: &str, value: &AssignedValue) -> Vec<Range<usize>> {
    let mut pieces = vec![value.place.clone()];
    while let Some(last) = pieces.last().filter(|_| pieces.len() < MAX_PIECES) {
        let Some(next) = next_literal(text, last.end).or_else(|| next_line(text, last.end)) else {
            break;
        };
        pieces.push(next);
    }
    pieces
}

/// Returns the pieces as one text.
pub(super) fn whole(text: &str, pieces: &[Range<usize>]) -> String {
    pieces.iter().filter_map(|piece| text.get(piece.clone())).collect()
}

/// Returns the inside of the literal that is joined to the one of which the inside ends here.
fn next_literal(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text.get(end..)?;
    let slashes = rest.len() - rest.trim_start_matches('\\').len();
    let quote = rest.get(slashes..)?.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let after = rest.get(slashes + quote.len_utf8()..)?;
    let near = after.get(..after.floor_char_boundary(2 * MAX_BLANKS))?;
    let (mut gap, mut joints, mut is_broken) = (near, 0, false);
    loop {
        let trimmed = gap.trim_start_matches([' ', '\t', '\r']);
        if let Some(next) = trimmed.strip_prefix('\n') {
            is_broken = true;
            gap = next;
        } else if let Some(next) =
            trimmed.strip_prefix("\\\n").or_else(|| trimmed.strip_prefix("\\\r\n"))
        {
            (joints, gap) = (joints + 1, next);
        } else if let Some(next) = JOINTS.iter().find_map(|joint| trimmed.strip_prefix(joint)) {
            (joints, gap) = (joints + 1, next);
        } else {
            gap = trimmed;
            break;
        }
    }
    let skipped = near.len() - gap.len();
    // Two literals that touch are joined by shells; those with blanks between them may be two arguments.
    if skipped > MAX_BLANKS || joints > 2 || joints == 0 && !is_broken && skipped > 0 {
        return None;
    }
    let start = end + slashes + quote.len_utf8() + skipped;
    let mut reader = Reader { text, at: start, most: super::value::MAX_VALUE };
    let inside = reader.quoted()?;
    // The next key, in a file of settings without signs between its lines.
    let next = text.get(reader.at..)?.trim_start_matches([' ', '\t']);
    let is_key = is_broken
        && joints == 0
        && (next.starts_with([':', '=', ',']) || !is_in_brackets(text, end));
    (!is_key).then_some(inside)
}

/// Returns `true` if the line before a place, or the one before that, opens a bracket: only there two lines make one value without a sign.
fn is_in_brackets(text: &str, at: usize) -> bool {
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_BLANKS));
    let before = text.get(from..at).unwrap_or_default();
    let opened = before.matches('(').count();
    opened > before.matches(')').count()
}

/// Returns the word at the start of the next line, if the line of a value without quotes ends with a backslash.
fn next_line(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text.get(end..)?;
    let next = rest.strip_prefix("\\\n").or_else(|| rest.strip_prefix("\\\r\n"))?;
    let next = next.trim_start_matches([' ', '\t']);
    let at = end + rest.len() - next.len();
    let mut reader = Reader { text, at, most: super::value::MAX_VALUE };
    let word = reader.bare()?;
    let is_option =
        text.get(word.clone()).is_some_and(|word| word.starts_with('-') || word.contains('='));
    (!is_option).then_some(word)
}
