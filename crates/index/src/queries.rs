//! Queries of an index. Results are rows that a command prints or a tool returns.

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;

use super::code::{FileId, Index, IndexedFile};
use super::declaration::Declaration;
use super::facts::{Complexity, Export, FileFacts, ImportKind, Symbol, SymbolKind};
use super::graph::{Graph, HUB_DEPENDENTS};
use super::imports::{ImportedSymbol, ResolvedImport, ResolvedImports};
use super::resolve::ImportTarget;
use papayu_lang::Language;

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Definition<'i> {
    /// Its name.
    pub name: &'i str,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its file.
    pub path: &'i str,
    /// The line that bears the name.
    pub line: u32,
    /// First line, doc comments included.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// The name of the enclosing definition.
    pub parent: Option<&'i str>,
    /// Number of enclosing definitions.
    pub depth: usize,
    /// True if other files can import it.
    pub exported: bool,
    /// Its signature.
    pub signature: &'i str,
    /// The parts of its head; left out of lists, and if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration: Option<Declaration>,
}

impl<'i> Definition<'i> {
    /// Returns the signature, or the name if there is none.
    pub fn head(&self) -> &'i str {
        if self.signature.is_empty() { self.name } else { self.signature }
    }

    /// Returns the row of a symbol; `None` if the file has no facts.
    fn describe(index: &'i Index, file: FileId, symbol: &'i Symbol) -> Option<Self> {
        let indexed = index.file(file)?;
        let symbols = &indexed.facts()?.symbols;
        let above = |symbol: &Symbol| symbols.get(symbol.parent? as usize);
        // A parent precedes its children, so this loop ends; the limit guards against damaged
        // records.
        let depth = std::iter::successors(above(symbol), |at| above(at)).take(1000).count();
        Some(Self {
            name: &symbol.name,
            kind: symbol.kind,
            path: &indexed.path,
            line: symbol.line,
            start: symbol.start,
            end: symbol.end,
            parent: above(symbol).map(|parent| &*parent.name),
            depth,
            exported: symbol.exported,
            signature: &symbol.signature,
            declaration: None,
        })
    }
}

/// Returns at most `limit` definitions with the query in their names, ignoring case.
///
/// Exact matches come first, then names that start with the query, each sorted by path. Tests with
/// a text as name are omitted.
pub fn find_symbols<'i>(index: &'i Index, query: &str, limit: usize) -> Vec<Definition<'i>> {
    let query = query.to_lowercase();
    // 0: the same; 1: begins with the query; 2: has it inside.
    let rank = |name: &str| {
        if name == query { 0 } else { 2 - u8::from(name.starts_with(&query)) }
    };
    let found = index.places_containing(&query).into_iter();
    let found = found.filter_map(|(file, at)| definition_at(index, file, at));
    let mut found: Vec<_> = found.map(|row| (rank(&row.name.to_lowercase()), row)).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().take(limit).map(|(_, row)| row).collect()
}

/// Returns the definitions of a name or of a member (`Class.method`, `module::name`), sorted by
/// path.
pub fn find_definitions<'i>(index: &'i Index, name: &str) -> Vec<Definition<'i>> {
    find_places(index, name).into_iter().map(|(_, definition)| definition).collect()
}

/// Returns the same definitions with their file and position in the symbols of the file.
pub fn find_places<'i>(index: &'i Index, name: &str) -> Vec<((FileId, u32), Definition<'i>)> {
    let mut parts = name.rsplit(['.', ':', '#', '\\']).filter(|part| !part.is_empty());
    let (last, parent) = (parts.next().unwrap_or(name), parts.next());
    let found = index.definition_places(last).into_iter();
    let found = found.filter_map(|place| Some((place, definition_at(index, place.0, place.1)?)));
    found.filter(|(_, definition)| parent.is_none_or(|_| definition.parent == parent)).collect()
}

/// Returns the definition at a position in the symbols of a file.
pub fn definition_at(index: &Index, file: FileId, place: u32) -> Option<Definition<'_>> {
    Definition::describe(index, file, index.symbol(file, place)?)
}

/// Returns the definitions of a file in source order.
pub fn outline_file(index: &Index, file: FileId) -> Vec<Definition<'_>> {
    let facts = index.file(file).and_then(IndexedFile::facts);
    let symbols = facts.into_iter().flat_map(|facts| &facts.symbols);
    symbols.filter_map(|symbol| Definition::describe(index, file, symbol)).collect()
}

/// The origin of an imported module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModuleOrigin {
    /// Files of the repository.
    Internal,
    /// A package from a registry.
    External,
    /// A module of the language or its runtime.
    Builtin,
    /// A module that was not found.
    Unresolved,
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportRow<'i> {
    /// As the source spells it.
    pub module: &'i str,
    /// 1-based line on which the statement starts.
    pub line: u32,
    /// The form of the import.
    pub kind: ImportKind,
    /// True if the import is used for types only.
    pub type_only: bool,
    /// The resolved target.
    pub origin: ModuleOrigin,
    /// The paths of an internal module.
    pub paths: Vec<&'i str>,
    /// The name of a package or builtin module.
    pub package: Option<&'i str>,
    /// The imported names, as the module spells them.
    pub names: Vec<&'i str>,
    /// The names by which the file uses them.
    pub bindings: Vec<Binding<'i>>,
}

/// A name of a file that an import binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Binding<'i> {
    /// The name in the file; `*` if all names of the module are bound.
    pub local: &'i str,
    /// The imported name: `default` for a default export, `*` for the whole module.
    pub imported: &'i str,
}

/// Returns the exports of a file as a list; `None` if there are none. In languages in which the head of a
/// definition shows that it is exported, only the default export and what comes from other modules are listed.
pub fn describe_exports(facts: &FileFacts) -> Option<String> {
    use Language::{JavaScript, Jsx, Python, Tsx, TypeScript};
    let apart = matches!(facts.language, JavaScript | Jsx | Python | Tsx | TypeScript);
    let describe = |export: &Export| {
        let local = export.local.as_deref().filter(|local| **local != *export.name);
        let from = export.from.as_deref();
        match (local, from) {
            (Some(local), Some(from)) => format!("{} ({local} of {from})", export.name),
            (None, Some(from)) => format!("{} of {from}", export.name),
            (Some(local), None) => format!("{} ({local})", export.name),
            (None, None) => export.name.to_string(),
        }
    };
    let is_listed = |export: &&Export| apart || export.from.is_some() || &*export.name == "default";
    let listed = facts.exports.iter().filter(is_listed);
    let listed: Vec<String> = listed.map(describe).collect();
    (!listed.is_empty()).then(|| listed.join(", "))
}

/// Returns the imports of a file, in source order.
pub fn list_imports<'l>(links: &'l ResolvedImports<'_>, file: FileId) -> Vec<ImportRow<'l>> {
    links.imports_of(file).iter().map(|link| import_row(links.index(), link)).collect()
}

/// Returns an import as a row.
fn import_row<'l>(index: &'l Index, link: &'l ResolvedImport) -> ImportRow<'l> {
    let (origin, package) = match &link.target {
        ImportTarget::Internal(_) => (ModuleOrigin::Internal, None),
        ImportTarget::External(name) => (ModuleOrigin::External, Some(&**name)),
        ImportTarget::Builtin(name) => (ModuleOrigin::Builtin, Some(&**name)),
        ImportTarget::Unresolved => (ModuleOrigin::Unresolved, None),
    };
    ImportRow {
        module: &link.module,
        line: link.line,
        kind: link.kind,
        type_only: link.type_only,
        origin,
        paths: file_paths(index, link.target.files()),
        package,
        names: link
            .names
            .iter()
            .filter_map(|taken| taken.path.last())
            .map(|name| &**name)
            .collect(),
        bindings: link.names.iter().map(binding).collect(),
    }
}

/// Returns the names that an import binds.
fn binding(taken: &ImportedSymbol) -> Binding<'_> {
    Binding { local: &taken.here, imported: taken.path.last().map_or("*", |name| name) }
}

/// Returns the paths of files.
pub fn file_paths<'i>(index: &'i Index, files: &[FileId]) -> Vec<&'i str> {
    files.iter().filter_map(|id| index.file(*id)).map(|file| file.path.as_str()).collect()
}

/// The measures of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileRow<'i> {
    /// The file.
    pub path: &'i str,
    /// Measures of how difficult the file is to read.
    pub complexity: Complexity,
    /// True if the file has syntax errors.
    pub parse_error: bool,
    /// Number of files it imports.
    pub dependencies: usize,
    /// Number of files that import it.
    pub dependents: usize,
    /// True if more than [`HUB_DEPENDENTS`] files depend on it.
    pub is_hub: bool,
}

/// Returns the measures of the files below a path (all files if it is empty), most difficult first.
pub fn file_complexity<'i>(index: &'i Index, graph: &Graph, below: &str) -> Vec<FileRow<'i>> {
    let files = index.files().iter().zip((0..).map(FileId));
    let mut rows: Vec<FileRow<'i>> = files
        .filter(|(file, _)| is_below(&file.path, below))
        .filter_map(|(file, id)| {
            let facts = file.facts()?;
            let dependents = graph.dependents(id).len();
            Some(FileRow {
                path: &file.path,
                complexity: facts.complexity,
                parse_error: facts.parse_error,
                dependencies: graph.dependencies(id).len(),
                dependents,
                is_hub: dependents > HUB_DEPENDENTS,
            })
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.complexity.score, row.complexity.loc)));
    rows
}

/// A note left in a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TodoRow<'i> {
    /// Its file.
    pub path: &'i str,
    /// 1-based line.
    pub line: u32,
    /// `TODO`, `FIXME` …
    pub tag: &'i str,
    /// The text after the tag.
    pub text: &'i str,
}

/// Returns the notes in files below a path (all files if it is empty), sorted by path and line.
pub fn list_todos<'i>(index: &'i Index, below: &str) -> Vec<TodoRow<'i>> {
    let files = index.files().iter().filter(|file| is_below(&file.path, below));
    let notes = files.flat_map(|file| {
        let todos = file.facts().into_iter().flat_map(|facts| &facts.todos);
        todos.map(move |todo| (file.path.as_str(), todo))
    });
    notes
        .map(|(path, todo)| TodoRow { path, line: todo.line, tag: &todo.tag, text: &todo.text })
        .collect()
}

/// Returns `true` if `path` is `named` or is inside the folder `named`. An empty `named`
/// contains all paths.
///
/// ```
/// use papayu_index::queries::is_below;
///
/// assert!(is_below("src/cart/mod.rs", "src/cart"));
/// assert!(!is_below("src/cart.rs", "src/cart"));
/// assert!(is_below("any/path", ""));
/// ```
pub fn is_below(path: &str, named: &str) -> bool {
    let rest = path.strip_prefix(named);
    named.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
