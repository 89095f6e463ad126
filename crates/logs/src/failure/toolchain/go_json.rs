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
    let is_output = matches!(event.action.as_str(), "output" | "build-output");
    let output = event.output.filter(|_| is_output).unwrap_or_default();
    // Before version 1.14 the name of the test precedes its messages, and nothing else shows that it runs.
    let Some(test) = event.test else { return Some(output) };
    let trimmed = output.trim_start();
    let message = trimmed.strip_prefix(&format!("{test}: ")).filter(|rest| rest.contains(".go:"));
    Some(match message {
        Some(message) => {
            let indent = output.len() - trimmed.len();
            format!("=== NAME  {test}\n{}{message}", " ".repeat(indent))
        }
        None => output,
    })
}
