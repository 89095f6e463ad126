//! Extracts the output from `go test -json`, one event per line.
//!
//! ```text
//! {"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"x","Output":"--- FAIL: TestAdd\n"}
//! ```

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoEvent {
    action: String,
    test: Option<String>,
    output: Option<String>,
}

/// Returns the output in an event, which is empty for most events; `None` for other lines.
pub(in crate::failure) fn read_output(line: &str) -> Option<String> {
    if !["{\"Time\":", "{\"ImportPath\":", "{\"Action\":"]
        .iter()
        .any(|start| line.starts_with(start))
    {
        return None;
    }
    let event: GoEvent = serde_json::from_str(line).ok()?;
    // Some versions do not print the start of a test.
    if event.action == "run"
        && let Some(test) = event.test
    {
        return Some(format!("=== RUN   {test}"));
    }
    let is_output = matches!(event.action.as_str(), "output" | "build-output");
    let output = event.output.filter(|_| is_output).unwrap_or_default();
    // Before version 1.14 the name of the test precedes its messages.
    let head = event.test.map(|test| format!("{test}: ")).unwrap_or_default();
    let trimmed = output.trim_start();
    match trimmed.strip_prefix(&head).filter(|rest| !head.is_empty() && rest.contains(".go:")) {
        Some(rest) => {
            let indent = output.len() - trimmed.len();
            Some(format!("{}{rest}", " ".repeat(indent)))
        }
        None => Some(output),
    }
}
