//! Selects the part of a log that is worth showing, windows around failures and the tail, in bounded memory.
//!
//! A log that fits the limit is shown whole. Otherwise two thirds of the limit are for the windows, the rest for the tail.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::text::first_chars;

/// Lines shown before a failure's first line.
const BEFORE: usize = 3;
/// Lines shown after a failure's last known line.
const AFTER: u64 = 8;
/// Longest window, in lines.
const MAX_WINDOW_LINES: usize = 60;
/// Longest line, in characters.
const MAX_LINE_CHARS: usize = 500;
/// The beginnings of lines about passing tests.
const BEGINNINGS_OF_PASSING: &[&str] =
    &["✓ ", "✔ ", "√ ", "=== RUN ", "=== PAUSE ", "=== CONT ", "--- PASS: ", "PASS ["];
/// The maximal number of windows; vague lines have a lower limit, so that real failures after a
/// flood of them still get one.
const MAX_WINDOWS: usize = 10_000;
const MAX_VAGUE_WINDOWS: usize = 200;
/// The length of one `...[n lines left out]...` mark.
const MARK_CHARS: usize = 40;

/// The importance of a line; a stronger claim wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// No parser knows it.
    None,
    /// A parser knows it, and it is no failure (a warning's span, a passing test).
    Known,
    /// It belongs to the failure above it.
    Part,
    /// Something failed; no parser knows what.
    Vague,
    /// A failure begins.
    Fault,
}

type Numbered = (u64, String);

/// Chooses lines while they stream by.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The limit of the excerpt, in characters.
    max_chars: usize,
    /// Number of the next line; blank and repeated lines do not count twice.
    next: u64,
    last_was_blank: bool,
    /// The last lines, at most `max_chars` long.
    tail: VecDeque<Numbered>,
    tail_chars: usize,
    /// The window that the next lines may extend.
    open: Option<Window>,
    /// Closed windows, in the order of the log.
    windows: Vec<Window>,
    window_chars: usize,
    /// Fingerprints of the windows so far.
    seen: HashSet<u64>,
}

/// Lines around one failure.
#[derive(Debug)]
struct Window {
    /// The strongest claim in the window.
    claim: Claim,
    lines: Vec<Numbered>,
    /// The last line that this window wants.
    until: u64,
    /// A hash of the lines of the failure, without those around it.
    fingerprint: u64,
    chars: usize,
}

impl Excerpt {
    /// Starts an excerpt of at most `max_chars` characters.
    pub(super) fn new(max_chars: usize) -> Self {
        Self {
            max_chars,
            next: 0,
            last_was_blank: true,
            tail: VecDeque::new(),
            tail_chars: 0,
            open: None,
            windows: Vec::new(),
            window_chars: 0,
            seen: HashSet::new(),
        }
    }

    /// Adds the next cleaned line. A repeated line, and a line about a passing test, only counts as
    /// left out; consecutive blank
    /// lines count once.
    pub(super) fn push_line(&mut self, line: &str, claim: Claim) {
        let blank = line.is_empty();
        if blank && self.last_was_blank {
            return;
        }
        self.last_was_blank = blank;
        let number = self.next;
        self.next += 1;
        let shown = first_chars(line, MAX_LINE_CHARS);
        // Progress bars and retries print one line again and again.
        let repeats = self.tail.back().is_some_and(|(_, last)| last == shown);
        if claim < Claim::Part && (repeats || is_passing(line)) {
            return;
        }
        self.update_windows(number, shown, claim);
        self.keep_in_tail(number, shown);
    }

    /// Returns the line that was kept last, cut to what is shown of it.
    pub(super) fn last_line(&self) -> &str {
        self.tail.back().map_or("", |(_, line)| line)
    }

    /// Opens, extends or closes windows for a line.
    fn update_windows(&mut self, number: u64, line: &str, claim: Claim) {
        let full = self.open.as_ref().is_some_and(|window| window.lines.len() >= MAX_WINDOW_LINES);
        let past = self.open.as_ref().is_some_and(|window| number > window.until);
        if past || full || claim >= Claim::Vague {
            self.close_window();
        }
        let most = if claim == Claim::Vague { MAX_VAGUE_WINDOWS } else { MAX_WINDOWS };
        if claim >= Claim::Vague && self.seen.len() < most {
            let taken = self.windows.last().and_then(|w| w.lines.last()).map(|(n, _)| *n);
            let mut lines: Vec<Numbered> =
                self.tail.iter().rev().take(BEFORE).rev().cloned().collect();
            lines.retain(|(n, _)| taken.is_none_or(|taken| *n > taken));
            let chars = lines.iter().map(|(_, line)| line.len() + 1).sum();
            self.open = Some(Window { claim, lines, until: 0, fingerprint: 0, chars });
        }
        let Some(window) = &mut self.open else { return };
        if claim >= Claim::Part {
            window.until = number + AFTER;
            // Only the lines of the failure count: those around it have times and numbers.
            window.fingerprint = window.fingerprint.rotate_left(5) ^ hash_line(line);
        }
        window.chars += line.len() + 1;
        window.lines.push((number, line.to_owned()));
    }

    /// Closes the open window and drops the weakest ones beyond the budget.
    fn close_window(&mut self) {
        let Some(window) = self.open.take() else { return };
        // The same failure in a retry or a summary is shown once.
        if self.seen.insert(window.fingerprint) {
            self.window_chars += window.chars + MARK_CHARS;
            self.windows.push(window);
        }
        // Windows of known failures stay; the latest of the weakest is dropped.
        while self.window_chars > self.windows_budget() && self.windows.len() > 1 {
            let weakest = self.windows.iter().map(|window| window.claim).min();
            let Some(at) = self.windows.iter().rposition(|w| Some(w.claim) == weakest) else {
                break;
            };
            self.window_chars -= self.windows.remove(at).chars + MARK_CHARS;
        }
    }

    /// Adds a line to the tail and drops the oldest lines beyond the limit.
    fn keep_in_tail(&mut self, number: u64, line: &str) {
        // The oldest line's memory is used again: a log has millions of lines.
        let mut kept = String::new();
        while self.tail_chars + line.len() + 1 > self.max_chars {
            let Some((_, old)) = self.tail.pop_front() else { break };
            self.tail_chars -= old.len() + 1;
            kept = old;
        }
        kept.clear();
        kept.push_str(line);
        self.tail_chars += kept.len() + 1;
        self.tail.push_back((number, kept));
    }

    /// Returns the part of the limit that windows may use, in characters.
    fn windows_budget(&self) -> usize {
        self.max_chars / 3 * 2
    }

    /// Returns the excerpt: the whole log if it fits, else the windows and as much of the tail as
    /// the limit allows, in the order
    /// of the log, with marks for gaps.
    pub(super) fn finish(mut self) -> String {
        self.close_window();
        let mut lines: BTreeMap<u64, String> = BTreeMap::new();
        let mut room = self.max_chars.saturating_sub(2 * MARK_CHARS);
        let whole = self.tail.front().is_none_or(|(first, _)| *first == 0);
        if whole {
            room = self.max_chars;
        } else {
            for window in &mut self.windows {
                for (number, line) in window.lines.drain(..) {
                    let cost = line.chars().count() + 1;
                    if cost <= room && lines.insert(number, line).is_none() {
                        room -= cost;
                    }
                }
                room = room.saturating_sub(MARK_CHARS);
            }
        }
        for (number, line) in self.tail.into_iter().rev() {
            let cost = line.chars().count() + 1;
            if lines.contains_key(&number) {
                continue;
            }
            if cost > room {
                break;
            }
            room -= cost;
            lines.insert(number, line);
        }
        render_lines(&lines, self.next, self.max_chars)
    }
}

/// Joins the lines with marks for the gaps between their numbers.
fn render_lines(lines: &BTreeMap<u64, String>, total: u64, max_chars: usize) -> String {
    let mut out = String::new();
    let mut expected = 0;
    for (number, line) in lines {
        mark_gap(&mut out, number - expected);
        out.push_str(line);
        out.push('\n');
        expected = number + 1;
    }
    mark_gap(&mut out, total.saturating_sub(expected));
    let kept = first_chars(out.trim_end(), max_chars).len();
    out.truncate(kept);
    out
}

/// Writes the mark of lines that were left out.
fn mark_gap(out: &mut String, missing: u64) {
    use std::fmt::Write as _;
    if missing > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "...[{missing} lines left out]...");
    }
}

/// Returns `true` for a line about the start or success of a test, of which a run has thousands.
fn is_passing(line: &str) -> bool {
    let text = line.trim_start();
    BEGINNINGS_OF_PASSING.iter().any(|beginning| text.starts_with(beginning))
        || line.ends_with(" ... ok")
        || line.ends_with(" PASSED")
        || (text.starts_with("PASSED ") && text.contains("::"))
        || (line.ends_with("%]") && line.contains(" PASSED "))
}

/// Returns a hash by which repeated lines are found without keeping their text.
fn hash_line(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(max: usize, lines: impl IntoIterator<Item = (String, Claim)>) -> String {
        let mut excerpt = Excerpt::new(max);
        for (line, claim) in lines {
            excerpt.push_line(&line, claim);
        }
        excerpt.finish()
    }

    #[test]
    fn a_log_that_fits_is_shown_whole() {
        let lines = ["a", "", "", "b"].map(|line| (line.to_owned(), Claim::None));
        assert_eq!(excerpt(100, lines), "a\n\nb");
    }

    #[test]
    fn failures_and_the_tail_stay_and_the_gaps_are_marked() {
        let lines = (0..10_000)
            .map(|n| (format!("line {n}"), if n == 5_000 { Claim::Fault } else { Claim::None }));
        let text = excerpt(600, lines);
        assert!(text.len() <= 600, "{}", text.len());
        assert!(text.starts_with("...[4997 lines left out]...\nline 4997\n"), "{text}");
        assert!(text.contains("line 5008\n...["), "{text}");
        assert!(text.ends_with("\nline 9999"), "{text}");
    }

    #[test]
    fn repeated_lines_are_counted_as_left_out() {
        let lines = ["x", "same", "same", "same", "y"].map(|line| (line.to_owned(), Claim::None));
        assert_eq!(excerpt(100, lines), "x\nsame\n...[2 lines left out]...\ny");
    }

    #[test]
    fn passing_tests_are_not_shown() {
        let lines = [
            "run", "  ✓ fine 1ms", "test a::b ... ok", "a.py::c PASSED   [ 12%]",
            "PASSED a.py::d[1]", "end",
        ];
        let lines = lines.map(|line| (line.to_owned(), Claim::Known));
        assert_eq!(excerpt(100, lines), "run\n...[4 lines left out]...\nend");
    }

    #[test]
    fn real_failures_push_vague_ones_out() {
        let lines = (0..10_000).map(|n| match n {
            9_000 => ("real one".to_owned(), Claim::Fault),
            _ if n % 20 == 0 => (format!("error: {n}"), Claim::Vague),
            _ => (format!("line {n}"), Claim::None),
        });
        assert!(excerpt(1_000, lines).contains("real one"));
    }
}
