//! Selects the part of a log that is worth showing, windows around failures and the tail, in bounded memory.
//!
//! A log that fits the limit is shown whole. Otherwise two thirds of the limit are for the windows, the rest for the tail.
//! Lines about passing tests, the headings of their suites and repeated lines are left out without a mark each, and of
//! failures with the same lines the first is shown.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use super::green::GreenLines;
use super::limits::ReportLimits;
use super::passing::{RunningTest, is_passing};
pub(super) use super::repetition::LineImportance;
use super::repetition::{FailureBody, Repetition, hash_line};
use papayu_base::domain::changes::ToolMove;
use papayu_base::text::first_chars;

/// Lines before the first line of a failure that are shown.
const BEFORE: usize = 3;
/// Lines after the last known line of a failure that are shown.
const AFTER: u64 = 8;
/// Most lines of a window.
const MAX_WINDOW_LINES: usize = 60;
/// Most characters of a line.
const MAX_LINE_CHARS: usize = 500;
/// The maximal number of windows; vague lines have a lower limit, so that real failures after a
/// flood of them still get one.
const MAX_WINDOWS: usize = 10_000;
/// Most windows of lines that no parser knows.
const MAX_VAGUE_WINDOWS: usize = 200;
/// Characters reserved for one `...[n lines left out]...` mark.
const MARK_CHARS: usize = 40;
/// The number of times that a line outside of failures is shown.
const MAX_TIMES: u8 = 3;
/// Fewest characters of such a line: a short one is part of something longer.
const MIN_REPEATED: usize = 24;
/// Most lines of which repetitions are counted.
const MAX_COUNTED: usize = 200_000;

/// Most lines with another version that are kept.
const MAX_MOVED: usize = 50;

/// A line with its number in the log, from 0.
type Numbered = (u64, String);

/// Chooses lines while they stream by.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The limit of the excerpt, in characters.
    max_chars: usize,
    /// Number of the next line; lines that are left out without a mark have none.
    next: u64,
    /// The lines of a run that passed.
    green: Option<Arc<GreenLines>>,
    /// Number of lines that the green log has too.
    known: u64,
    /// Lines that the green log has with another version.
    moved: Vec<ToolMove>,
    /// Number of lines about passing tests and of repeated lines.
    skipped: u64,
    /// Number of lines at the end of the tail that may be headings of suites.
    headings: usize,
    /// The test that is running, if the runner names it.
    running: RunningTest,
    /// The number of times that each line outside of failures was read, by its hash.
    times: HashMap<u64, u8>,
    /// `true` if the last line was blank, or nothing was read.
    last_was_blank: bool,
    /// The last lines, at most `max_chars` long.
    tail: VecDeque<Numbered>,
    /// Bytes of the tail, with line ends.
    tail_chars: usize,
    /// `true` if lines before the tail were dropped.
    is_cut: bool,
    /// The window that the next lines may extend.
    open: Option<Window>,
    /// Closed windows, in the order of the log.
    windows: Vec<Window>,
    /// Bytes of the closed windows, with their marks.
    window_chars: usize,
    /// The number of windows with each fingerprint.
    seen: HashMap<u64, u64>,
    /// The lines that are left out if a failure is shown.
    repetition: Repetition,
}

/// Lines around one failure.
#[derive(Debug)]
struct Window {
    /// The strongest claim in the window.
    claim: LineImportance,
    /// With the lines before the failure.
    lines: Vec<Numbered>,
    /// The last line that this window wants.
    until: u64,
    /// The lines of the failure, without those around it: these have times and numbers.
    body: FailureBody,
    /// Bytes of the lines, with line ends.
    chars: usize,
}

impl Excerpt {
    /// Starts an excerpt within the limits.
    pub(super) fn new(limits: ReportLimits) -> Self {
        Self {
            max_chars: limits.excerpt_chars,
            green: limits.green,
            known: 0,
            moved: Vec::new(),
            next: 0,
            skipped: 0,
            headings: 0,
            running: RunningTest::default(),
            times: HashMap::new(),
            last_was_blank: true,
            tail: VecDeque::new(),
            tail_chars: 0,
            is_cut: false,
            open: None,
            windows: Vec::new(),
            window_chars: 0,
            seen: HashMap::new(),
            repetition: Repetition::default(),
        }
    }

    /// Adds the next cleaned line. Outside of failures a repeated line, and a line about a passing test, is only counted,
    /// and consecutive blank lines count once. In a failure every line is content.
    pub(super) fn push_line(&mut self, line: &str, claim: LineImportance) {
        let blank = line.is_empty();
        let number = self.next;
        let in_failure = claim >= LineImportance::Part
            || self.open.as_ref().is_some_and(|window| number <= window.until);
        if blank && self.last_was_blank && !in_failure {
            return;
        }
        self.last_was_blank = blank;
        if claim == LineImportance::Repeated {
            self.skipped += 1;
            return;
        }
        let shown = first_chars(line, MAX_LINE_CHARS);
        if claim < LineImportance::Part {
            let printed = self.running.read_line(line);
            self.drop_printed(printed);
            let green = self.green.as_ref().filter(|green| green.contains(line));
            if let Some(green) = green {
                let moved = green.find_move(line).filter(|_| self.moved.len() < MAX_MOVED);
                self.moved.extend(moved);
                self.known += 1;
                return;
            }
            if !in_failure && self.is_repeated(shown) {
                self.skipped += 1;
                return;
            }
        }
        // A test with the name of an error looks like one.
        if !matches!(claim, LineImportance::Part | LineImportance::Fault) && is_passing(line) {
            self.skipped += 1;
            self.drop_headings(line);
            return;
        }
        let number = self.next;
        self.next += 1;
        self.update_windows(number, shown, claim);
        self.repetition.push_line(number, line, claim);
        self.keep_in_tail(number, shown);
        // The lines of a window stay, whatever test is running.
        if claim >= LineImportance::Part || self.open.is_none() {
            self.running.keep_line(claim >= LineImportance::Part);
        }
        let may_be_heading = claim == LineImportance::None && !blank && self.open.is_none();
        self.headings = if may_be_heading { self.headings + 1 } else { 0 };
    }

    /// Returns `true` for a line that was read just before, or often: progress bars, retries and warnings are printed
    /// again and again.
    fn is_repeated(&mut self, shown: &str) -> bool {
        if self.tail.back().is_some_and(|(_, last)| last == shown) {
            return true;
        }
        if shown.trim().len() < MIN_REPEATED || self.times.len() >= MAX_COUNTED {
            return false;
        }
        let times = self.times.entry(hash_line(shown)).or_default();
        *times = times.saturating_add(1);
        *times > MAX_TIMES
    }

    /// Drops the last lines of the tail, which a passing test printed.
    fn drop_printed(&mut self, count: usize) {
        for _ in 0..count {
            let Some((number, line)) = self.tail.pop_back() else { break };
            self.next = number;
            self.tail_chars -= line.len() + 1;
            self.skipped += 1;
        }
        self.repetition.forget_from(self.next);
        self.headings = self.headings.saturating_sub(count);
    }

    /// Drops the lines directly before a passing test that are headings of its suites. Each
    /// heading is indented less than the line below it.
    fn drop_headings(&mut self, passing: &str) {
        let mut depth = indent_of(passing);
        while self.headings > 0
            && let Some((number, last)) = self.tail.back()
            && (indent_of(last) < depth || is_described(last, passing))
        {
            depth = indent_of(last);
            self.next = *number;
            self.tail_chars -= last.len() + 1;
            self.tail.pop_back();
            self.headings -= 1;
            self.skipped += 1;
        }
        self.repetition.forget_from(self.next);
    }

    /// Returns the line that was kept last, in its shortened form.
    pub(super) fn last_line(&self) -> &str {
        self.tail.back().map_or("", |(_, line)| line)
    }

    /// Opens, extends or closes windows for a line.
    fn update_windows(&mut self, number: u64, line: &str, claim: LineImportance) {
        let full = self.open.as_ref().is_some_and(|window| window.lines.len() >= MAX_WINDOW_LINES);
        let past = self.open.as_ref().is_some_and(|window| number > window.until);
        if past || full || claim >= LineImportance::Vague {
            self.close_window();
        }
        let most = if claim == LineImportance::Vague { MAX_VAGUE_WINDOWS } else { MAX_WINDOWS };
        if claim >= LineImportance::Vague && self.seen.len() < most {
            let taken = self.windows.last().and_then(|w| w.lines.last()).map(|(n, _)| *n);
            let mut lines: Vec<Numbered> =
                self.tail.iter().rev().take(BEFORE).rev().cloned().collect();
            lines.retain(|(n, _)| taken.is_none_or(|taken| *n > taken));
            let chars = lines.iter().map(|(_, line)| line.len() + 1).sum();
            self.open =
                Some(Window { claim, lines, until: 0, body: FailureBody::default(), chars });
        }
        let Some(window) = &mut self.open else { return };
        if claim >= LineImportance::Part {
            window.until = number + AFTER;
            window.body.add_line(line);
        }
        window.chars += line.len() + 1;
        window.lines.push((number, line.to_owned()));
    }

    /// Closes the open window. Over the budget, the latest of the weakest windows are dropped.
    fn close_window(&mut self) {
        let Some(window) = self.open.take() else { return };
        // The same failure in a retry, in a summary or with other parameters is shown once.
        let times = self.seen.entry(window.body.fingerprint()).or_default();
        *times += 1;
        if *times == 1 {
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

    /// Adds a line to the tail, and drops the oldest lines beyond the limit.
    fn keep_in_tail(&mut self, number: u64, line: &str) {
        // The oldest line's memory is used again: a log has millions of lines.
        let mut kept = String::new();
        while self.tail_chars + line.len() + 1 > self.max_chars {
            let Some((_, old)) = self.tail.pop_front() else { break };
            self.tail_chars -= old.len() + 1;
            self.is_cut = true;
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

    /// Returns notes about lines that are left out without a mark at their place.
    fn write_notes(&self) -> String {
        let counts = [
            (self.skipped, "about passing tests, or repeated,"),
            (self.known, "that the green log has, too,"),
        ];
        let note = |(count, which): (u64, &str)| {
            let lines = if count == 1 { "line" } else { "lines" };
            (count > 0).then(|| format!("...[{count} {lines} {which} left out]...\n"))
        };
        counts.into_iter().filter_map(note).collect()
    }

    /// Returns the lines that the green log has with another version.
    pub(super) fn take_moved(&mut self) -> Vec<ToolMove> {
        std::mem::take(&mut self.moved)
    }

    /// Returns the excerpt: the whole log if it fits, else the windows and as much of the tail as
    /// the limit allows, in the order
    /// of the log, with marks for gaps.
    pub(super) fn finish(mut self) -> String {
        self.close_window();
        let mut lines: BTreeMap<u64, String> = BTreeMap::new();
        let notes = self.write_notes();
        let note = notes.chars().count();
        let mut room = self.max_chars.saturating_sub(2 * MARK_CHARS + note);
        let is_whole = !self.is_cut && self.tail_chars + note <= self.max_chars;
        if is_whole {
            room = self.max_chars;
        } else {
            for window in &mut self.windows {
                let times = self.seen.get(&window.body.fingerprint()).copied().unwrap_or_default();
                if let Some((_, last)) = window.lines.last_mut().filter(|_| times > 1) {
                    let _ = write!(last, "\n...[and {} more like it]...", times - 1);
                }
                for (number, line) in window.lines.drain(..) {
                    let cost = line.chars().count() + 1;
                    if cost <= room && lines.insert(number, line).is_none() {
                        room -= cost;
                    }
                }
                room = room.saturating_sub(MARK_CHARS);
            }
        }
        let left_out = self.repetition.finish(|line| is_whole || lines.contains_key(&line));
        for (number, line) in self.tail.into_iter().rev() {
            let cost = line.chars().count() + 1;
            let is_left_out =
                left_out.range(..=number).next_back().is_some_and(|(_, last)| number <= *last);
            if is_left_out || lines.contains_key(&number) {
                continue;
            }
            if cost > room {
                break;
            }
            room -= cost;
            lines.insert(number, line);
        }
        let excerpt = render_lines(&lines, self.next, self.max_chars.saturating_sub(note));
        notes + &excerpt
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
    if missing > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "...[{missing} lines left out]...");
    }
}

/// Returns `true` for the name of a test of unittest that is followed by its description and `ok`.
fn is_described(line: &str, passing: &str) -> bool {
    passing.ends_with(" ... ok") && line.ends_with(')') && line.contains(" (")
}

/// Returns the number of blanks at the start of a line.
fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPEATED: &str = "...[2 lines about passing tests, or repeated, left out]...\nx\nsame\ny";
    const PASSING: &str = "...[4 lines about passing tests, or repeated, left out]...\nrun\nend";

    fn excerpt(max: usize, lines: impl IntoIterator<Item = (String, LineImportance)>) -> String {
        let limits = ReportLimits { excerpt_chars: max, green: None };
        let mut excerpt = Excerpt::new(limits);
        for (line, claim) in lines {
            excerpt.push_line(&line, claim);
        }
        excerpt.finish()
    }

    #[test]
    fn a_log_that_fits_is_shown_whole() {
        let lines = ["a", "", "", "b"].map(|line| (line.to_owned(), LineImportance::None));
        assert_eq!(excerpt(100, lines), "a\n\nb");
    }

    #[test]
    fn failures_and_the_tail_stay_and_the_gaps_are_marked() {
        let lines = (0..10_000).map(|n| {
            (
                format!("line {n}"),
                if n == 5_000 { LineImportance::Fault } else { LineImportance::None },
            )
        });
        let text = excerpt(600, lines);
        assert!(text.len() <= 600, "{}", text.len());
        assert!(text.starts_with("...[4997 lines left out]...\nline 4997\n"), "{text}");
        assert!(text.contains("line 5008\n...["), "{text}");
        assert!(text.ends_with("\nline 9999"), "{text}");
    }

    #[test]
    fn of_a_passing_test_of_go_the_output_is_left_out_and_an_earlier_failure_stays() {
        let failing = [
            ("=== RUN   TestA", LineImportance::Known),
            ("    a_test.go:3: got 1, want 2", LineImportance::Fault),
            ("", LineImportance::Part),
            ("", LineImportance::Part),
            ("--- FAIL: TestA (0.00s)", LineImportance::Part),
        ];
        let failing = failing.map(|(line, claim)| (line.to_owned(), claim)).into_iter();
        let printed = (0..50).map(|n| (format!("listening on port {n}"), LineImportance::None));
        let passing = std::iter::once(("=== RUN   TestB".to_owned(), LineImportance::None));
        let end = std::iter::once(("--- PASS: TestB (0.00s)".to_owned(), LineImportance::None));
        let text = excerpt(900, failing.chain(passing).chain(printed).chain(end));
        assert!(text.contains("got 1, want 2\n\n\n--- FAIL: TestA"), "{text}");
        assert!(text.matches("listening").count() <= 9, "{text}");
    }

    #[test]
    fn repeated_lines_are_counted() {
        let lines =
            ["x", "same", "same", "same", "y"].map(|line| (line.to_owned(), LineImportance::None));
        assert_eq!(excerpt(100, lines), REPEATED);
    }

    #[test]
    fn passing_tests_are_not_shown() {
        let lines = [
            "run", "  ✓ fine 1ms", "test a::b ... ok", "a.py::c PASSED   [ 12%]",
            "PASSED a.py::d[1]", "end",
        ];
        let lines = lines.map(|line| (line.to_owned(), LineImportance::Known));
        assert_eq!(excerpt(100, lines), PASSING);
    }

    #[test]
    fn real_failures_push_vague_ones_out() {
        let lines = (0..10_000).map(|n| match n {
            9_000 => ("real one".to_owned(), LineImportance::Fault),
            _ if n % 20 == 0 => (format!("error: {n}"), LineImportance::Vague),
            _ => (format!("line {n}"), LineImportance::None),
        });
        assert!(excerpt(1_000, lines).contains("real one"));
    }

    #[test]
    fn of_suites_without_a_failure_nothing_is_shown() {
        let suites = (0..200).flat_map(|n| {
            [format!("  suite {n}"), "    when empty".to_owned(), "      ✔ works".to_owned()]
        });
        let lines = ["> mocha".to_owned(), String::new()].into_iter().chain(suites);
        let lines = lines.chain(["  a suite", "    1) fails", "  599 passing"].map(str::to_owned));
        let text = excerpt(200, lines.map(|line| (line, LineImportance::None)));
        let note = "...[600 lines about passing tests, or repeated, left out]...";
        assert_eq!(text, format!("{note}\n> mocha\n\n  a suite\n    1) fails\n  599 passing"));
    }

    #[test]
    fn of_failures_with_the_same_lines_the_first_is_shown_with_their_number() {
        let failure = |n: u32| {
            let filler =
                (0..30).map(move |line| (format!("{n} other {line}"), LineImportance::None));
            let lines = [
                (format!("FAIL case {n}"), LineImportance::Fault),
                ("  TypeError: no".to_owned(), LineImportance::Part),
                ("  at a.js:1".to_owned(), LineImportance::Part),
            ];
            lines.into_iter().chain(filler)
        };
        let text = excerpt(1_000, (0..50).flat_map(failure));
        // The second is at the end of the log.
        assert!(text.matches("TypeError").count() <= 2, "{text}");
        assert!(text.contains("...[and 49 more like it]..."), "{text}");
        assert!(text.len() <= 1_000 && text.ends_with("49 other 29"), "{}", text.len());
    }

    #[test]
    fn a_failure_that_is_printed_again_and_warnings_are_left_out_of_a_short_log() {
        let failure = |name: &str| {
            [
                (format!("FAIL {name}"), LineImportance::Fault),
                (format!("  value of {name}"), LineImportance::Known),
                ("  TypeError: no".to_owned(), LineImportance::Part),
                ("  at a.js:1".to_owned(), LineImportance::Part),
            ]
        };
        let other = [
            ("FAIL c".to_owned(), LineImportance::Fault),
            ("  TypeError: no".to_owned(), LineImportance::Part),
            ("  at a.js:2".to_owned(), LineImportance::Part),
            ("FAILED a".to_owned(), LineImportance::Repeated),
        ];
        let warning = ["warning: w", "  --> a.rs:1", ""];
        let warning = warning.map(|line| (line.to_owned(), LineImportance::Warning));
        let lines = warning.iter().cloned().chain(failure("a")).chain(failure("b")).chain(other);
        assert_eq!(
            excerpt(1_000, lines),
            "...[1 line about passing tests, or repeated, left out]...\n...[3 lines left out]...\nFAIL a\n  value of a\n  \
             TypeError: no\n  at a.js:1\n...[4 lines left out]...\nFAIL c\n  TypeError: no\n  at a.js:2"
        );
        // Without a failure, a warning may be what a command complains about.
        assert_eq!(excerpt(1_000, warning), "warning: w\n  --> a.rs:1");
    }
}
