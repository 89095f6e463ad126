//! Takes the text out of `go test -json`, a line each.

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
