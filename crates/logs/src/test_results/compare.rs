//! Compares the tests of two runs: which proof the second run gives, and which tests it lost.

use papayu_base::domain::outcome::{ProofLevel, TestCounts};

use super::results::{TestResults, TestStatus};

/// Most tests that a reason names.
const MAX_NAMED: usize = 3;

/// Extensions of files that a runner names instead of their tests when it cannot load them.
const CODE: &[&str] = &[".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".py", ".rb"];

/// The comparison of a run before a change with a run after it that ended with exit code 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The part of the success that is seen.
    pub level: ProofLevel,
    /// Facts that contradict the exit code, one sentence each; empty if there are none.
    pub contradictions: Vec<String>,
}

/// Returns what the second of two runs shows, for the end of a run: "2 failing tests pass, 5319 other tests still pass".
///
/// ```
/// use papayu_logs::test_results::{ResultReader, describe_results};
///
/// let read = |output: &str| {
///     let mut reader = ResultReader::default();
///     reader.push(output.as_bytes());
///     reader.finish()
/// };
/// let red = read("test a ... FAILED\ntest b ... ok\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n");
/// let green = read("test a ... ok\ntest b ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored\n");
/// assert_eq!(describe_results(Some(&red), &green), "1 failing test passes, 1 other test still passes");
/// assert_eq!(describe_results(None, &read("done\n")), "its output names no results");
/// ```
pub fn describe_results(before: Option<&TestResults>, after: &TestResults) -> String {
    let Some(now) = after.totals else {
        return match after.checked {
            Some(1) => "a checker reports no finding".to_owned(),
            Some(files) => format!("checkers report no finding in {files} files"),
            None => "its output names no results".to_owned(),
        };
    };
    let was = before.filter(|before| before.has_run());
    match was {
        Some(before) if before.is_complete() && after.is_complete() => {
            let names = after.tests.iter().filter(|(_, now)| **now == TestStatus::Passed);
            let count_was = |status: TestStatus| {
                let of = names.clone().filter(|(name, _)| before.tests.get(*name) == Some(&status));
                u64::try_from(of.count()).unwrap_or(u64::MAX)
            };
            let (fixed, same) = (count_was(TestStatus::Failed), count_was(TestStatus::Passed));
            let new = now.passed.saturating_sub(fixed + same);
            let parts = [
                describe_part(fixed, ["failing test passes", "failing tests pass"]),
                describe_part(same, ["other test still passes", "other tests still pass"]),
                describe_part(new, ["new test passes", "new tests pass"]),
            ];
            let parts = parts.into_iter().flatten();
            parts.collect::<Vec<_>>().join(", ")
        }
        Some(before) => {
            let was = before.totals.map_or(0, |was| was.failed);
            format!("{} of {} failed before, none fails now", was, tests(now.ran()))
        }
        None => format!("{} ran without a failure, none ran before", tests(now.ran())),
    }
}

/// Returns a number with the words for one or for several; `None` for zero.
fn describe_part(number: u64, words: [&str; 2]) -> Option<String> {
    let [one, several] = words;
    match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{number} {several}")),
    }
}

/// Compares two runs; `before` is `None` if the command did not run before the change.
///
/// The level is [`ProofLevel::Tests`] when the tests of both runs are known by name, or those of the
/// second where the first ran none; [`ProofLevel::Counts`] when only totals are known, or a linter
/// or compiler reports no finding; else [`ProofLevel::ExitCode`].
///
/// # Examples
///
/// ```
/// use papayu_base::domain::outcome::ProofLevel;
/// use papayu_logs::test_results::{ResultReader, compare_results};
///
/// let read = |output: &str| {
///     let mut reader = ResultReader::default();
///     reader.push(output.as_bytes());
///     reader.finish()
/// };
/// let red = read("test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n");
/// let green = read("test a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored\n");
/// assert_eq!(compare_results(Some(&red), &green).level, ProofLevel::Tests);
///
/// let skipped = read("test a ... ignored\ntest result: ok. 0 passed; 0 failed; 1 ignored\n");
/// assert!(!compare_results(Some(&red), &skipped).contradictions.is_empty());
/// ```
pub fn compare_results(before: Option<&TestResults>, after: &TestResults) -> Comparison {
    let Some(now) = after.totals else {
        let lost = before.and_then(|before| before.totals).filter(|was| was.ran() > 0);
        let contradictions = lost
            .map(|was| format!("{} ran before, none is seen now", tests(was.ran())))
            .or_else(|| after.ran_nothing().then(|| "no test ran".to_owned()));
        let was_checked = before.and_then(|before| before.checked);
        let level = if contradictions.is_none()
            && after.checked.is_some()
            && after.checked >= was_checked
        {
            ProofLevel::Counts
        } else {
            ProofLevel::ExitCode
        };
        return Comparison { level, contradictions: contradictions.into_iter().collect() };
    };
    let was = before.and_then(|before| before.totals);
    let mut contradictions = Vec::new();
    let is_named = after.is_complete();
    if let Some(before) = before.filter(|before| before.is_complete())
        && is_named
        && now.ran() > 0
    {
        contradictions.extend(lost_tests(before, after));
    }
    contradictions.extend(count_contradictions(was, now));
    let was_named = before.is_none_or(|before| before.is_complete() || before.totals.is_none());
    let level = if is_named && was_named { ProofLevel::Tests } else { ProofLevel::Counts };
    Comparison { level, contradictions }
}

/// Returns the contradictions between totals.
fn count_contradictions(was: Option<TestCounts>, now: TestCounts) -> Vec<String> {
    let mut found = Vec::new();
    if now.failed > 0 {
        found.push(format!("{} failed although the exit code is 0", tests(now.failed)));
    }
    if now.ran() == 0 {
        found.push("no test ran".to_owned());
    } else if let Some(was) = was.filter(|was| was.ran() > now.ran()) {
        found.push(format!("{} ran, {} before the change", tests(now.ran()), was.ran()));
    }
    found
}

/// Returns sentences about tests that failed before and do not pass now, and about tests that
/// passed before and do not pass now.
fn lost_tests(before: &TestResults, after: &TestResults) -> Vec<String> {
    let passes = |name: &str| after.tests.get(name) == Some(&TestStatus::Passed);
    let errors = before.errors.iter().map(String::as_str).filter(|name| !passes(name));
    let lost = |status, is_lost: &dyn Fn(&str) -> bool| -> Vec<&str> {
        let names = before.tests.iter().filter(|(_, was)| **was == status);
        names.map(|(name, _)| name.as_str()).filter(|name| is_lost(name)).collect()
    };
    // A file that could not be loaded has no name afterwards, and its tests have.
    let mut failed = lost(TestStatus::Failed, &|name| {
        !passes(name) && !is_file(name) && !passes_without_message(name, after)
    });
    failed.extend(errors);
    let passed = lost(TestStatus::Passed, &|name| !passes(name));
    let mut found = Vec::new();
    if !failed.is_empty() {
        found.push(format!("failed before and is not seen passing: {}", list(&failed, after)));
    }
    if !passed.is_empty() {
        found.push(format!("passed before and is not seen passing: {}", list(&passed, after)));
    }
    found
}

/// Returns sentences about tests that passed before and fail, are missing or are skipped now.
/// Missing tests count only if both runs name all their tests.
pub fn lost_passes(before: &TestResults, after: &TestResults) -> Vec<String> {
    let are_known = before.is_complete() && after.is_complete();
    let names = before.tests.iter().filter(|(_, was)| **was == TestStatus::Passed);
    let lost: Vec<&str> = names
        .map(|(name, _)| name.as_str())
        .filter(|name| match after.tests.get(*name) {
            Some(TestStatus::Passed) => false,
            Some(TestStatus::Failed) => true,
            Some(TestStatus::Skipped) | None => are_known,
        })
        .collect();
    if lost.is_empty() {
        return Vec::new();
    }
    vec![format!("passed before and is not seen passing: {}", list(&lost, after))]
}

/// Returns `true` if a name is that of a file that could not be loaded.
fn is_file(name: &str) -> bool {
    name.contains("_FailedTest") || CODE.iter().any(|ending| name.ends_with(ending))
}

/// Returns `true` if the start of a name is a passing test: ava prints the error on the line of
/// the test, so a failed name is longer.
fn passes_without_message(name: &str, after: &TestResults) -> bool {
    let mut starts = name.match_indices(' ').filter_map(|(at, _)| name.get(..at));
    starts.any(|start| after.tests.get(start) == Some(&TestStatus::Passed))
}

/// Returns names for a message, at most three, each with its new state.
fn list(names: &[&str], after: &TestResults) -> String {
    let one = |name: &&str| match after.tests.get(*name) {
        Some(TestStatus::Skipped) => format!("`{name}` (skipped now)"),
        Some(TestStatus::Failed) => format!("`{name}` (fails now)"),
        _ => format!("`{name}`"),
    };
    let text = names.iter().take(MAX_NAMED).map(one).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMED) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// Returns `1 test` or `3 tests`.
fn tests(number: u64) -> String {
    if number == 1 { "1 test".to_owned() } else { format!("{number} tests") }
}
