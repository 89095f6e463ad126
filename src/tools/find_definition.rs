//! `find_definition`: where a name is defined.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{TypedAnswer, bounded, join_lines};
use super::error::ToolError;
use super::reading::{is_shown, read_text};
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_index::add_declarations;
use papayu_index::queries::{self, Definition};

/// The parameters of tools that ask for a name.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SymbolParams {
    /// The name, or `Class.method`.
    pub symbol: String,
}

/// The definitions of a name.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct DefinitionList<'w> {
    /// The definitions, sorted by path.
    pub definitions: Vec<Definition<'w>>,
    /// Number of definitions that are left out.
    pub left_out: usize,
}

/// The tool `find_definition`.
pub(super) struct FindDefinition;

impl Tool for FindDefinition {
    type Params = SymbolParams;
    type Output<'w> = DefinitionList<'w>;
    const NAME: &'static str = "find_definition";
    const DESCRIPTION: &'static str = "Returns the places where a name is defined.";

    fn run<'w>(
        params: SymbolParams,
        workspace: &'w ToolSession<'w>,
    ) -> ToolResult<DefinitionList<'w>> {
        answer(&params, &workspace.code)
    }
}

/// Answers the tool's question from the index.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub(super) fn answer<'w>(
    params: &SymbolParams,
    code: &'w IndexedCode<'w>,
) -> ToolResult<DefinitionList<'w>> {
    let found = list_definitions(&params.symbol, code)?;
    let (definitions, left_out) = bounded(found);
    let text = join_lines(definitions.iter().map(definition_line), left_out);
    let files: Vec<String> = definitions.iter().map(|row| row.path.to_owned()).collect();
    Ok(TypedAnswer::new(DefinitionList { definitions, left_out }, text, files))
}

/// Returns the definitions of a name.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub(super) fn list_definitions<'w>(
    symbol: &str,
    code: &IndexedCode<'w>,
) -> Result<Vec<Definition<'w>>, ToolError> {
    let mut found = queries::find_definitions(code.index(), symbol);
    found.retain(|row| is_shown(row.path));
    add_declarations(&mut found, &mut |path| read_text(code.tree(), path));
    if found.is_empty() { Err(code.unknown_symbol(symbol)) } else { Ok(found) }
}

/// Returns `PATH:LINE: SIGNATURE`.
pub(super) fn definition_line(row: &Definition<'_>) -> String {
    format!("{}:{}: {}", row.path, row.line, row.head())
}
