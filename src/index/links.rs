//! What each file takes from which others: every import of the index, led to its target.

mod follow;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use super::code::{FileId, Index};
use super::facts::{Import, ImportKind, ImportedName};
use super::held::Uses;
use super::language::Language;
use super::resolve::{Found, Request, Resolver, Target};
use crate::system::map_parallel;

/// One import, led to its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The module as the source spells it.
    pub module: Box<str>,
    /// How it is taken.
    pub kind: ImportKind,
    /// Whether it counts for types alone.
    pub type_only: bool,
    /// Where the statement begins.
    pub line: u32,
    /// Where it leads; names that are modules of their own lead to those too.
    pub target: Target,
    /// What is taken.
    pub names: Vec<Taken>,
}

/// A name taken from a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Where it is in the target, outermost first: empty for the whole module, `*` for everything.
    pub path: Vec<Box<str>>,
    /// Its name here; `*` for everything.
    pub here: Box<str>,
    /// The files it stands for when it is itself a module.
    pub module: Vec<FileId>,
}

/// Every import of an index, led to its target when it is first asked for.
pub struct Links<'a> {
    index: &'a Index,
    resolver: Resolver<'a>,
    files: Vec<OnceLock<Vec<Link>>>,
}

impl<'a> Links<'a> {
    /// Returns the links of an index, of which none is resolved yet.
    pub fn of(index: &'a Index) -> Self {
        let files = index.files().iter().map(|_| OnceLock::new()).collect();
        Self { index, resolver: Resolver::of(index), files }
    }

    /// Returns the index they were made of.
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// Returns what a file takes, in source order; a module that is only passed on is among them.
    pub fn imports_of(&self, file: FileId) -> &[Link] {
        let Some(links) = self.files.get(file.0 as usize) else { return &[] };
        links.get_or_init(|| {
            let Some(indexed) = self.index.file(file) else { return Vec::new() };
            let Some(language) = indexed.language() else { return Vec::new() };
            let of_file = |uses: Uses<'_>| of_file(&self.resolver, (file, language), uses);
            indexed.with_uses(of_file).unwrap_or_default()
        })
    }

    /// Returns what every file takes something from, on all cores, in the order of files. The names that are
    /// taken are not led anywhere: this is for questions that ask every file.
    pub(super) fn edges(&self) -> Vec<(FileId, Edges)> {
        let files: Vec<FileId> = (0..).map(FileId).take(self.files.len()).collect();
        let edges =
            map_parallel(files.len(), |at| files.get(at).map(|id| (*id, self.edges_of(*id))));
        edges.into_iter().flatten().collect()
    }

    fn edges_of(&self, file: FileId) -> Edges {
        let mut edges = Edges::default();
        if let Some(links) = self.files.get(file.0 as usize).and_then(OnceLock::get) {
            for link in links {
                edges.add(link.target.files(), link.kind, link.type_only);
            }
        } else if let Some(indexed) = self.index.file(file) {
            indexed.with_uses(|uses| {
                for lead in leads(&self.resolver, file, uses) {
                    let modules = lead.found.modules.iter().flat_map(|(_, files)| files);
                    if let Target::Internal(files) = &lead.found.target {
                        edges.add(files.iter().chain(modules), lead.kind, lead.type_only);
                    }
                }
            });
        }
        edges.sort(file);
        edges
    }

    /// Returns the definitions that a name used in a file stands for, as places in `facts.symbols`,
    /// sorted: those of the file itself, or those its imports lead to through everything that passes
    /// the name on, or those of the package where its files see each other. A name may be a path
    /// (`ns.name`, `a::b::Name`, `A\B`). Empty when the name comes from outside the repository.
    pub fn follow(&self, file: FileId, name: &str) -> Vec<(FileId, u32)> {
        follow::follow(self, file, name)
    }

    /// Returns the files of a module that a file names.
    fn target(&self, file: FileId, module: &str) -> &[FileId] {
        let link = self.imports_of(file).iter().find(|link| &*link.module == module);
        link.map_or(&[], |link| link.target.files())
    }

    /// Returns the files that manifests name as a beginning (`main`, `bin`, `exports`, crate roots),
    /// sorted.
    pub fn entries(&self) -> Vec<FileId> {
        self.resolver.entries()
    }
}

/// The files that a file takes something from, sorted, without itself.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// All of them.
    pub(super) all: Vec<FileId>,
    /// Those that code runs through: neither for types alone, nor a module's own declaration.
    pub(super) at_run_time: Vec<FileId>,
}

impl Edges {
    fn add<'f>(
        &mut self,
        files: impl IntoIterator<Item = &'f FileId>,
        kind: ImportKind,
        type_only: bool,
    ) {
        let begin = self.all.len();
        self.all.extend(files);
        if !type_only && kind != ImportKind::Module {
            self.at_run_time.extend(self.all.iter().skip(begin));
        }
    }

    fn sort(&mut self, itself: FileId) {
        for files in [&mut self.all, &mut self.at_run_time] {
            files.retain(|file| *file != itself);
            files.sort_unstable();
            files.dedup();
        }
    }
}

/// One import, or one module that names are passed on from, and where it leads.
struct Lead<'u> {
    module: &'u str,
    kind: ImportKind,
    type_only: bool,
    line: u32,
    import: Option<&'u Import>,
    found: Found,
}

/// Leads what a file takes and passes on, in source order.
fn leads<'u>(resolver: &Resolver<'_>, id: FileId, uses: Uses<'u>) -> Vec<Lead<'u>> {
    let taken = |import: &'u Import| Lead {
        module: &import.module,
        kind: import.kind,
        type_only: import.type_only,
        line: import.line,
        import: Some(import),
        found: resolver.resolve(&Request::of(id, import)),
    };
    let mut leads: Vec<Lead<'u>> = uses.imports.iter().map(taken).collect();
    for export in uses.exports {
        let Some(from) = &export.from else { continue };
        if leads.iter().all(|lead| *lead.module != **from) {
            let found = resolver.resolve(&Request::bare(id, from));
            let (module, kind, line) = (&**from, ImportKind::ReExport, export.line);
            leads.push(Lead { module, kind, type_only: false, line, import: None, found });
        }
    }
    leads.sort_by_key(|lead| lead.line);
    leads
}

fn of_file(
    resolver: &Resolver<'_>,
    (id, language): (FileId, Language),
    uses: Uses<'_>,
) -> Vec<Link> {
    let link = |lead: Lead<'_>| {
        let names = lead.import.map(|import| names(language, &lead.found, import));
        Link {
            module: lead.module.into(),
            kind: lead.kind,
            type_only: lead.type_only,
            line: lead.line,
            target: with_modules(lead.found),
            names: names.unwrap_or_default(),
        }
    };
    leads(resolver, id, uses).into_iter().map(link).collect()
}

/// Adds the files of names that are modules to the target.
fn with_modules(found: Found) -> Target {
    match found.target {
        Target::Internal(mut files) => {
            files.extend(found.modules.into_iter().flat_map(|(_, files)| files));
            let mut seen = std::collections::HashSet::new();
            files.retain(|file| seen.insert(*file));
            Target::Internal(files)
        }
        other => other,
    }
}

fn names(language: Language, found: &Found, import: &Import) -> Vec<Taken> {
    let taken = |name: &ImportedName| {
        let here = name.alias.clone().unwrap_or_else(|| name.name.clone());
        let module = found.modules.iter().find(|(module, _)| *module == name.name);
        let module = module.map(|(_, files)| files.clone()).unwrap_or_default();
        let itself = language == Language::Rust && &*name.name == "self";
        let here = match (itself, &name.alias) {
            (true, None) => last(&import.module, "::").into(),
            _ => here,
        };
        let path = found.rest.iter().chain((!itself).then_some(&name.name)).cloned().collect();
        Taken { path, here, module }
    };
    let mut names: Vec<Taken> = import.names.iter().map(taken).collect();
    if let Some(here) = whole(language, found, import) {
        let everything = &*here == "*" && found.rest.is_empty();
        let path = if everything { vec![here.clone()] } else { found.rest.clone() };
        names.push(Taken { path, here, module: Vec::new() });
    }
    names
}

/// Returns the name the module itself, or the one thing its path ends in, goes by here.
fn whole(language: Language, found: &Found, import: &Import) -> Option<Box<str>> {
    if import.alias.is_some() {
        return import.alias.clone();
    }
    if !import.names.is_empty() {
        return None;
    }
    let module = &*import.module;
    match language {
        Language::Rust => Some(last(module, "::").trim_end_matches(".rs").into()),
        Language::Go => Some(package_name(module).into()),
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
        _ => None,
    }
}

fn last<'m>(module: &'m str, separator: &str) -> &'m str {
    module.rsplit(separator).next().unwrap_or(module)
}

/// Returns the name a Go package mostly goes by: the last segment that is no version.
fn package_name(path: &str) -> &str {
    let is_version = |part: &&str| {
        part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let name = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    let name = name.split_once(".v").map_or(name, |(name, _)| name);
    name.strip_prefix("go-").unwrap_or(name)
}
