//! Recognises what runners print about tests that pass: their lines, their progress, and their own output.

/// Beginnings of lines about passing tests, as the runners print them.
const BEGINNINGS_OF_PASSING: &[&str] =
    &["✓ ", "✔ ", "√ ", "=== RUN ", "=== PAUSE ", "=== CONT ", "--- PASS: ", "PASS ["];

/// Results of tests that pytest prints before its percentage, and that are no failure.
const RESULTS_OF_PASSING: [&str; 3] = [" PASSED ", " SKIPPED ", " XFAIL "];

/// Signs at the beginning of a line in the tree of JUnit's console.
const BRANCHES: [&str; 5] = ["├", "│", "└", "+--", "'--"];

/// Fewest dots of a line of progress without a percentage: three are a sign for code that is left out.
const MIN_DOTS: usize = 5;

/// Returns `true` for a line about the start or success of a test, of which a run has thousands.
// The forms of Jest, Vitest, Go, nextest, cargo, unittest, pytest and JUnit's console.
pub(crate) fn is_passing(line: &str) -> bool {
    let text = line.trim_start();
    let first = text.bytes().next().unwrap_or_default();
    // Few lines begin like one of them.
    let may_begin = !first.is_ascii() || matches!(first, b'=' | b'-' | b'P');
    may_begin && BEGINNINGS_OF_PASSING.iter().any(|beginning| text.starts_with(beginning))
        || line.ends_with(" ... ok")
        || line.ends_with(" PASSED")
        || (text.starts_with("PASSED ") && text.contains("::"))
        || (line.ends_with("%]") && RESULTS_OF_PASSING.iter().any(|result| line.contains(result)))
        || ([" ✔", " [OK]"].iter().any(|end| line.ends_with(end))
            && BRANCHES.iter().any(|branch| text.starts_with(branch)))
        || is_progress(text)
}

/// Returns `true` for dots of progress without a failure: `.....`, `tests/test_a.py ..s. [ 12%]`.
fn is_progress(text: &str) -> bool {
    // Most lines end here, before they are cut into words.
    if !text.ends_with(['.', '·', '․', 's', ']']) {
        return false;
    }
    let has_percent = text.ends_with("%]");
    let text =
        text.strip_suffix("%]").and_then(|text| text.rsplit_once('[')).map_or(text, |it| it.0);
    let mut words = text.split_whitespace().rev();
    let Some(dots) = words.next() else { return false };
    let is_dots =
        dots.contains(['.', '·', '․']) && dots.chars().all(|c| matches!(c, '.' | '·' | '․' | 's'));
    let long = dots.chars().count() >= MIN_DOTS;
    match (words.next(), words.next()) {
        (None, _) => is_dots && (long || has_percent),
        // pytest names the file before the dots.
        (Some(file), None) => is_dots && has_percent && file.contains('.'),
        _ => false,
    }
}

/// The test of `go test -v` that is running, with the lines that it printed.
#[derive(Debug, Default)]
pub(super) struct RunningTest {
    /// Empty if no test is running, or if something failed since it began.
    name: String,
    /// The lines since it began that were kept.
    lines: usize,
}

impl RunningTest {
    /// Reads the next line. Returns the number of lines directly before it that a passing test printed.
    pub(super) fn read_line(&mut self, line: &str) -> usize {
        if let Some(name) = line.strip_prefix("=== RUN ") {
            // A subtest belongs to the test that runs it.
            let name = name.trim();
            if !name.contains('/') || self.name.is_empty() {
                *self = Self { name: name.to_owned(), lines: 0 };
            }
            return 0;
        }
        let ended = line.strip_prefix("--- PASS: ").or_else(|| line.strip_prefix("--- SKIP: "));
        let Some(ended) = ended.and_then(|rest| rest.split_whitespace().next()) else { return 0 };
        let lines = if ended == self.name { self.lines } else { 0 };
        *self = Self::default();
        lines
    }

    /// Counts a line that was kept. A line of a failure ends the count, because the output of its test stays.
    pub(super) fn keep_line(&mut self, is_of_failure: bool) {
        if is_of_failure {
            *self = Self::default();
        } else {
            self.lines += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_ticks_are_passing_and_failures_and_prose_are_not() {
        for line in [
            "......",
            "tests/test_a.py ..s. [ 12%]",
            "............... [ 24%]",
            ".. [100%]",
            "│  ├─ totals() ✔",
            "'-- JUnit Jupiter [OK]",
            "test a ... ok",
            "--- PASS: TestA (0.00s)",
            "a.py::b[x y] SKIPPED (no t...) [ 75%]",
            "a.py::b XFAIL [  1%]",
        ] {
            assert!(is_passing(line), "{line}");
        }
        for line in [
            "tests/test_a.py ..F. [ 12%]",
            "...and so on",
            "│  ├─ totals() ✘ expected 3",
            "..",
            "ok",
            "see a.py ...",
            "it is done ✔",
            "F.",
            "E   assert 1",
        ] {
            assert!(!is_passing(line), "{line}");
        }
    }

    #[test]
    fn the_lines_of_a_passing_test_are_counted_and_those_of_a_failing_one_are_not() {
        let mut running = RunningTest::default();
        for (line, printed) in [
            ("=== RUN   TestA", 0),
            ("=== RUN   TestA/sub", 0),
            ("--- PASS: TestA (0.00s)", 2),
            ("    --- PASS: TestA/sub (0.00s)", 0),
            ("=== RUN   TestB", 0),
            ("--- FAIL: TestB (0.00s)", 0),
            ("--- PASS: TestC (0.00s)", 0),
        ] {
            assert_eq!(running.read_line(line), printed, "{line}");
            if line.contains("RUN") {
                running.keep_line(false);
            }
        }
        running.read_line("=== RUN   TestD");
        running.keep_line(false);
        running.keep_line(true);
        assert_eq!(running.read_line("--- PASS: TestD (0.00s)"), 0);
    }
}
