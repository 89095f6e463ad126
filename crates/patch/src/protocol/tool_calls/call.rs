//! A tool call, and the JSON objects that express one.

use serde_json::{Map, Value};

use super::names::canonical_tool_name;
use crate::protocol::extract::parse_span;
use crate::protocol::scan;

/// A call as the model wrote it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenCall {
    /// The name of the tool.
    pub(super) name: String,
    /// Its arguments.
    pub(super) arguments: Map<String, Value>,
}

/// The calls of a reply, and its prose.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolCalls {
    /// The calls, in order.
    pub(super) list: Vec<WrittenCall>,
    /// The text outside of the calls.
    pub(super) prose: String,
}

/// The names of the field with the arguments.
const ARGUMENTS: &[&str] =
    &["arguments", "parameters", "args", "params", "input", "tool_input", "action_input"];
/// The names of the field with the name of the tool.
const NAMES: &[&str] = &["name", "tool", "tool_name", "function_name", "function", "action"];
/// Fields that contain calls.
const WRAPPERS: &[&str] = &["tool_calls", "function_call", "tool_call", "tool_use"];
/// Fields of a message next to its calls.
const MESSAGE: &[&str] = &["role", "content", "summary", "finish_reason", "refusal", "thinking"];
/// Fields besides name and arguments that have no meaning here.
const IGNORED: &[&str] = &["id", "type", "index", "call_id", "tool_call_id"];

/// Returns the calls of a JSON value. With `is_marked` the text around the value marks it as a call, and any name is
/// accepted; otherwise an object must name a known tool. `None` if the value is no call.
pub(super) fn calls_of_value(
    value: &Value,
    is_marked: bool,
) -> Option<Result<Vec<WrittenCall>, String>> {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let mut calls = Vec::new();
            for item in items {
                match calls_of_value(item, is_marked)? {
                    Ok(found) => calls.extend(found),
                    Err(fault) => return Some(Err(fault)),
                }
            }
            Some(Ok(calls))
        }
        Value::Object(object) => {
            for wrapper in WRAPPERS {
                if let Some(inner @ (Value::Array(_) | Value::Object(_))) = object.get(*wrapper) {
                    return Some(check_message(object, wrapper)).and_then(
                        |checked| match checked {
                            Ok(()) => calls_of_value(inner, true),
                            Err(fault) => Some(Err(fault)),
                        },
                    );
                }
            }
            if let Some(inner @ Value::Object(_)) = object.get("function") {
                return calls_of_value(inner, true);
            }
            call_of_object(object, is_marked).map(|call| call.map(|call| vec![call]))
        }
        _ => None,
    }
}

/// Checks that a message with calls has nothing that would be lost.
fn check_message(message: &Map<String, Value>, wrapper: &str) -> Result<(), String> {
    let is_known =
        |field: &str| field == wrapper || IGNORED.contains(&field) || MESSAGE.contains(&field);
    // Empty fields of the protocol mean nothing.
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    match message.iter().find(|(field, value)| !is_known(field) && !is_empty(value)) {
        Some((field, _)) => Err(format!("the field `{field}` is next to `{wrapper}`")),
        None => Ok(()),
    }
}

fn call_of_object(
    object: &Map<String, Value>,
    is_marked: bool,
) -> Option<Result<WrittenCall, String>> {
    let (name_field, name) =
        NAMES.iter().find_map(|field| Some((*field, object.get(*field)?.as_str()?)))?;
    let known = canonical_tool_name(name).is_some();
    if !is_marked && !known {
        return None;
    }
    let given = ARGUMENTS.iter().find_map(|field| Some((*field, object.get(*field)?)));
    let rest = || {
        let is_rest = |field: &&String| {
            field.as_str() != name_field
                && Some(field.as_str()) != given.map(|(field, _)| field)
                && !IGNORED.contains(&field.as_str())
        };
        object.iter().filter(move |(field, _)| is_rest(field))
    };
    let Some((_, given)) = given else {
        // `{"tool": "get_lines", "path": "a.py"}` has its arguments next to the name.
        let flat: Map<String, Value> =
            rest().map(|(field, value)| (field.clone(), value.clone())).collect();
        let is_flat = name_field != "name" || flat.is_empty();
        return (is_flat || is_marked)
            .then(|| Ok(WrittenCall { name: name.to_owned(), arguments: flat }));
    };
    if let Some((field, _)) = rest().next() {
        let fault = format!("the call of `{name}` has the unknown field `{field}`");
        return is_marked.then_some(Err(fault));
    }
    Some(
        arguments_of(name, given).map(|arguments| WrittenCall { name: name.to_owned(), arguments }),
    )
}

/// Returns the arguments, which may be an object or the text of one.
fn arguments_of(name: &str, given: &Value) -> Result<Map<String, Value>, String> {
    match given {
        Value::Null => Ok(Map::new()),
        Value::Object(arguments) => Ok(arguments.clone()),
        Value::String(text) if text.trim().is_empty() => Ok(Map::new()),
        Value::String(text) => {
            let (value, rest) = read_json(text.trim())?;
            match value {
                Value::Object(arguments) if rest.trim().is_empty() => Ok(arguments),
                _ => Err(format!("the arguments of `{name}` are no object")),
            }
        }
        _ => Err(format!("the arguments of `{name}` are no object")),
    }
}

/// Reads the JSON value at the start of a text, and returns it with the text after it.
///
/// # Errors
///
/// A text for the model: the value is cut off or damaged.
pub(super) fn read_json(text: &str) -> Result<(Value, &str), String> {
    if !text.starts_with(['{', '[']) {
        return Err("a tool call has no JSON object".to_owned());
    }
    let span = scan::scan_value(text, 0).map_err(|flaw| flaw.to_string())?;
    let found = parse_span(text, span)?;
    Ok((found.value, text.get(span.end..).unwrap_or_default()))
}
