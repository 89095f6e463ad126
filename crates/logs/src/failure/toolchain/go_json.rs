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
    Some(event.output.filter(|_| is_output).unwrap_or_default())
}
