//! Lists the failures of a report for a reader: each once, with its place and message.

use std::collections::HashMap;
use std::fmt::Write as _;

use papayu_base::domain::{Failure, FailureKind, FailureReport, Location, normalize_identity};
use papayu_base::text::first_chars;

/// Most failures in the list.
const MAX_LISTED: usize = 15;
/// Most characters of the list.
const MAX_CHARS: usize = 4_000;
/// Most characters of a message, an expected value and an actual value.
const MAX_MESSAGE: usize = 500;
/// Most places of one failing test: the frames further out are in the log.
const MAX_PLACES: usize = 3;
/// Most places of a compiler's or linter's finding, each of which has to be changed.
const MAX_FINDINGS: usize = 40;
/// Most errors of a compiler in one file: later ones mostly follow from the first.
const MAX_CASCADE: usize = 5;
/// Most tests that are named after the first of a group.
const MAX_NAMES: usize = 5;

/// Returns the failures in order, with equal ones in one entry. The text is empty if no failure
/// was recognised.
///
/// ```text
/// 1. tests/test_cart.py::test_total at shop/cart.py:12
///    assert 3 == 4
///    and 2 more like it: test_sum, test_tax
/// ```
pub fn list_failures(report: &FailureReport) -> String {
    let mut groups: Vec<Vec<&Failure>> = Vec::new();
    let mut by_text: HashMap<String, usize> = HashMap::new();
    let mut errors: HashMap<&str, usize> = HashMap::new();
    for failure in report.failures.iter().filter(|failure| failure.kind != FailureKind::Unknown) {
        if let Some(path) = compiled_path(failure) {
            let count = errors.entry(path).or_default();
            *count += 1;
            if *count > MAX_CASCADE {
                continue;
            }
        }
        let at = *by_text.entry(equality_of(failure)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(failure),
            None => groups.push(vec![failure]),
        }
    }
    let mut out = String::new();
    for (at, group) in groups.iter().enumerate() {
        let entry = describe_group(at + 1, group);
        let is_full = out.chars().count() + entry.chars().count() > MAX_CHARS;
        if at == MAX_LISTED || (at > 0 && is_full) {
            let left: usize = groups.iter().skip(at).map(Vec::len).sum();
            let _ = writeln!(out, "and {left} more");
            break;
        }
        out.push_str(&entry);
    }
    let mut more: Vec<(&str, usize)> =
        errors.into_iter().filter(|(_, count)| *count > MAX_CASCADE).collect();
    more.sort_unstable();
    for (path, count) in more.into_iter().take(MAX_LISTED) {
        let _ = writeln!(out, "and {} more errors in {path}", count - MAX_CASCADE);
    }
    out
}

/// Returns the file of a compiler's error.
fn compiled_path(failure: &Failure) -> Option<&str> {
    let first = failure.locations.first().filter(|_| failure.kind == FailureKind::Compile)?;
    Some(&first.path)
}

/// Returns the places of a failure: all of a finding, and the innermost frames of a test.
fn list_places(failure: &Failure) -> String {
    let is_finding = matches!(failure.kind, FailureKind::Compile | FailureKind::Lint);
    let most = if is_finding { MAX_FINDINGS } else { MAX_PLACES };
    let mut out = String::new();
    let mut last = "";
    for place in failure.locations.iter().take(most) {
        let place_text = format_place(place);
        match place.line.filter(|_| place.path == last) {
            // The lines after the first of a file without its path again.
            Some(line) => {
                let _ = write!(out, ", {line}");
            }
            None if out.is_empty() => out.push_str(&place_text),
            None => {
                let _ = write!(out, ", {place_text}");
            }
        }
        last = if is_finding { &place.path } else { "" };
    }
    let more = failure.locations.len().saturating_sub(most);
    if is_finding && more > 0 {
        let _ = write!(out, " and {more} more");
    }
    out
}

/// Returns a text that is equal for failures that differ only in the name of the test.
fn equality_of(failure: &Failure) -> String {
    let [expected, actual] =
        [&failure.expected, &failure.actual].map(|value| value.as_deref().unwrap_or_default());
    // A failure without words is known by its test alone.
    let test = failure.test.as_deref().filter(|_| failure.message.trim().is_empty());
    let test = test.unwrap_or_default();
    let code = failure.code.as_deref().unwrap_or_default();
    let message = normalize_identity(&failure.message);
    // A diagnostic without a test is known by its place.
    let place = failure.locations.first().filter(|_| failure.test.is_none()).map(format_place);
    let place = place.unwrap_or_default();
    [test, code, &message, expected, actual, &place].join("\0")
}

/// Returns the entry of a group: the first failure, and the names of the others.
fn describe_group(number: usize, group: &[&Failure]) -> String {
    let Some((failure, others)) = group.split_first() else { return String::new() };
    let mut out = format!("{number}.");
    for part in [&failure.test, &failure.code].into_iter().flatten() {
        let _ = write!(out, " {part}");
    }
    let places = list_places(failure);
    if !places.is_empty() {
        let _ = write!(out, " at {places}");
    }
    out.push('\n');
    for line in first_chars(failure.message.trim(), MAX_MESSAGE).lines() {
        let _ = writeln!(out, "   {}", line.trim_end());
    }
    for (name, value) in [("expected", &failure.expected), ("actual", &failure.actual)] {
        let value = value.as_deref().filter(|value| !failure.message.contains(*value));
        if let Some(value) = value {
            let _ = writeln!(out, "   {name}: {}", first_chars(value.trim(), MAX_MESSAGE));
        }
    }
    if !others.is_empty() {
        let names: Vec<&str> =
            others.iter().filter_map(|other| other.test.as_deref()).take(MAX_NAMES).collect();
        let colon = if names.is_empty() { "" } else { ": " };
        let more = if names.len() < others.len() && !names.is_empty() { ", …" } else { "" };
        let names = names.join(", ");
        let _ = writeln!(out, "   and {} more like it{colon}{names}{more}", others.len());
    }
    out
}

/// Returns `PATH:LINE`, or `PATH` without a known line.
fn format_place(place: &Location) -> String {
    place.line.map_or_else(|| place.path.clone(), |line| format!("{}:{line}", place.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(test: &str, message: &str) -> Failure {
        Failure {
            kind: FailureKind::Test,
            test: Some(test.to_owned()),
            message: message.to_owned(),
            locations: vec![Location { path: "a.py".into(), line: Some(3), column: None }],
            ..Failure::default()
        }
    }

    #[test]
    fn equal_failures_are_one_and_each_has_place_and_message() {
        let mut second = failure("test_b", "ValueError: no");
        second.actual = Some("2".to_owned());
        let unknown = Failure { message: "error".into(), ..Failure::default() };
        let failures = vec![
            failure("test_a[1]", "assert 1 == 2"),
            failure("test_a[2]", "assert 1 == 2"),
            second,
            unknown,
        ];
        let report = FailureReport { failures, ..FailureReport::default() };
        assert_eq!(
            list_failures(&report),
            "1. test_a[1] at a.py:3\n   assert 1 == 2\n   and 1 more like it: test_a[2]\n\
             2. test_b at a.py:3\n   ValueError: no\n   actual: 2\n"
        );
    }

    #[test]
    fn all_places_of_a_finding_are_listed_and_five_errors_of_a_file() {
        let place =
            |path: &str, line| Location { path: path.into(), line: Some(line), column: None };
        let mut lint = failure("", "unused import");
        (lint.kind, lint.test) = (FailureKind::Lint, None);
        lint.locations = (1..=6).map(|line| place("b.py", line)).collect();
        lint.locations.push(place("c.py", 9));
        let error = |n: u32| {
            let mut error = failure("", &format!("cannot find {}", "x".repeat(n as usize)));
            (error.kind, error.test) = (FailureKind::Compile, None);
            error.locations = vec![place("a.rs", n)];
            error
        };
        let failures = (1..=9).map(error).chain([lint]).collect();
        let text = list_failures(&FailureReport { failures, ..FailureReport::default() });
        assert!(text.contains("6. at b.py:1, 2, 3, 4, 5, 6, c.py:9\n"), "{text}");
        assert!(text.contains("5. at a.rs:5\n") && !text.contains("a.rs:6"), "{text}");
        assert!(text.ends_with("and 4 more errors in a.rs\n"), "{text}");
    }

    #[test]
    fn a_long_list_ends_with_the_number_of_the_rest() {
        let one = |n: u32| failure(&format!("t{n}"), &format!("word {}", "x".repeat(n as usize)));
        let report =
            FailureReport { failures: (0..100).map(one).collect(), ..FailureReport::default() };
        let text = list_failures(&report);
        assert!(text.ends_with("and 85 more\n") && text.chars().count() < 4_100, "{text}");
        assert_eq!(list_failures(&FailureReport::default()), "");
    }
}
