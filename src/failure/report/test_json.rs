//! Reads the JSON of jest, vitest and mocha.

use serde::Deserialize;

use crate::domain::{Failure, FailureKind, Location};
use crate::failure::compared::MAX_VALUE_CHARS;
use crate::failure::draft::{Draft, cut};
use crate::failure::quoted;
use crate::failure::toolchain::{Frame, stack_frame};
use crate::text::clean_line;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Jest {
    test_results: Vec<JestFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JestFile {
    name: String,
    #[serde(default)]
    message: String,
    status: String,
    #[serde(default)]
    assertion_results: Vec<JestTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JestTest {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    failure_messages: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Mocha {
    failures: Vec<MochaTest>,
    /// Only to tell it from other reports.
    #[serde(rename = "passes")]
    _passes: serde::de::IgnoredAny,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MochaTest {
    full_title: String,
    #[serde(default)]
    file: String,
    err: MochaError,
}

#[derive(Deserialize)]
struct MochaError {
    #[serde(default)]
    message: String,
    #[serde(default)]
    stack: String,
    expected: Option<serde_json::Value>,
    actual: Option<serde_json::Value>,
}

/// Returns the failures of a report of any of these; `None` for other JSON.
pub(super) fn read(text: &str) -> Option<Vec<Failure>> {
    if let Ok(report) = serde_json::from_str::<Jest>(text) {
        return Some(report.test_results.iter().flat_map(jest).collect());
    }
    let report = serde_json::from_str::<Mocha>(text).ok()?;
    Some(report.failures.into_iter().map(mocha).collect())
}

fn mocha(test: MochaTest) -> Failure {
    let draft = Draft::new("node", FailureKind::Test, "").of_test(&test.full_title);
    let MochaError { message, stack, expected, actual } = test.err;
    let words = if stack.contains(&message) { stack } else { format!("{message}\n{stack}") };
    let mut failure = told(draft, &words, &test.file);
    let shown = |value: Option<serde_json::Value>| match value? {
        serde_json::Value::String(text) => Some(text),
        // What JSON cannot hold, as a regular expression.
        serde_json::Value::Object(fields) if fields.is_empty() => None,
        other => Some(other.to_string()),
    };
    let bounded = |text: String| cut(&text, MAX_VALUE_CHARS).to_owned();
    if let (Some(expected), Some(actual)) = (shown(expected), shown(actual)) {
        failure.expected = Some(bounded(expected));
        failure.actual = Some(bounded(actual));
    }
    failure
}

fn jest(file: &JestFile) -> Vec<Failure> {
    let failed: Vec<_> =
        file.assertion_results.iter().filter(|test| test.status == "failed").collect();
    if failed.is_empty() && file.status == "failed" {
        return vec![told(Draft::new("node", FailureKind::Crash, ""), &file.message, &file.name)];
    }
    let told_of = |test: &JestTest| {
        let titles = test.ancestor_titles.iter().chain([&test.title]);
        let titles: Vec<&str> =
            titles.map(String::as_str).filter(|title| !title.is_empty()).collect();
        let name = format!("{} > {}", file.name, titles.join(" > "));
        let draft = Draft::new("node", FailureKind::Test, "").of_test(&name);
        let words = test.failure_messages.iter().flatten().next().map_or("", String::as_str);
        told(draft, words, &file.name)
    };
    failed.into_iter().map(told_of).collect()
}

/// Reads a message and the stack under it.
fn told(mut draft: Draft, words: &str, file: &str) -> Failure {
    let mut in_frames = false;
    for line in words.lines() {
        let line = clean_line(line);
        if let Some(frame) = stack_frame(line.trim()) {
            in_frames = true;
            if let Frame::At(at) = frame {
                draft.place(at);
            }
        } else if let Some(source) = quoted::source_line(&line) {
            draft.quote(source);
        } else if !in_frames {
            draft.say(&line);
        }
    }
    if draft.failure.locations.is_empty() {
        draft.place(Location { path: file.to_owned(), line: None, column: None });
    }
    if draft.failure.message.contains("Cannot find module") {
        draft.failure.kind = FailureKind::Import;
    }
    draft.done()
}
