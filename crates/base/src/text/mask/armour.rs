//! Finds private keys by the lines around them and by their alphabet, whole or cut, also quoted, numbered, in lists and in strings.

use std::ops::Range;

use super::chance::surprise;

/// The longest text between two lines of a key: marks, numbers, times, the header lines of old formats.
const MAX_GAP: usize = 100;

/// Shorter runs of letters are no lines of a key, except the first and the last one.
const MIN_LINE: usize = 16;

/// Returns the key of which the words `private key` at `words` head the first or the last line.
pub(super) fn key_at(text: &str, words: &Range<usize>, done: usize) -> Option<Range<usize>> {
    let before = text.get(text.ceil_char_boundary(words.start.saturating_sub(48))..words.start)?;
    let line = before.rsplit('\n').next()?;
    let rest = text.get(words.end..)?;
    let rest = rest
        .strip_prefix([' ', '_'])
        .map_or(rest, |rest| rest.strip_prefix("BLOCK").unwrap_or(rest));
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    if !rest.starts_with("----") {
        return None;
    }
    let head = text.len() - rest.trim_start_matches('-').len();
    let start_of_line = words.start - line.len();
    if let Some(start) = dashes_before(line, "BEGIN") {
        return Some(start_of_line + start..end_of_key(text, head));
    }
    let start = start_of_line + dashes_before(line, "END")?;
    Some(start_of_key(text, start, done)..head)
}

/// Returns the start of the dashes before the mark.
fn dashes_before(line: &str, mark: &str) -> Option<usize> {
    let at = line.rfind(mark)?;
    let start = line.get(..at)?.trim_end_matches(' ').trim_end_matches('-').len();
    (at - start >= 4).then_some(start)
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Returns the place and length of the next run of the alphabet, of at least `least` bytes.
fn next_run(bytes: &[u8], from: usize, least: usize) -> Option<Range<usize>> {
    let mut at = from;
    while at <= from + MAX_GAP {
        let run = bytes.get(at..)?.iter().take_while(|byte| is_of_key(**byte)).count();
        if run >= least {
            return Some(at..at + run);
        }
        at += run + 1;
    }
    None
}

/// Returns the end of the key that begins at `from`.
fn end_of_key(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = from;
    loop {
        let near = text.get(end..text.floor_char_boundary(end + 2 * MAX_GAP)).unwrap_or_default();
        if let Some(at) = near.find("-- END ").or_else(|| near.find("--END ")) {
            let tail = near.get(at + 6..).unwrap_or_default();
            let close = tail.find("--").map(|dashes| {
                tail.len() - tail.get(dashes..).unwrap_or_default().trim_start_matches('-').len()
            });
            return end + at + 6 + close.unwrap_or(0);
        }
        let first = if end == from { first_line(text, end) } else { None };
        let run = next_run(bytes, end, MIN_LINE).filter(|run| is_line(bytes, run));
        let Some(run) = first.or(run) else { return end };
        end = run.end;
    }
}

/// Returns the first line of a key after its head, which may be cut.
fn first_line(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let inner = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let start = from + rest.len() - inner.len();
    let run = inner.bytes().take_while(|byte| is_of_key(*byte)).count();
    let ends = inner.as_bytes().get(run).is_none_or(u8::is_ascii_whitespace);
    (run > 0 && ends).then(|| start..start + run)
}

/// Returns `true` if the run has no order, as the lines of a key.
fn is_line(bytes: &[u8], run: &Range<usize>) -> bool {
    bytes.get(run.clone()).is_some_and(|line| surprise(line) > 4.4)
}

/// Returns the start of the key that ends at `end`.
fn start_of_key(text: &str, end: usize, done: usize) -> usize {
    let bytes = text.as_bytes();
    let mut start = end;
    let mut least = 1;
    loop {
        let before = bytes.get(done..start).unwrap_or_default();
        let gap = gap_before(before);
        let run_end = before.len().saturating_sub(gap);
        let run = before.get(..run_end).unwrap_or_default();
        let length = run.iter().rev().take_while(|byte| is_of_key(**byte)).count();
        let line = start - gap - length..start - gap;
        let is_part = length >= least && (length < MIN_LINE || is_line(bytes, &line));
        if !is_part {
            return start;
        }
        start = line.start;
        least = MIN_LINE;
    }
}

/// Returns the length of the text between two lines of a key; the letters of `\n` and `\r` are of it.
fn gap_before(before: &[u8]) -> usize {
    let mut rest = before;
    while before.len() - rest.len() < MAX_GAP {
        let is_break = rest.ends_with(b"\\n") || rest.ends_with(b"\\r");
        let is_gap = rest.last().is_some_and(|byte| !is_of_key(*byte));
        let length = if is_break { 2 } else { usize::from(is_gap) };
        if length == 0 {
            break;
        }
        rest = rest.get(..rest.len() - length).unwrap_or_default();
    }
    before.len() - rest.len()
}
