//! The imports of every file, resolved to the files they come from.

mod follow;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::OnceLock;

use rustc_hash::FxBuildHasher;

use super::code::{FileId, Index, IndexedFile};
use super::facts::{FileFacts, Import, ImportKind, ImportedName};
use super::resolve::{ImportTarget, ResolveRequest, ResolvedModule, Resolver};
use papayu_lang::Language;
use papayu_system::map_parallel;

/// An import with its resolved target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedImport {
    /// The module as the source spells it.
    pub module: Box<str>,
    /// The form of the import.
    pub kind: ImportKind,
    /// True if the import is used for types only.
    pub type_only: bool,
    /// 1-based line on which the statement starts.
    pub line: u32,
    /// The resolved target, including the files of imported names that are modules themselves.
    pub target: ImportTarget,
    /// The imported symbols.
    pub names: Vec<ImportedSymbol>,
}

/// A symbol imported from a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSymbol {
    /// Its path in the target, outermost name first: empty for the whole module, `*` for all names.
    pub path: Vec<Box<str>>,
    /// Its name in the importing file; `*` for all names.
    pub here: Box<str>,
    /// The files of the module, if the symbol is a module.
    pub module: Vec<FileId>,
}

/// The definitions that a name refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowedName {
    /// The files, and the positions in their symbols, sorted.
    pub places: Vec<(FileId, u32)>,
    /// The number of places that were searched.
    pub steps: u32,
}

/// The imports of an index, each file resolved on first use.
pub struct ResolvedImports<'a> {
    /// The files with their facts.
    index: &'a Index,
    resolver: Resolver<'a>,
    /// The imports of each file, by its number.
    files: Vec<OnceLock<Vec<ResolvedImport>>>,
    /// The symbols of each file by name, by its number.
    names: Vec<OnceLock<SymbolsByName<'a>>>,
}

/// The positions of symbols in the facts of a file, by name.
type SymbolsByName<'a> = HashMap<&'a str, Vec<u32>, FxBuildHasher>;

impl<'a> ResolvedImports<'a> {
    /// Creates the resolver of an index; nothing is resolved yet.
    pub fn of(index: &'a Index) -> Self {
        let files = index.files().iter().map(|_| OnceLock::new()).collect();
        let names = index.files().iter().map(|_| OnceLock::new()).collect();
        Self { index, resolver: Resolver::of(index), files, names }
    }

    /// Returns the index.
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// Returns the imports of a file in source order, re-exported modules included.
    pub fn imports_of(&self, file: FileId) -> &[ResolvedImport] {
        let Some(links) = self.files.get(file.0 as usize) else { return &[] };
        links.get_or_init(|| {
            let facts = self.index.file(file).and_then(IndexedFile::facts);
            facts.map(|facts| resolve_file(&self.resolver, file, facts)).unwrap_or_default()
        })
    }

    /// Returns the positions of the symbols of that name in the facts of a file, ascending.
    pub fn symbols_named(&self, file: FileId, name: &str) -> &[u32] {
        let Some(names) = self.names.get(file.0 as usize) else { return &[] };
        let names = names.get_or_init(|| {
            let mut names = SymbolsByName::default();
            let facts = self.index.file(file).and_then(IndexedFile::facts);
            for (symbol, at) in facts.into_iter().flat_map(|facts| &facts.symbols).zip(0..) {
                names.entry(&symbol.name).or_default().push(at);
            }
            names
        });
        names.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the dependencies of every file, computed on all cores, in the order of files.
    pub(super) fn edges(&self) -> Vec<Edges> {
        map_parallel(self.files.len(), |at| {
            let file = FileId(u32::try_from(at).unwrap_or(u32::MAX));
            let mut edges = Edges::default();
            for link in self.imports_of(file) {
                edges.add(link.target.files(), link.kind, link.type_only);
            }
            edges.sort_without(file);
            edges
        })
    }

    /// Returns the definitions that a name used in a file refers to, as positions in
    /// `facts.symbols`, sorted.
    ///
    /// These are definitions in the file itself, definitions reached through imports and
    /// re-exports, or definitions of the same package. The name may be a path (`ns.name`,
    /// `a::b::Name`, `A\\B`). The result is empty if the name comes from outside the repository.
    pub fn follow(&self, file: FileId, name: &str) -> Vec<(FileId, u32)> {
        self.follow_counting(file, name).places
    }

    /// Does the same as [`Self::follow`], and counts the steps of the search.
    pub fn follow_counting(&self, file: FileId, name: &str) -> FollowedName {
        follow::follow_name(self, file, name)
    }

    /// Returns the files of a module that a file imports.
    fn find_target(&self, file: FileId, module: &str) -> &[FileId] {
        let link = self.imports_of(file).iter().find(|link| &*link.module == module);
        link.map_or(&[], |link| link.target.files())
    }

    /// Returns the entry files named by manifests (`main`, `bin`, `exports`, crate roots, entry points of Python), sorted.
    pub fn entry_files(&self) -> Vec<FileId> {
        self.resolver.entry_files()
    }
}

/// The files that a file imports, sorted, without the file itself.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// All dependencies.
    pub(super) all: Vec<FileId>,
    /// Dependencies at run time: without imports of types only and without module declarations.
    pub(super) at_run_time: Vec<FileId>,
}

impl Edges {
    /// Adds files that an import leads to.
    fn add(&mut self, files: &[FileId], kind: ImportKind, type_only: bool) {
        self.all.extend(files);
        // `mod a;` of Rust declares a file and runs nothing of it; types do not exist after compiling.
        if !type_only && kind != ImportKind::Module {
            self.at_run_time.extend(files);
        }
    }

    /// Sorts the files and removes repeated ones, and the importing file, which can name itself by
    /// an alias.
    fn sort_without(&mut self, itself: FileId) {
        for files in [&mut self.all, &mut self.at_run_time] {
            files.retain(|file| *file != itself);
            files.sort_unstable();
            files.dedup();
        }
    }
}

/// Returns the imports and re-exports of a file, in source order, with their targets and the names that they bind.
fn resolve_file(resolver: &Resolver<'_>, id: FileId, facts: &FileFacts) -> Vec<ResolvedImport> {
    let link = |import: &Import| {
        let found = resolver.resolve(&ResolveRequest::of(id, import));
        ResolvedImport {
            module: import.module.clone(),
            kind: import.kind,
            type_only: import.type_only,
            line: import.line,
            names: imported_symbols(facts.language, &found, import),
            // `from shop import cart` leads to the package and to its module `cart`.
            target: with_modules(found),
        }
    };
    let mut links: Vec<ResolvedImport> = facts.imports.iter().map(link).collect();
    for export in &facts.exports {
        let Some(from) = &export.from else { continue };
        // `export … from` of scripts is in the imports already; other languages export without an
        // import.
        if links.iter().all(|link| link.module != *from) {
            let found = resolver.resolve(&ResolveRequest::of_module(id, from));
            let (module, kind, line) = (from.clone(), ImportKind::ReExport, export.line);
            let target = with_modules(found);
            links.push(ResolvedImport {
                module,
                kind,
                type_only: false,
                line,
                target,
                names: Vec::new(),
            });
        }
    }
    // Re-exports were added after all imports.
    links.sort_by_key(|link| link.line);
    links
}

/// Adds the files of imported names that are modules to the target.
fn with_modules(found: ResolvedModule) -> ImportTarget {
    match found.target {
        ImportTarget::Internal(mut files) => {
            files.extend(found.modules.into_iter().flat_map(|(_, files)| files));
            let mut seen = std::collections::HashSet::new();
            files.retain(|file| seen.insert(*file));
            ImportTarget::Internal(files)
        }
        other => other,
    }
}

/// Returns the names that an import binds, each with the path that leads to its definition.
fn imported_symbols(
    language: Language,
    found: &ResolvedModule,
    import: &Import,
) -> Vec<ImportedSymbol> {
    let taken = |name: &ImportedName| {
        let here = name.alias.clone().unwrap_or_else(|| name.name.clone());
        let module = found.modules.iter().find(|(module, _)| *module == name.name);
        let module = module.map(|(_, files)| files.clone()).unwrap_or_default();
        // `use a::b::{self}` binds `b`.
        let itself = language == Language::Rust && &*name.name == "self";
        let here = match (itself, &name.alias) {
            (true, None) => last_segment(&import.module, "::").into(),
            _ => here,
        };
        let path = found.rest.iter().chain((!itself).then_some(&name.name)).cloned().collect();
        ImportedSymbol { path, here, module }
    };
    let mut names: Vec<ImportedSymbol> = import.names.iter().map(taken).collect();
    if let Some(here) = whole_module_name(language, found, import) {
        // An import that binds all names: the looked-up path is appended to the rest of the
        // module's.
        let everything = &*here == "*" && found.rest.is_empty();
        let path = if everything { vec![here.clone()] } else { found.rest.clone() };
        names.push(ImportedSymbol { path, here, module: Vec::new() });
    }
    names
}

/// Returns the name by which the importing file uses the module, or the last item of its path.
fn whole_module_name(
    language: Language,
    found: &ResolvedModule,
    import: &Import,
) -> Option<Box<str>> {
    if import.alias.is_some() {
        return import.alias.clone();
    }
    if !import.names.is_empty() {
        return None;
    }
    let module = &*import.module;
    match language {
        Language::Rust => Some(last_segment(module, "::").trim_end_matches(".rs").into()),
        Language::Go => Some(go_package_name(module).into()),
        Language::Python => Some(module.into()),
        Language::Java | Language::CSharp | Language::Php if !found.rest.is_empty() => {
            found.rest.last().cloned()
        }
        Language::C
        | Language::Cpp
        | Language::CSharp
        | Language::Java
        | Language::Ruby
        | Language::Php => Some("*".into()),
        Language::TypeScript
        | Language::Tsx
        | Language::JavaScript
        | Language::Jsx
        | Language::Json
        | Language::Yaml => None,
    }
}

/// Returns the part after the last separator.
fn last_segment<'m>(module: &'m str, separator: &str) -> &'m str {
    module.rsplit(separator).next().unwrap_or(module)
}

/// Returns the usual name of a Go package: the last path segment that is not a version.
///
/// ```
/// use papayu_index::go_package_name;
///
/// assert_eq!(go_package_name("net/http"), "http");
/// assert_eq!(go_package_name("github.com/redis/go-redis/v9"), "redis");
/// assert_eq!(go_package_name("gopkg.in/yaml.v3"), "yaml");
/// ```
pub fn go_package_name(path: &str) -> &str {
    // A major version from 2 on is a part of the path and not of the name (Go Modules
    // Reference).
    let is_version = |part: &&str| {
        let number = part.strip_prefix('v').filter(|rest| !rest.is_empty());
        number.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let name = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    let name = name.split_once(".v").map_or(name, |(name, _)| name);
    // By convention `go-redis` has the package `redis`.
    name.strip_prefix("go-").unwrap_or(name)
}
