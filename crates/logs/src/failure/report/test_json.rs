//! Reads the JSON of jest, vitest and mocha.

use serde_json::Value;

use super::{items_at, text_at};
use crate::failure::draft::FailureDraft;
use crate::failure::expected_actual::MAX_VALUE_CHARS;
use crate::failure::quoted;
use crate::failure::toolchain::parse_stack_frame;
use papayu_base::domain::{Failure, FailureKind, Location};
use papayu_base::text::{clean_line, first_chars};

/// Returns the failures of a report of one of these runners; `None` for other JSON.
pub(super) fn read_tests(report: &Value) -> Option<Vec<Failure>> {
    if let Some(files) = report.get("testResults").and_then(Value::as_array) {
        return Some(files.iter().flat_map(read_jest_file).collect());
    }
    // Other reports have `failures` too, but not the list of passed tests.
    report.get("passes")?;
    let failures = report.get("failures")?.as_array()?;
    Some(failures.iter().map(read_mocha).collect())
}

/// Reads a line of Mocha's stream: `["fail", {"fullTitle": …, "err": text, "stack": …}]`; `None` for another line.
pub(super) fn read_streamed(line: &str) -> Option<Failure> {
    let (event, test): (String, Value) = serde_json::from_str(line).ok()?;
    (event == "fail").then_some(())?;
    let name = text_at(&test, "/fullTitle")?;
    let (message, stack) = (text_at(&test, "/err")?, text_at(&test, "/stack").unwrap_or_default());
    let file = text_at(&test, "/file").unwrap_or_default();
    Some(read_error(FailureDraft::test("node", name), message, stack, file))
}

/// Adds the message and the stack of an error: node puts the message at the start of the stack, other engines do not.
fn read_error(draft: FailureDraft, message: &str, stack: &str, file: &str) -> Failure {
    let text = if stack.contains(message) { stack } else { &format!("{message}\n{stack}") };
    read_text(draft, text, file)
}

/// Reads `{"fullTitle": …, "file": …, "err": {"message": …, "stack": …}}`.
fn read_mocha(test: &Value) -> Failure {
    let draft = FailureDraft::test("node", text_at(test, "/fullTitle").unwrap_or_default());
    let message = text_at(test, "/err/message").unwrap_or_default();
    let stack = text_at(test, "/err/stack").unwrap_or_default();
    let file = text_at(test, "/file").unwrap_or_default();
    let mut failure = read_error(draft, message, stack, file);
    let value = |pointer| test.pointer(pointer).and_then(shown_value);
    if let (Some(expected), Some(actual)) = (value("/err/expected"), value("/err/actual")) {
        (failure.expected, failure.actual) = (Some(expected), Some(actual));
    }
    failure
}

/// Returns a value as text, within the limit.
fn shown_value(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        // JSON has no form for some values, such as a regular expression.
        Value::Object(fields) if fields.is_empty() => return None,
        other => other.to_string(),
    };
    Some(first_chars(&text, MAX_VALUE_CHARS).to_owned())
}

/// Returns the failed tests of one file, or the error that kept it from running.
fn read_jest_file(file: &Value) -> Vec<Failure> {
    let name = text_at(file, "/name").unwrap_or_default();
    let is_failed = |test: &&Value| text_at(test, "/status") == Some("failed");
    let failed: Vec<_> = items_at(file, "/assertionResults").iter().filter(is_failed).collect();
    if failed.is_empty() && is_failed(&file) {
        let draft = FailureDraft::new("node", FailureKind::Crash, "");
        return vec![read_text(draft, text_at(file, "/message").unwrap_or_default(), name)];
    }
    failed.into_iter().map(|test| read_jest_test(test, name)).collect()
}

/// Reads one item of `assertionResults`.
fn read_jest_test(test: &Value, file: &str) -> Failure {
    let ancestors = items_at(test, "/ancestorTitles").iter().filter_map(Value::as_str);
    let titles = ancestors.chain(text_at(test, "/title")).filter(|title| !title.is_empty());
    let titles: Vec<&str> = titles.collect();
    let draft = FailureDraft::test("node", &format!("{file} > {}", titles.join(" > ")));
    read_text(draft, text_at(test, "/failureMessages/0").unwrap_or_default(), file)
}

/// Adds a message and the stack under it, and finishes the failure.
fn read_text(mut draft: FailureDraft, text: &str, file: &str) -> Failure {
    let mut in_frames = false;
    for line in text.lines() {
        let line = clean_line(line);
        if let Some(frame) = parse_stack_frame(line.trim()) {
            in_frames = true;
            draft.add_locations(frame.location());
        } else if let Some(source) = quoted::strip_gutter(&line) {
            draft.add_source(source);
        } else if !in_frames {
            draft.add_line(&line);
        }
    }
    if draft.failure.locations.is_empty() {
        draft.add_location(Location::file(file));
    }
    if draft.failure.message.contains("Cannot find module") {
        draft.failure.kind = FailureKind::Import;
    }
    draft.finish()
}
