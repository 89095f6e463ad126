//! Keeps the lines of a log around those that may say that something failed, in bounded memory.

use std::collections::VecDeque;

use papayu_base::text::first_chars;

use super::forms::{FormKind, fits};
use super::place::starts_with_place;

/// Parts of words and marks by which a line may be about a failure; those of the generic reader count too.
pub(in crate::failure) const CUES: &[&str] = &[
    "FAIL", "ailed", "ailure", "ailing", "not ok", "✗", "✘", "✖", "✕", "× ", "❌", "‼", "NOK",
    "E: ", "ERR!", "Node.js v", "!!!", "ndefined", "nexpected", "nknown", "annot ", "not found",
    "nvalid", "xception", "ot in scope", "[-]", "(X)", "[!]",
];

/// Most bytes of the last lines, and of the lines around others.
const MAX_BYTES: usize = 48 * 1024;
/// Lines after a line about a failure that are kept.
const AFTER: u8 = 14;
/// Lines before it.
const BEFORE: usize = 4;
/// Longest kept line, in characters.
const MAX_LINE_CHARS: usize = 600;
/// Most lines that are shown because of their form.
const MAX_SHOWN: usize = 20;

/// The lines that were kept.
#[derive(Clone, Debug, Default)]
pub(in crate::failure) struct KeptLines {
    /// Lines around the first ones about a failure.
    first: Vec<String>,
    first_bytes: usize,
    /// The last lines, and whether each may be about a failure.
    last: VecDeque<(bool, String)>,
    last_bytes: usize,
    /// The number of lines after the last one about a failure that left `last`.
    wanted: u8,
    shown: usize,
    /// A line had a cue.
    has_cue: bool,
}

impl KeptLines {
    /// Takes the next line; `is_cued` is `true` if it has one of the cues. Returns `true` if the line should be shown.
    pub(in crate::failure) fn push_line(&mut self, text: &str, is_cued: bool) -> bool {
        self.has_cue |= is_cued;
        let is_placed = has_number_after_mark(text);
        let kept = first_chars(text, MAX_LINE_CHARS);
        let mut line = String::new();
        while self.last_bytes + kept.len() >= MAX_BYTES {
            let Some(old) = self.last.pop_front() else { break };
            self.last_bytes -= old.1.len() + 1;
            line = self.drop_line(old);
        }
        line.clear();
        line.push_str(kept);
        self.last_bytes += line.len() + 1;
        self.last.push_back((is_cued || is_placed, line));
        let is_shown = self.shown < MAX_SHOWN
            && (is_cued && fits(FormKind::Level, text) || is_placed && starts_with_place(text));
        self.shown += usize::from(is_shown);
        is_shown
    }

    /// Takes a line that is none of the last ones any more, and returns a line for its memory.
    fn drop_line(&mut self, old: (bool, String)) -> String {
        let (is_about, line) = old;
        if is_about {
            self.wanted = AFTER;
        }
        let is_wanted = self.wanted > 0 || self.last.iter().take(BEFORE).any(|next| next.0);
        self.wanted = self.wanted.saturating_sub(1);
        if !is_wanted || self.first_bytes + line.len() >= MAX_BYTES {
            return line;
        }
        self.first_bytes += line.len() + 1;
        self.first.push(line);
        String::new()
    }

    /// Removes the last lines.
    pub(in crate::failure) fn remove_last(&mut self, count: usize) {
        let removed = (0..count).map_while(|_| self.last.pop_back());
        self.last_bytes -= removed.map(|(_, line)| line.len() + 1).sum::<usize>();
    }

    /// Returns `true` if a line may be about a failure.
    pub(super) fn has_cue(&self) -> bool {
        self.has_cue
    }

    /// Returns the lines in their order.
    pub(in crate::failure) fn lines(&self) -> impl Iterator<Item = &str> {
        self.first.iter().map(String::as_str).chain(self.last.iter().map(|line| line.1.as_str()))
    }
}

/// Returns `true` if a digit follows a colon or a bracket, as in most places; few other lines have one.
fn has_number_after_mark(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    memchr::memchr2_iter(b':', b'(', bytes).take(8).any(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_a_failure_and_the_last_ones_are_kept_of_any_log() {
        let mut kept = KeptLines::default();
        for number in 0..100_000 {
            let is_cued = number == 500;
            kept.push_line(&format!("line {number}"), is_cued);
        }
        let lines: Vec<&str> = kept.lines().collect();
        assert_eq!(lines[..2], ["line 496", "line 497"]);
        assert_eq!(lines[17], "line 513");
        assert_eq!(lines.last(), Some(&"line 99999"));
        assert!(lines.len() < 6_000, "{}", lines.len());
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut kept = KeptLines::default();
        let shown = (0..100_000).filter(|n| kept.push_line(&format!("error: {n}"), true)).count();
        assert_eq!(shown, MAX_SHOWN);
        assert!(kept.first_bytes <= MAX_BYTES && kept.last_bytes <= MAX_BYTES);
    }
}
