//! `symbol`: all facts about a name: its text, the places that use it, its callers and callees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{TypedAnswer, join_lines};
use super::find_definition::{definition_line, list_definitions};
use super::reading::{cut_lines, is_shown, number_lines, read_text};
use super::tool::{Tool, ToolResult};
use super::workspace::ToolSession;
use papayu_index::calls::{Called, called_definitions};
use papayu_index::queries::Definition;

/// Most definitions of an answer.
const MAX_DEFINITIONS: usize = 5;
/// Most callers or callees of a definition.
const MAX_CALLS: usize = 40;
/// Most lines of a definition.
const MAX_LINES: u32 = 200;

/// The parameters of `symbol`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SymbolToolParams {
    /// The name, or `Class.method`.
    pub name: String,
    /// False to leave the text of the definitions out.
    #[serde(default = "yes")]
    pub text: bool,
}

fn yes() -> bool {
    true
}

/// The facts about a name.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Facts<'w> {
    /// Each definition of the name.
    pub definitions: Vec<DefinitionFacts<'w>>,
    /// Number of definitions that are left out.
    pub left_out: usize,
}

/// The facts about a definition.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct DefinitionFacts<'w> {
    /// The place and the signature.
    pub definition: Definition<'w>,
    /// Its lines, at most 200.
    pub content: Option<String>,
    /// The places that call it, `PATH:LINE NAME`; a place that is known by its name only ends with `?`.
    pub callers: Vec<String>,
    /// The definitions of the repository that it calls, `PATH:LINE: SIGNATURE`.
    pub callees: Vec<String>,
}

/// The tool.
pub(super) struct SymbolFacts;

impl Tool for SymbolFacts {
    type Params = SymbolToolParams;
    type Output<'w> = Facts<'w>;
    const NAME: &'static str = "symbol";
    const DESCRIPTION: &'static str =
        "Returns the definitions of a name with their text, their callers and what they call.";

    fn run<'w>(params: SymbolToolParams, workspace: &'w ToolSession<'w>) -> ToolResult<Facts<'w>> {
        let code = &workspace.code;
        let all = list_definitions(&params.name, code)?;
        let left_out = all.len().saturating_sub(MAX_DEFINITIONS);
        let called = called_definitions(code.index(), workspace.calls.graph(code), &params.name);
        let mut text = Vec::new();
        let mut definitions = Vec::new();
        for definition in all.into_iter().take(MAX_DEFINITIONS) {
            let end = definition.end.min(definition.start.saturating_add(MAX_LINES - 1));
            let file = read_text(workspace.tree, definition.path).filter(|_| params.text);
            text.push(definition_line(&definition));
            let start = definition.start;
            text.extend(file.as_ref().map(|file| number_lines(file, start, end)));
            let content = file.map(|file| cut_lines(&file, start, end));
            let calls = called.iter().find(|called| is_same(&called.definition, &definition));
            let (callers, callees) = calls.map(list_calls).unwrap_or_default();
            text.extend(callers.iter().map(|row| format!("  called at {row}")));
            text.extend(callees.iter().map(|row| format!("  calls {row}")));
            definitions.push(DefinitionFacts { definition, content, callers, callees });
        }
        let files: Vec<String> =
            definitions.iter().map(|row| row.definition.path.to_owned()).collect();
        Ok(TypedAnswer::new(Facts { definitions, left_out }, join_lines(text, left_out), files))
    }
}

fn is_same(one: &Definition<'_>, other: &Definition<'_>) -> bool {
    one.path == other.path && one.line == other.line
}

/// Returns the callers and the callees of a function, a line each, at most [`MAX_CALLS`] of both; an uncertain
/// caller has a `?`.
fn list_calls(called: &Called<'_>) -> (Vec<String>, Vec<String>) {
    use papayu_index::calls::Certainty;
    let caller = |row: &papayu_index::calls::CallerRow<'_>| {
        let mark = if row.certainty == Certainty::Followed { "" } else { " ?" };
        format!("{}:{} {}{mark}", row.path, row.line, row.caller.unwrap_or("(top of the file)"))
    };
    let callers = called.callers.iter().filter(|row| is_shown(row.path)).take(MAX_CALLS);
    let callees = called.callees.iter().filter(|row| is_shown(row.path)).take(MAX_CALLS);
    (callers.map(caller).collect(), callees.map(definition_line).collect())
}
