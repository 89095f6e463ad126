//! The registry of tools, and the one function that calls them.

use serde_json::Value;

use super::answer::{MAX_CHARS, ToolAnswer};
use super::error::ToolError;
use super::tool::ToolEntry;
use super::workspace::ToolSession;
use super::{
    command, edit, find_definition, find_references, get_complexity, get_dependencies,
    get_dependents, get_function, get_lines, get_structure, get_todos, git_commit, git_diff,
    git_status, graph, read, run_tests, search_code, symbol, verify,
};
use papayu_base::text::spelling;
use papayu_patch::protocol;

/// The 18 tools with one job each.
pub const SINGLE: &[ToolEntry] = &[
    ToolEntry::of::<get_lines::GetLines>(),
    ToolEntry::of::<get_function::GetFunction>(),
    ToolEntry::of::<get_function::GetClass>(),
    ToolEntry::of::<get_structure::GetStructure>(),
    ToolEntry::of::<edit::EditLines>(),
    ToolEntry::of::<edit::CreateFile>(),
    ToolEntry::of::<edit::DeleteFile>(),
    ToolEntry::of::<find_definition::FindDefinition>(),
    ToolEntry::of::<find_references::FindReferences>(),
    ToolEntry::of::<get_dependencies::GetDependencies>(),
    ToolEntry::of::<get_dependents::GetDependents>(),
    ToolEntry::of::<get_complexity::GetComplexity>(),
    ToolEntry::of::<get_todos::GetTodos>(),
    ToolEntry::of::<git_status::GitStatus>(),
    ToolEntry::of::<git_diff::GitDiff>(),
    ToolEntry::of::<git_commit::GitCommit>(),
    ToolEntry::of::<command::RunCommand>(),
    ToolEntry::of::<run_tests::RunTests>(),
];

/// Tools that answer in one call what otherwise takes several.
pub const COMPOSED: &[ToolEntry] = &[
    ToolEntry::of::<search_code::SearchCode>(),
    ToolEntry::of::<symbol::SymbolFacts>(),
    ToolEntry::of::<graph::FileGraph>(),
    ToolEntry::of::<read::ReadTool>(),
    ToolEntry::of::<verify::Verify>(),
];

/// Returns the tool with this name or alias among `tools`, in any case and with `-` or `_`.
///
/// # Errors
///
/// `UnknownTool` with the name most like it.
pub fn find_tool<'t>(tools: &[&'t ToolEntry], name: &str) -> Result<&'t ToolEntry, ToolError> {
    let canonical = protocol::canonical_tool_name(name);
    let named = tools.iter().find(|tool| Some(tool.name) == canonical);
    named.copied().ok_or_else(|| ToolError::UnknownTool {
        name: name.to_owned(),
        nearest: spelling::find_most_similar(tools.iter().map(|tool| tool.name), name)
            .map(str::to_owned),
    })
}

/// Checks the parameters, runs the tool and masks the answer.
///
/// # Errors
///
/// `Parameter` with the name of the first parameter that does not follow the schema; otherwise the error of
/// the tool.
pub fn call_tool<'w>(
    tool: &ToolEntry,
    params: Value,
    workspace: &'w ToolSession<'w>,
) -> Result<ToolAnswer, ToolError> {
    check_params(tool, &params)?;
    let ToolAnswer { data, text, files } = tool.run(params, workspace)?;
    let mut data = workspace.masker.masked_json(data).into_inner();
    cut_texts(&mut data, &mut { MAX_CHARS });
    let mut text = workspace.masker.mask(&text).into_owned();
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(end);
        text.push_str("\n(cut; narrow the request)");
    }
    Ok(ToolAnswer { data, text, files })
}

/// Characters of a text of the data that are kept in any case: paths, and words that the schema lists.
const KEPT_CHARS: usize = 1_000;

/// Cuts long texts of the data once there are more characters than are left, so that one long line does not make an
/// answer long. Rows stay, so that the data follows its schema.
fn cut_texts(data: &mut Value, left: &mut usize) {
    match data {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth((*left).max(KEPT_CHARS)) {
                text.truncate(end);
                text.push('…');
            }
            *left = left.saturating_sub(text.chars().count());
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_texts(item, left)),
        Value::Object(fields) => fields.values_mut().for_each(|value| cut_texts(value, left)),
        _ => {}
    }
}

/// Checks parameters by the schema of the tool. Fails with [`ToolError::Parameter`] for the first that is
/// unknown, missing or of another form.
fn check_params(tool: &ToolEntry, params: &Value) -> Result<(), ToolError> {
    let schema = (tool.input_schema)();
    if let (Some(given), Some(known)) =
        (params.as_object(), schema.get("properties").and_then(Value::as_object))
    {
        if let Some(name) = given.keys().find(|name| !known.contains_key(*name)) {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            let fault = match &names[..] {
                [] => "the tool has no parameters".to_owned(),
                names => format!("unknown; the tool has `{}`", names.join("`, `")),
            };
            return Err(ToolError::Parameter { name: name.clone(), fault });
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing = required.filter_map(Value::as_str).find(|name| !given.contains_key(*name));
        if let Some(name) = missing {
            let what = known.get(name).and_then(|known| known.get("description"));
            let what = what.and_then(Value::as_str).unwrap_or("a value").to_owned();
            let fault = format!("missing; expected: {what}");
            return Err(ToolError::Parameter { name: name.to_owned(), fault });
        }
    }
    let broken = |fault: String| ToolError::Parameter { name: "(all)".to_owned(), fault };
    let validator =
        jsonschema::validator_for(&schema).map_err(|error| broken(error.to_string()))?;
    match validator.iter_errors(params).next() {
        None => Ok(()),
        Some(error) => {
            let place = error.instance_path().to_string();
            let name = place.trim_start_matches('/');
            let name = if name.is_empty() { "(all)" } else { name };
            Err(ToolError::Parameter { name: name.to_owned(), fault: error.to_string() })
        }
    }
}
