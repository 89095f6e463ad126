//! Traces as text: a line for each in a list, and the exchange of one of them in words.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::runs_text::{describe_activity, describe_check};
use super::wording::format_duration;
use papayu_base::domain::{EventName, Judgement};
use papayu_system::trace::TraceRecord;

/// Columns of the names of rows.
const NAME_WIDTH: usize = 11;

/// The digest of the file in an action, which only the program compares.
const DIGEST: &str = "base_sha256";

/// Returns the line of a trace in a list: its time and id, the step and its result, who was asked for it and how.
pub(super) fn list_trace(record: &TraceRecord) -> String {
    let result = if has_result(record) { "ok" } else { "failed" };
    let error = record.error_code.as_deref().unwrap_or("-");
    let asked = record.protocol_attempts.join(",");
    let (mode, by) = (record.mode.name(), describe_model(record));
    let TraceRecord { timestamp, trace_id, .. } = record;
    format!("{timestamp}  {trace_id}  {mode:6}  {result:6}  {by}  {asked}  {error}")
}

/// Returns `true` if the exchange ended in a usable reply.
fn has_result(record: &TraceRecord) -> bool {
    record.event.ends_with("_OK")
}

/// Returns `true` for a step without a model.
fn is_of_tools(record: &TraceRecord) -> bool {
    let events = [EventName::QuickfixOk, EventName::QuickfixFailed];
    events.iter().any(|event| event.as_str() == record.event)
}

fn describe_model(record: &TraceRecord) -> String {
    match record.model.as_str() {
        _ if is_of_tools(record) => "no model".to_owned(),
        "" => record.provider.clone(),
        model => format!("{model} ({})", record.provider),
    }
}

/// Returns the exchange in words: who was asked for what, what went wrong, the reply, and the runs of the command. Settings,
/// digests and statistics are left out.
pub(super) fn show_trace(record: &TraceRecord) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        for (index, line) in value.trim_end().lines().enumerate() {
            let name = if index == 0 { name } else { "" };
            let _ = writeln!(text, "{}", format!("{name:NAME_WIDTH$}{line}").trim_end());
        }
    };
    let result = match (is_of_tools(record), has_result(record)) {
        (true, true) => "a change that passed the checks, or nothing to propose",
        (true, false) => "a change that was refused",
        (false, true) => "a usable reply",
        (false, false) => "no usable reply",
    };
    row("result", &format!("{}: {result}", record.mode.name()));
    row("trace", record.trace_id.as_str());
    row("run", record.run_id.as_str());
    row("time", &record.timestamp);
    row("model", &describe_model(record));
    row("protocol", &describe_protocol(record));
    row("repair", &describe_repair(record));
    let code = record.error_code.iter().chain(&record.error);
    row("error", &code.map(String::as_str).collect::<Vec<_>>().join(": "));
    row("context", &describe_context(record));
    for assumed in &record.assumed {
        row("assumed", assumed);
    }
    if let Some(query) = &record.online_query {
        row("searched", query);
    }
    if let Some(reply) = &record.validated_json {
        row("reply", &describe_value(reply));
    }
    row("raw reply", record.raw_content.as_deref().unwrap_or_default());
    row("activity", &describe_activity(record.activity));
    let verify = record.verify.as_ref();
    row(
        "before",
        &verify.and_then(|it| it.before.as_ref()).map(describe_check).unwrap_or_default(),
    );
    row("after", &verify.and_then(|it| it.after.as_ref()).map(describe_check).unwrap_or_default());
    row("judge", &record.judge.as_ref().map(Judgement::sentence).unwrap_or_default());
    row("tokens", &record.token_usage.total().to_string());
    let total = record.timings_ms.get("total");
    row("time used", &total.map(|ms| format_duration(*ms)).unwrap_or_default());
    row("more", "`--format json` has all fields, the settings among them");
    text
}

/// Returns the protocols that were asked in order, with the reason for the older one.
fn describe_protocol(record: &TraceRecord) -> String {
    let asked = record.protocol_attempts.join(", then ");
    match (&record.protocol_fallback_reason, &record.protocol_fallback_stage) {
        (Some(code), Some(stage)) => format!("{asked}, because of {code} ({stage})"),
        (Some(code), None) => format!("{asked}, because of {code}"),
        _ => asked,
    }
}

/// Returns the reason of the request for a repair, and the files that it had the digests of; empty if there was none.
fn describe_repair(record: &TraceRecord) -> String {
    if record.protocol_repair_attempt == 0 {
        return String::new();
    }
    let reason = record.protocol_repair_reason.as_deref().unwrap_or("asked once");
    match record.repair_injected_paths.as_slice() {
        [] => reason.to_owned(),
        paths => format!("{reason}, with the digests of {}", paths.join(", ")),
    }
}

/// Returns the number of files that were shown and left out, and the size of the request.
fn describe_context(record: &TraceRecord) -> String {
    let count = |name: &str| record.context_stats.get(name).and_then(Value::as_u64);
    let files = count("context_files_count").map(|count| format!("{count} files shown, "));
    let dropped = count("context_files_dropped_count").filter(|count| *count > 0);
    let dropped = dropped.map(|count| format!("{count} left out, ")).unwrap_or_default();
    let sent = format!("{} characters sent", record.input_chars);
    if record.input_chars == 0 {
        String::new()
    } else {
        files.unwrap_or_default() + &dropped + &sent
    }
}

/// Returns a value with a line for each field, deeper ones indented, and texts as they are.
fn describe_value(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let is_read = |name: &str, value: &Value| {
                let is_empty = value.as_array().is_some_and(Vec::is_empty)
                    || value.as_object().is_some_and(Map::is_empty);
                !is_empty && !value.is_null() && name != DIGEST
            };
            let read = fields.iter().filter(|(name, value)| is_read(name, value));
            let lines = read.map(|(name, value)| describe_field(&format!("{name}:"), value));
            lines.collect()
        }
        Value::Array(items) => items.iter().map(describe_item).collect(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns a field: a short value on the line of its name, a longer one below it.
fn describe_field(name: &str, value: &Value) -> String {
    let text = describe_value(value);
    let is_short = !matches!(value, Value::Object(_) | Value::Array(_)) && !text.contains('\n');
    if is_short {
        return format!("{name} {text}\n");
    }
    let lines = text.lines().map(|line| format!("  {line}\n"));
    format!("{name}\n{}", lines.collect::<String>())
}

/// Returns an item of a list, its first line after a dash.
fn describe_item(item: &Value) -> String {
    let text = describe_value(item);
    let marked = text.lines().enumerate();
    let marked = marked.map(|(at, line)| format!("{} {line}\n", if at == 0 { "-" } else { " " }));
    marked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reply_is_shown_as_it_is_read() {
        let reply = json!({
            "actions": [
                { "kind": "PATCH_FILE", "path": "a.py", "base_sha256": "ab", "patch": "@@\n-1\n+2\n" },
                { "kind": "DELETE_FILE", "path": "b.py" },
            ],
            "context_requests": [],
            "summary": "one\ntwo",
            "memory_patch": {},
        });
        let shown = "actions:\n  - kind: PATCH_FILE\n    path: a.py\n    patch:\n      @@\n      -1\n      +2\n  - kind: DELETE_FILE\n    path: b.py\nsummary:\n  one\n  two\n";
        assert_eq!(describe_value(&reply), shown);
    }
}
