//! The reply of the protocol that tool calls express.

use serde_json::{Map, Value, json};

use super::arguments::CallArguments;
use super::call::{ToolCalls, WrittenCall};
use super::names::canonical_tool_name;
use papayu_base::domain::{ContextRequest, Version};

/// Names of the parameter that is a path.
const PATH: &[&str] = &[
    "path", "file_path", "filepath", "file", "filename", "file_name", "target_file", "dir",
    "directory", "folder",
];
/// Names of the parameter with the first line.
const START: &[&str] =
    &["start", "start_line", "line_start", "from_line", "from", "startLine", "begin", "first_line"];
/// Names of the parameter with the last line.
const END: &[&str] = &["end", "end_line", "line_end", "to_line", "to", "endLine", "last_line"];
/// Names of the parameter with a text to write.
const CONTENT: &[&str] =
    &["content", "contents", "text", "new_content", "file_text", "code", "new_text"];
/// Names of the parameter that is a name of the code.
const NAME: &[&str] = &[
    "name", "symbol", "function", "function_name", "method", "class", "class_name", "symbol_name",
    "identifier",
];
/// Names of the parameter with the digest of a file.
const DIGEST: &[&str] = &["base_sha256", "sha256", "hash"];
/// Longest summary that is made of prose, in characters.
const MAX_SUMMARY: usize = 2000;

/// The reply under construction.
#[derive(Default)]
struct ReplyBuilder {
    actions: Vec<Value>,
    requests: Vec<Value>,
    /// The reply that a call of the tool `reply` has as its arguments.
    whole: Option<Map<String, Value>>,
}

/// Returns the reply, not validated yet.
///
/// # Errors
///
/// A text for the model: the tool or parameter that has no counterpart in the protocol.
pub(super) fn build_reply(version: Version, calls: &ToolCalls) -> Result<Value, String> {
    let mut reply = ReplyBuilder::default();
    for call in &calls.list {
        add_call(&mut reply, version, call)?;
    }
    if let Some(whole) = reply.whole {
        return if reply.actions.is_empty() && reply.requests.is_empty() {
            Ok(Value::Object(whole))
        } else {
            Err("the tool call `reply` has other tool calls next to it".to_owned())
        };
    }
    if reply.actions.is_empty() && reply.requests.is_empty() {
        return Err(
            "the run's own command runs after each change: reply with the change".to_owned()
        );
    }
    let prose: String = calls.prose.trim().chars().take(MAX_SUMMARY).collect();
    let summary = if prose.is_empty() { describe_calls(calls) } else { prose };
    Ok(json!({
        "actions": join_edits(reply.actions),
        "summary": summary,
        "context_requests": reply.requests,
    }))
}

fn describe_calls(calls: &ToolCalls) -> String {
    let names: Vec<&str> = calls.list.iter().map(|call| call.name.as_str()).collect();
    format!("tool calls: {}", names.join(", "))
}

/// Joins the edits of one file into one action, because a file may have only one.
fn join_edits(actions: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for action in actions {
        let is_same = |known: &&mut Value| {
            ["kind", "path", "base_sha256"]
                .iter()
                .all(|field| known.get(field) == action.get(field))
        };
        let edits = action.get("edits").and_then(Value::as_array);
        match (
            edits,
            joined.iter_mut().find(is_same).and_then(|known| known["edits"].as_array_mut()),
        ) {
            (Some(edits), Some(known)) => known.extend(edits.iter().cloned()),
            _ => joined.push(action),
        }
    }
    joined
}

/// Returns the requests that one request with the name of a tool means; `None` if it has the words of the protocol
/// already, or means none.
pub(super) fn requests_of_value(request: &Value) -> Option<Vec<Value>> {
    let is_known = serde_json::from_value::<ContextRequest>(request.clone()).is_ok();
    let members = request.as_object().filter(|_| !is_known)?;
    let field = ["type", "tool", "name"].into_iter().find(|field| {
        members.get(*field).and_then(Value::as_str).and_then(canonical_tool_name).is_some()
    })?;
    let name = members.get(field)?.as_str()?;
    let grouped = ["arguments", "parameters", "args", "params", "input"]
        .into_iter()
        .find_map(|field| members.get(field)?.as_object());
    let mut arguments = grouped.unwrap_or(members).clone();
    if grouped.is_none() {
        arguments.remove(field);
    }
    let call = WrittenCall { name: name.to_owned(), arguments };
    let mut given = CallArguments::new(&call);
    let requests = requests_of(canonical_tool_name(name)?, &mut given).ok()?;
    given.finish().ok()?;
    Some(requests)
}

/// Adds a call to the reply, as an action, a context request or the whole reply. Fails with a sentence for the
/// model if there is no such tool, a parameter is wrong, or the tool runs a command.
fn add_call(reply: &mut ReplyBuilder, version: Version, call: &WrittenCall) -> Result<(), String> {
    let name = canonical_tool_name(&call.name).ok_or_else(|| {
        format!("there is no tool `{}`: reply with the JSON object of the protocol", call.name)
    })?;
    let mut given = CallArguments::new(call);
    match name {
        "reply" => reply.whole = Some(call.arguments.clone()),
        "edit_lines" | "create_file" | "delete_file" | "create_dir" => {
            let action = action_of(name, &mut given, version)?;
            reply.actions.push(action);
            given.finish()?;
        }
        // The run performs the tests after every change anyway.
        "run_tests" | "verify" => {}
        "run_command" | "git_commit" => {
            return Err(format!(
                "a reply cannot run `{}`: the run's own command runs after each change",
                call.name
            ));
        }
        _ => {
            let requests = requests_of(name, &mut given)?;
            reply.requests.extend(requests);
            given.finish()?;
        }
    }
    Ok(())
}

/// Returns the action of a call that changes a file. Fails with a sentence for the model if the version of the
/// protocol has no such action or a parameter is missing.
fn action_of(name: &str, given: &mut CallArguments<'_>, version: Version) -> Result<Value, String> {
    let path = clean_path(&given.require_text(PATH)?);
    let mut action = match name {
        "create_file" => {
            json!({ "kind": "CREATE_FILE", "path": path, "content": given.require_text(CONTENT)? })
        }
        "delete_file" => return Ok(json!({ "kind": "DELETE_FILE", "path": path })),
        "create_dir" => return Ok(json!({ "kind": "CREATE_DIR", "path": path })),
        _ if given.has(&["edits"]) => {
            json!({ "kind": "EDIT_FILE", "path": path, "edits": given.take(&["edits"]) })
        }
        _ if given.has(&["patch", "diff"]) => {
            json!({ "kind": "PATCH_FILE", "path": path, "patch": given.require_text(&["patch", "diff"])? })
        }
        _ if given.has(BEFORE) => {
            if version == Version::V1 {
                return Err(
                    "replacing a text needs protocol v2 or v3; write the whole file".to_owned()
                );
            }
            let before = given.require_text(BEFORE)?;
            let after = given.require_text(AFTER)?;
            let edit = json!({ "op": "replace", "anchor": "", "before": before, "after": after });
            json!({ "kind": "EDIT_FILE", "path": path, "edits": [edit] })
        }
        _ if version == Version::V1 => {
            json!({ "kind": "UPDATE_FILE", "path": path, "content": given.require_text(CONTENT)? })
        }
        _ => range_of(&path, given)?,
    };
    if let (Some(digest), Some(action)) = (given.take(DIGEST), action.as_object_mut()) {
        action.insert("base_sha256".to_owned(), digest);
    }
    Ok(action)
}

/// Names of the parameter with the text to replace.
const BEFORE: &[&str] = &["old_str", "old_string", "old_text", "old", "search", "before"];
/// Names of the parameter with the text that takes its place.
const AFTER: &[&str] =
    &["new_str", "new_string", "new_text", "new", "replace", "after", "replacement"];

/// Returns the action that replaces whole lines, from 1, the last included.
fn range_of(path: &str, given: &mut CallArguments<'_>) -> Result<Value, String> {
    let (start, end) = (given.require_number(START)?, given.require_number(END)?);
    let mut content = given.require_text(CONTENT)?;
    // Tools take whole lines, with or without the last line end.
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    Ok(json!({
        "kind": "REPLACE_RANGE", "path": path, "start_line": start, "end_line": end, "content": content,
    }))
}

/// Returns the context requests of a call that reads. Fails with a sentence for the model if a parameter is
/// missing or wrong.
fn requests_of(name: &str, given: &mut CallArguments<'_>) -> Result<Vec<Value>, String> {
    let one = |request: Value| Ok(vec![request]);
    match name {
        "get_lines" | "read" => one(lines_of(given)?),
        "get_function" | "get_class" => {
            let symbol = given.require_text(NAME)?;
            match given.take_text(PATH)? {
                Some(path) => {
                    one(json!({ "type": name, "path": clean_path(&path), "name": symbol }))
                }
                None => one(json!({ "type": "find_definition", "symbol": symbol })),
            }
        }
        "get_structure" | "get_complexity" | "get_todos" | "git_status" | "git_diff" => {
            let path = given.take_text(PATH)?.map(|path| clean_path(&path));
            let path = path.filter(|path| !matches!(path.as_str(), "" | "." | "/"));
            let mut request = json!({ "type": name });
            if let Some(path) = path {
                request["path"] = path.trim_end_matches('/').into();
            }
            one(request)
        }
        "find_definition" | "find_references" => one(
            json!({ "type": name, "symbol": given.require_text(&[&["symbol"], NAME, &["query"]].concat())? }),
        ),
        "get_dependencies" | "get_dependents" => {
            one(json!({ "type": name, "path": clean_path(&given.require_text(PATH)?) }))
        }
        "search_code" => search_of(given),
        "symbol" => {
            let symbol = given.require_text(NAME)?;
            given.take(&["text"]);
            Ok(["find_definition", "find_references"]
                .map(|kind| json!({ "type": kind, "symbol": symbol }))
                .into())
        }
        "graph" => {
            let path = clean_path(&given.require_text(PATH)?);
            Ok(["get_dependencies", "get_dependents"]
                .map(|kind| json!({ "type": kind, "path": path }))
                .into())
        }
        "failure_context" => {
            given.take(&["log", "goal", "log_path", "source"]);
            let mut request = json!({ "type": "logs", "source": "failure" });
            if let Some(count) = given.take_number(&["last_n", "lines"])? {
                request["last_n"] = count.into();
            }
            one(request)
        }
        _ => one(json!({ "type": "env" })),
    }
}

/// Returns the request for lines of a file, or for one definition of it.
fn lines_of(given: &mut CallArguments<'_>) -> Result<Value, String> {
    let path = clean_path(&given.require_text(PATH)?);
    if let Some(name) = given.take_text(NAME)? {
        return Ok(json!({ "type": "get_function", "path": path, "name": name }));
    }
    let mut request = json!({ "type": "read_file", "path": path });
    let line = given.take_number(&["line", "line_number"])?;
    for (field, names) in [("start_line", START), ("end_line", END)] {
        if let Some(number) = given.take_number(names)?.or(line) {
            request[field] = number.into();
        }
    }
    Ok(request)
}

/// Returns the request of a search, which is for a literal text.
fn search_of(given: &mut CallArguments<'_>) -> Result<Vec<Value>, String> {
    let query =
        given.require_text(&["query", "pattern", "text", "search", "regex_pattern", "q"])?;
    let is_regex = given.take(&["regex", "is_regex", "isRegex"]).is_some_and(|value| match value {
        Value::Bool(is_regex) => is_regex,
        other => other.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true")),
    });
    if is_regex
        && query.contains(['\\', '[', ']', '(', ')', '*', '+', '?', '|', '^', '$', '{', '}', '.'])
    {
        return Err("a search is for a literal text, not for a regular expression".to_owned());
    }
    let mut request = json!({ "type": "search", "query": query });
    let glob = given.take_text(&["glob", "include", "file_pattern", "include_pattern", "files"])?;
    let path = given.take_text(PATH)?.map(|path| clean_path(&path));
    let path = path.map(|path| path.trim_end_matches('/').to_owned());
    match (glob, path.filter(|path| !matches!(path.as_str(), "" | "."))) {
        (Some(_), Some(_)) => return Err("a search has either `glob` or `path`".to_owned()),
        (Some(glob), None) => request["glob"] = glob.into(),
        // A path with an extension is a file.
        (None, Some(path)) if path.rsplit('/').next().is_some_and(|name| name.contains('.')) => {
            request["glob"] = path.into();
        }
        (None, Some(path)) => request["glob"] = format!("{path}/**").into(),
        (None, None) => {}
    }
    Ok(vec![request])
}

fn clean_path(path: &str) -> String {
    let path = path.trim();
    path.strip_prefix("./").unwrap_or(path).to_owned()
}
