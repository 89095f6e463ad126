//! Questions to an index, answered as rows that a command prints or a tool returns.

#[cfg(test)]
mod tests;

use serde::Serialize;

use super::code::{FileId, Index, IndexedFile};
use super::facts::{Complexity, ImportKind, Symbol, SymbolKind};
use super::graph::{Graph, HUB_DEPENDENTS};
use super::links::{Link, Links};
use super::resolve::Target;

/// The longest name that is compared with others for likeness, in bytes.
const MAX_COMPARED: usize = 120;
/// How like a name must be to be proposed (Jaro-Winkler).
const MIN_LIKENESS: f64 = 0.75;

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Definition<'i> {
    /// Its name.
    pub name: &'i str,
    /// What it is.
    pub kind: SymbolKind,
    /// Its file.
    pub path: &'i str,
    /// The line that bears the name.
    pub line: u32,
    /// First line, doc comments included.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// The name of what it stands in.
    pub parent: Option<&'i str>,
    /// How many definitions it stands in.
    pub depth: usize,
    /// Whether other files can take it.
    pub exported: bool,
    /// Its head.
    pub signature: &'i str,
}

impl<'i> Definition<'i> {
    /// Returns its head; its name where it has none.
    pub fn head(&self) -> &'i str {
        if self.signature.is_empty() { self.name } else { self.signature }
    }

    fn of(index: &'i Index, file: FileId, symbol: &'i Symbol) -> Option<Self> {
        let indexed = index.file(file)?;
        let symbols = &indexed.facts()?.symbols;
        let above = |symbol: &Symbol| symbols.get(symbol.parent? as usize);
        // A parent stands before its children, so the way up ends.
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
        })
    }
}

/// Returns at most `limit` definitions with the query in their name, in any case: those of exactly that
/// name first, then those that begin with it, each by path. Tests named by a text are left out.
pub fn symbols<'i>(index: &'i Index, query: &str, limit: usize) -> Vec<Definition<'i>> {
    let query = query.to_lowercase();
    let rank = |name: &str| {
        let name = name.to_lowercase();
        let begins = name.starts_with(&query);
        name.contains(&query).then_some(if name == query { 0 } else { 2 - u8::from(begins) })
    };
    let mut found: Vec<(u8, Definition<'i>)> = all(index)
        .filter(|(_, symbol)| symbol.kind != SymbolKind::Test)
        .filter_map(|(id, symbol)| Some((rank(&symbol.name)?, Definition::of(index, id, symbol)?)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, definition)| definition).take(limit).collect()
}

/// Returns the definitions of a name, or of a member (`Class.method`, `module::name`) by the names
/// of what it stands in; sorted by path.
pub fn definition<'i>(index: &'i Index, name: &str) -> Vec<Definition<'i>> {
    places(index, name).into_iter().map(|(_, definition)| definition).collect()
}

/// Returns the same with each definition's file and its place in that file's symbols.
pub fn places<'i>(index: &'i Index, name: &str) -> Vec<((FileId, u32), Definition<'i>)> {
    let mut parts = name.rsplit(['.', ':', '#', '\\']).filter(|part| !part.is_empty());
    let (last, parent) = (parts.next().unwrap_or(name), parts.next());
    let found = index.places(last).into_iter();
    let found = found.filter_map(|place| Some((place, at(index, place.0, place.1)?)));
    found.filter(|(_, definition)| parent.is_none_or(|_| definition.parent == parent)).collect()
}

/// Returns the definition at a place in a file's symbols.
pub fn at(index: &Index, file: FileId, place: u32) -> Option<Definition<'_>> {
    let symbols = &index.file(file)?.facts()?.symbols;
    Definition::of(index, file, symbols.get(place as usize)?)
}

/// Returns what a file defines, in its order.
pub fn outline(index: &Index, file: FileId) -> Vec<Definition<'_>> {
    let facts = index.file(file).and_then(IndexedFile::facts);
    let symbols = facts.into_iter().flat_map(|facts| &facts.symbols);
    symbols.filter_map(|symbol| Definition::of(index, file, symbol)).collect()
}

fn all(index: &Index) -> impl Iterator<Item = (FileId, &Symbol)> {
    index.files().iter().zip((0..).map(FileId)).flat_map(|(file, id)| {
        file.facts().into_iter().flat_map(|facts| &facts.symbols).map(move |symbol| (id, symbol))
    })
}

/// Where an import leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Files of the repository.
    Internal,
    /// A package that is fetched.
    External,
    /// The language or its runtime.
    Builtin,
    /// Nowhere that could be found.
    Unresolved,
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportRow<'i> {
    /// As the source spells it.
    pub module: &'i str,
    /// Where the statement begins.
    pub line: u32,
    /// How it is taken.
    pub kind: ImportKind,
    /// Whether it counts for types alone.
    pub type_only: bool,
    /// Where it leads.
    pub origin: Origin,
    /// The files, when it is internal.
    pub paths: Vec<&'i str>,
    /// The package or builtin, when it is one.
    pub package: Option<&'i str>,
    /// The names taken, as they are called where they come from.
    pub names: Vec<&'i str>,
}

/// Returns a file's imports, in source order.
pub fn imports<'l>(links: &'l Links<'_>, file: FileId) -> Vec<ImportRow<'l>> {
    links.imports_of(file).iter().map(|link| import_row(links.index(), link)).collect()
}

fn import_row<'l>(index: &'l Index, link: &'l Link) -> ImportRow<'l> {
    let (origin, package) = match &link.target {
        Target::Internal(_) => (Origin::Internal, None),
        Target::External(name) => (Origin::External, Some(&**name)),
        Target::Builtin(name) => (Origin::Builtin, Some(&**name)),
        Target::Unresolved => (Origin::Unresolved, None),
    };
    ImportRow {
        module: &link.module,
        line: link.line,
        kind: link.kind,
        type_only: link.type_only,
        origin,
        paths: paths(index, link.target.files()),
        package,
        names: link
            .names
            .iter()
            .filter_map(|taken| taken.path.last())
            .map(|name| &**name)
            .collect(),
    }
}

/// Returns the paths of files.
pub fn paths<'i>(index: &'i Index, files: &[FileId]) -> Vec<&'i str> {
    files.iter().filter_map(|id| index.file(*id)).map(|file| file.path.as_str()).collect()
}

/// A file's numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileRow<'i> {
    /// The file.
    pub path: &'i str,
    /// How hard it is to read.
    pub complexity: Complexity,
    /// Whether its syntax has errors.
    pub parse_error: bool,
    /// Files it takes something from.
    pub dependencies: usize,
    /// Files that take something from it.
    pub dependents: usize,
    /// Whether more than [`HUB_DEPENDENTS`] do.
    pub is_hub: bool,
}

/// Returns the numbers of the files below a path (all when it is empty), the hardest to read first.
pub fn complexity<'i>(index: &'i Index, graph: &Graph, below: &str) -> Vec<FileRow<'i>> {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TodoRow<'i> {
    /// Its file.
    pub path: &'i str,
    /// Where.
    pub line: u32,
    /// `TODO`, `FIXME` …
    pub tag: &'i str,
    /// What it says.
    pub text: &'i str,
}

/// Returns the notes in the files below a path (all when it is empty), by path and line.
pub fn todos<'i>(index: &'i Index, below: &str) -> Vec<TodoRow<'i>> {
    let files = index.files().iter().filter(|file| is_below(&file.path, below));
    let notes = files.flat_map(|file| {
        let todos = file.facts().into_iter().flat_map(|facts| &facts.todos);
        todos.map(move |todo| (file.path.as_str(), todo))
    });
    notes
        .map(|(path, todo)| TodoRow { path, line: todo.line, tag: &todo.tag, text: &todo.text })
        .collect()
}

/// Tells whether a path is the one named, or lies in the folder named; an empty one names all.
pub fn is_below(path: &str, named: &str) -> bool {
    let rest = path.strip_prefix(named);
    named.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the known name most like one that is not known, where one is like it at all; of several
/// the first in the order of letters.
pub fn nearest<'n>(known: impl Iterator<Item = &'n str>, name: &str) -> Option<&'n str> {
    let wanted = name.to_lowercase();
    let like = |known: &'n str| {
        if known.len() > MAX_COMPARED || wanted.len() > MAX_COMPARED {
            return None;
        }
        let likeness = strsim::jaro_winkler(&known.to_lowercase(), &wanted);
        (likeness >= MIN_LIKENESS).then_some((likeness, known))
    };
    let best = known
        .filter_map(like)
        .max_by(|one, other| one.0.total_cmp(&other.0).then_with(|| other.1.cmp(one.1)));
    best.map(|(_, name)| name)
}
