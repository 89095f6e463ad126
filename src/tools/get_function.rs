//! `get_function` and `get_class`: the lines of a definition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::TypedAnswer;
use super::error::ToolError;
use super::reading::{cut_lines, number_lines, read_file};
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_base::text::spelling;
use papayu_index::queries::{self, Definition};
use papayu_index::{Declaration, SymbolKind, add_declarations};

/// The parameters of `get_function` and `get_class`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetFunctionParams {
    /// Path of the file, relative to the repository.
    pub path: String,
    /// The name, or `Class.method`.
    pub name: String,
}

/// The definitions of a name in a file.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct FunctionDefinitions {
    /// Path of the file.
    pub path: String,
    /// Each definition of the name, in the order of the file.
    pub definitions: Vec<DefinitionText>,
}

/// A definition with its text.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct DefinitionText {
    /// The name.
    pub name: String,
    /// The name of the enclosing definition.
    pub parent: Option<String>,
    /// The first line, doc comments included.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// The parts of its head: parameters, types, modifiers and supertypes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration: Option<Declaration>,
    /// The lines.
    pub content: String,
}

/// The kinds of definitions that `get_function` returns.
pub(super) const FUNCTIONS: &[SymbolKind] =
    &[SymbolKind::Function, SymbolKind::Method, SymbolKind::Macro];

/// The tool `get_function`.
pub(super) struct GetFunction;

impl Tool for GetFunction {
    type Params = GetFunctionParams;
    type Output<'w> = FunctionDefinitions;
    const NAME: &'static str = "get_function";
    const DESCRIPTION: &'static str = "Returns the lines of a function or method.";

    fn run<'w>(
        params: GetFunctionParams,
        workspace: &'w ToolSession<'w>,
    ) -> ToolResult<FunctionDefinitions> {
        find_texts(&params, FUNCTIONS, &workspace.code)
    }
}

/// The kinds of definitions that `get_class` returns.
pub(super) const CLASSES: &[SymbolKind] =
    &[SymbolKind::Class, SymbolKind::Interface, SymbolKind::Enum, SymbolKind::Type];

/// The tool `get_class`.
pub(super) struct GetClass;

impl Tool for GetClass {
    type Params = GetFunctionParams;
    type Output<'w> = FunctionDefinitions;
    const NAME: &'static str = "get_class";
    const DESCRIPTION: &'static str =
        "Returns the lines of a class, struct, interface, trait, enum or type.";

    fn run<'w>(
        params: GetFunctionParams,
        workspace: &'w ToolSession<'w>,
    ) -> ToolResult<FunctionDefinitions> {
        find_texts(&params, CLASSES, &workspace.code)
    }
}

/// Returns the texts of the definitions of these kinds.
///
/// # Errors
///
/// `NotFound` with the defined name most like it.
fn find_texts(
    params: &GetFunctionParams,
    kinds: &[SymbolKind],
    code: &IndexedCode<'_>,
) -> ToolResult<FunctionDefinitions> {
    let mut found = find_in_file(params, kinds, code)?;
    let path = found.first().map_or("", |row| row.path).to_owned();
    let file = read_file(code.tree(), &path)?;
    add_declarations(&mut found, &mut |_| Some(file.text.clone()));
    let (mut text, mut definitions) = (format!("{path}\n"), Vec::new());
    for row in found {
        text.push_str(&number_lines(&file.text, row.start, row.end));
        definitions.push(DefinitionText {
            name: row.name.to_owned(),
            parent: row.parent.map(str::to_owned),
            start: row.start,
            end: row.end,
            declaration: row.declaration,
            content: cut_lines(&file.text, row.start, row.end),
        });
    }
    Ok(TypedAnswer::new(FunctionDefinitions { path: path.clone(), definitions }, text, [path]))
}

/// Returns the definitions of a name in a file that are of these kinds, at least one.
///
/// # Errors
///
/// `NotFound` with the defined name most like it.
pub(super) fn find_in_file<'w>(
    params: &GetFunctionParams,
    kinds: &[SymbolKind],
    code: &IndexedCode<'w>,
) -> Result<Vec<Definition<'w>>, ToolError> {
    let id = code.find_file(&params.path)?;
    let mut rows = queries::outline_file(code.index(), id);
    rows.retain(|row| kinds.contains(&row.kind));
    let nearest = spelling::find_most_similar(rows.iter().map(|row| row.name), &params.name);
    rows.retain(|row| is_named(row, &params.name));
    if rows.is_empty() {
        let (name, nearest) = (params.name.clone(), nearest.map(str::to_owned));
        return Err(ToolError::NotFound { kind: "definition", name, nearest });
    }
    Ok(rows)
}

/// Returns true if a definition has this name. The name may begin with its parent: `Class.method`.
fn is_named(row: &Definition<'_>, name: &str) -> bool {
    let mut parts = name.rsplit(['.', ':', '#']).filter(|part| !part.is_empty());
    parts.next() == Some(row.name) && parts.next().is_none_or(|parent| row.parent == Some(parent))
}
