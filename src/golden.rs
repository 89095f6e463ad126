//! Golden traces: real exchanges kept in the repository, so that a change of schema or of the gates
//! that would refuse them is noticed.

use serde_json::{Value, json};

use papayu_base::domain::code::Stage;
use papayu_base::domain::{ErrorCode, Mode, Version};
use papayu_patch::protocol::schema::compiled_schema;
use papayu_patch::protocol::{PlanReply, Refusal, decode_actions, decode_plan, decode_plan_reply};
use papayu_system::trace::TraceRecord;

/// Returns the golden form of a trace: the exchange of the protocol, nothing of the machine.
pub fn to_golden(record: &TraceRecord) -> Value {
    let refused = record.validated_json.is_none()
        || record.error_code.as_deref().is_some_and(ends_in_validation);
    let mut golden = json!({
        "protocol": {
            "schema_version": record.schema_version,
            "schema_hash": record.schema_hash,
        },
        "request": {
            "mode": record.mode,
            "input_chars": record.input_chars,
            "token_budget": record.token_budget,
            "strict_json": record.strict_json,
            "provider": record.provider,
            "model": record.model,
        },
        "context": {
            "context_stats": record.context_stats,
            "cache_stats": record.cache_stats,
        },
        "result": {
            "validated_json": record.validated_json,
            "validation_outcome": if refused { "err" } else { "ok" },
            "error_code": record.error_code,
        },
    });
    // The validated reply of tool calls is what they were read as, so only the text shows a change of the reader.
    if let (true, Some(text)) = (record.tool_call_repaired, &record.raw_content) {
        golden["result"]["tool_calls"] = text.as_str().into();
    }
    golden
}

/// A reply that validated and then did not fit the files is a valid reply.
fn ends_in_validation(code: &str) -> bool {
    ErrorCode::of_protocol(code)
        .is_none_or(|code| matches!(code.row().stage, Stage::Schema | Stage::Validate))
}

/// Returns the faults of a golden trace, one sentence each; empty when its schema is the present
/// one and a reply that was valid then is valid now.
pub fn check(golden: &Value) -> Vec<String> {
    let mut wrong = missing_parts(golden);
    let (version, mode) = (version(golden, &mut wrong), mode(golden, &mut wrong));
    let (Some(version), Some(mode)) = (version, mode) else { return wrong };
    // A changed schema would make the comparison of replies meaningless.
    let recorded = golden["protocol"]["schema_hash"].as_str().unwrap_or_default();
    let current = compiled_schema(version).schema_hash();
    if recorded != current {
        wrong.push(format!(
            "the schema of {version} has changed: its sha256 is {current}, the trace was made with `{recorded}`"
        ));
    }
    wrong.extend(wrong_result(&golden["result"], version, mode));
    wrong
}

/// A reply is read as it was first read, through the schema and the gates of its mode.
fn validate(version: Version, mode: Mode, reply: &Value) -> Result<(), Refusal> {
    let text = reply.to_string();
    match mode {
        Mode::Plan => decode_plan(version, &text).map(|_| ()),
        Mode::Apply | Mode::Direct => decode_actions(version, &text).map(|_| ()),
    }
}

/// Returns the fault of tool calls that are not read as the reply that they were read as.
fn wrong_tool_calls(result: &Value, version: Version) -> Option<String> {
    let text = result.get("tool_calls")?.as_str().unwrap_or_default();
    let fault = match decode_plan_reply(version, text) {
        Ok((_, repairs)) if !repairs.tool_calls => "they are no tool calls any more".to_owned(),
        Ok((PlanReply::Plan(plan) | PlanReply::Change(_, plan), _)) => {
            if plan.validated == result["validated_json"] {
                return None;
            }
            format!("they are read as {}", plan.validated)
        }
        Err(refusal) => refusal.to_string(),
    };
    Some(format!("`result.tool_calls`: {fault}"))
}

/// Returns the fields of a golden trace that are absent, as dotted names.
fn missing_parts(golden: &Value) -> Vec<String> {
    let parts = [
        ("protocol", &["schema_version", "schema_hash"][..]),
        ("request", &["mode", "input_chars", "token_budget", "strict_json", "provider", "model"]),
        ("context", &["context_stats", "cache_stats"]),
        ("result", &["validated_json", "validation_outcome", "error_code"]),
    ];
    let names =
        parts.iter().flat_map(|(part, fields)| fields.iter().map(move |field| (part, field)));
    names
        .filter(|(part, field)| golden.get(part).and_then(|part| part.get(field)).is_none())
        .map(|(part, field)| format!("`{part}.{field}` is missing"))
        .collect()
}

/// Returns the protocol version of a golden trace, or adds the problem.
fn version(golden: &Value, wrong: &mut Vec<String>) -> Option<Version> {
    let number = &golden["protocol"]["schema_version"];
    let version = number.as_u64().and_then(Version::from_number);
    if version.is_none() {
        wrong.push(format!("`protocol.schema_version` is {number}, expected 1, 2 or 3"));
    }
    version
}

/// Returns the mode of a golden trace, or adds the problem.
fn mode(golden: &Value, wrong: &mut Vec<String>) -> Option<Mode> {
    let text = &golden["request"]["mode"];
    let mode = Mode::ALL.into_iter().find(|mode| text == mode.name());
    if mode.is_none() {
        wrong.push(format!("`request.mode` is {text}, expected \"plan\", \"apply\" or \"direct\""));
    }
    mode
}

/// Returns the problem of a result: its reply must be valid for the version and mode, or its error
/// code one of the protocol.
fn wrong_result(result: &Value, version: Version, mode: Mode) -> Option<String> {
    let reply = &result["validated_json"];
    let code = &result["error_code"];
    let known = code.as_str().and_then(ErrorCode::of_protocol);
    if !code.is_null() && known.is_none() {
        return Some(format!("`result.error_code` is {code}, which is no code of the protocol"));
    }
    match result["validation_outcome"].as_str() {
        Some("ok") if reply.is_null() => {
            Some("`result.validation_outcome` is ok, but there is no `validated_json`".into())
        }
        Some("ok") => validate(version, mode, reply)
            .err()
            .map(|reason| format!("`result.validated_json` is no longer valid: {reason}"))
            .or_else(|| wrong_tool_calls(result, version)),
        Some("err") if known.is_none() => {
            Some("`result.validation_outcome` is err, but there is no `error_code`".into())
        }
        Some("err") => None,
        _ => Some(format!(
            "`result.validation_outcome` is {}, expected \"ok\" or \"err\"",
            result["validation_outcome"]
        )),
    }
}
