//! `get_dependencies`: what a file imports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{TypedAnswer, bounded, join_lines};
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_index::queries::{self, Binding, ImportRow, ModuleOrigin};

/// The parameters of tools that ask for a file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FileParams {
    /// Path of the file, relative to the repository.
    pub path: String,
}

/// The imports of a file.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Dependencies<'w> {
    /// Path of the file.
    pub path: &'w str,
    /// The imports, in the order of the file.
    pub imports: Vec<ImportRow<'w>>,
    /// Number of imports that are left out.
    pub left_out: usize,
    /// Number of files that the file depends on, directly and through others.
    pub transitive: usize,
}

/// The tool `get_dependencies`.
pub(super) struct GetDependencies;

impl Tool for GetDependencies {
    type Params = FileParams;
    type Output<'w> = Dependencies<'w>;
    const NAME: &'static str = "get_dependencies";
    const DESCRIPTION: &'static str = "Returns the imports of a file and the files they lead to.";

    fn run<'w>(params: FileParams, workspace: &'w ToolSession<'w>) -> ToolResult<Dependencies<'w>> {
        answer(&params, &workspace.code)
    }
}

/// Answers the tool's question from the index.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub(super) fn answer<'w>(
    params: &FileParams,
    code: &'w IndexedCode<'w>,
) -> ToolResult<Dependencies<'w>> {
    let id = code.find_file(&params.path)?;
    let path = code.index().file(id).map_or("", |file| file.path.as_str());
    let (imports, left_out) = bounded(queries::list_imports(code.links(), id));
    let transitive = code.graph().all_dependencies(id).len();
    let line = |row: &ImportRow<'_>| {
        let (number, module, names) = (row.line, row.module, list_bindings(row));
        format!("line {number}: {module}{names} -> {}", target(row))
    };
    let text = join_lines(imports.iter().map(line), left_out);
    let files: Vec<String> =
        imports.iter().flat_map(|row| &row.paths).map(|&path| path.to_owned()).collect();
    let data = Dependencies { path, imports, left_out, transitive };
    Ok(TypedAnswer::new(data, text, files))
}

/// Returns ` (a, b as c)`, or nothing for an import without names.
fn list_bindings(row: &ImportRow<'_>) -> String {
    let name = |binding: &Binding<'_>| match (binding.imported, binding.local) {
        (imported, local) if imported == local => local.to_owned(),
        (imported, local) => format!("{imported} as {local}"),
    };
    let names: Vec<String> = row.bindings.iter().map(name).collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

/// Returns the target of an import for the text of an answer.
fn target(row: &ImportRow<'_>) -> String {
    match row.origin {
        ModuleOrigin::Internal => row.paths.join(", "),
        ModuleOrigin::External => format!("package {}", row.package.unwrap_or_default()),
        ModuleOrigin::Builtin => "part of the language or its runtime".to_owned(),
        ModuleOrigin::Unresolved => "not found".to_owned(),
    }
}
