//! One path to the file it ends in, over the tree of `mod` lines.

use std::collections::HashMap;

use super::crates::{Crates, Named};
use crate::code::FileId;
use crate::facts::{Import, ImportKind, ImportedName, SymbolKind};
use crate::resolve::paths::{join, join_name, name};
use crate::resolve::target::{ImportTarget, ResolveRequest, ResolvedModule};
use crate::resolve::tree::FileTable;
use papayu_lang::Language;

/// Greatest nesting of modules.
const MAX_DEPTH: usize = 128;
/// Most inline modules around a `mod` line.
const MAX_INLINE: usize = 8;
/// Segments of a path that is still made longer.
const MAX_SEGMENTS: usize = 16;

/// The crates and modules of a repository.
pub(crate) struct RustModules<'a> {
    crates: Crates<'a>,
    children: HashMap<(FileId, Box<str>), FileId>,
    parents: HashMap<FileId, FileId>,
}

impl<'a> RustModules<'a> {
    /// Reads every manifest and every `mod` line.
    pub(crate) fn of(tree: &FileTable<'a>) -> Self {
        let crates = Crates::of(tree);
        let mut rust = Self { crates, children: HashMap::new(), parents: HashMap::new() };
        for id in (0..).map(FileId).take(tree.index.files().len()) {
            let Some(facts) = tree.facts(id).filter(|facts| facts.language == Language::Rust)
            else {
                continue;
            };
            for import in facts.imports.iter().filter(|import| import.kind == ImportKind::Module) {
                rust.declare_module(tree, id, import);
            }
        }
        rust
    }

    /// Returns the files that crates begin with.
    pub(crate) fn roots(&self) -> &[FileId] {
        &self.crates.roots
    }

    /// Returns the module of that name that a file declares. `None` if it declares none.
    pub(crate) fn child_module(&self, file: FileId, name: &str) -> Option<FileId> {
        self.children.get(&(file, name.into())).copied()
    }

    /// Returns the module file in which a path continues, and the rest of the path. Inline modules
    /// are part of the file:
    /// `mod a { mod b; }` is found as `a::b`.
    fn descend<'s, 'p>(
        &self,
        file: FileId,
        path: &'s [&'p str],
    ) -> Option<(FileId, &'s [&'p str])> {
        (1..=path.len().min(MAX_INLINE)).find_map(|length| {
            let (module, after) = path.split_at_checked(length)?;
            Some((self.child_module(file, &module.join("::"))?, after))
        })
    }

    /// Returns the target of a path.
    pub(crate) fn resolve(
        &self,
        tree: &FileTable<'a>,
        request: &ResolveRequest<'_>,
    ) -> ResolvedModule {
        if request.kind == ImportKind::Module {
            let child = self.child_module(request.from, child_name(request.module, None));
            let by_path =
                || find_module_file(tree, request.from, request.module, self.is_root(request.from));
            return ResolvedModule::files(child.or_else(by_path).into_iter().collect());
        }
        let path = request.module.trim_start_matches("::");
        let segments: Vec<&str> =
            path.split("::").map(|part| part.trim_start_matches("r#")).collect();
        if let Some(longer) = self.spelled_out(tree, request, &segments) {
            return self.resolve(tree, &ResolveRequest { module: &longer, ..*request });
        }
        match self.find_start(tree, request, &segments) {
            Ok((file, taken)) => {
                self.walk_segments(file, segments.get(taken..).unwrap_or(&[]), request)
            }
            Err(target) => ResolvedModule::from_target(target),
        }
    }

    /// Returns the whole path of one that begins with a name another statement takes. It then begins with
    /// something else, so that this ends: a path is spelled out only while it is short.
    fn spelled_out(
        &self,
        tree: &FileTable<'a>,
        request: &ResolveRequest<'_>,
        segments: &[&str],
    ) -> Option<String> {
        let (first, rest) = segments.split_first()?;
        let leads = ["crate", "$crate", "self", "super"].contains(first);
        let is_known = leads
            || segments.len() > MAX_SEGMENTS
            || request.module.starts_with("::")
            || self.child_module(request.from, first).is_some()
            || is_here(tree, request.from, first)
            || self.crates.find_named(tree.folder_of(request.from), first).is_some();
        if is_known {
            return None;
        }
        let whole = taken_by(tree, request.from, first)?;
        Some(
            std::iter::once(whole.as_str())
                .chain(rest.iter().copied())
                .collect::<Vec<_>>()
                .join("::"),
        )
    }

    /// Follows a path from a file as far as its segments are modules; what is left are items of the
    /// last one.
    fn walk_segments(
        &self,
        start: FileId,
        segments: &[&str],
        request: &ResolveRequest<'_>,
    ) -> ResolvedModule {
        let mut file = start;
        let mut rest = segments;
        while let Some((child, after)) = self.descend(file, rest) {
            (file, rest) = (child, after);
        }
        let taken = request.names.iter().filter(|_| rest.is_empty());
        let modules = taken.filter_map(|taken| {
            let module = if &*taken.name == "self" {
                Some(file)
            } else {
                self.child_module(file, &taken.name)
            };
            Some((taken.name.clone(), vec![module?]))
        });
        ResolvedModule {
            target: ImportTarget::Internal(vec![file]),
            modules: modules.collect(),
            rest: rest.iter().map(|part| (*part).into()).collect(),
        }
    }

    /// Returns the file a path begins in, and how many of its segments that takes.
    fn find_start(
        &self,
        tree: &FileTable<'a>,
        request: &ResolveRequest<'_>,
        segments: &[&str],
    ) -> Result<(FileId, usize), ImportTarget> {
        let from = request.from;
        let first = segments.first().copied().unwrap_or_default();
        match first {
            "crate" | "$crate" => return Ok((self.root_of(from), 1)),
            "self" | "super" => return self.climb_supers(from, segments),
            _ => {}
        }
        if !request.module.starts_with("::")
            && (self.child_module(from, first).is_some() || is_here(tree, from, first))
        {
            return Ok((from, 0));
        }
        match self.crates.find_named(tree.folder_of(from), first) {
            Some(Named::Local(root)) => return Ok((root, 1)),
            Some(Named::Fetched(package)) => return Err(ImportTarget::external(&package)),
            None => {}
        }
        if ["std", "core", "alloc", "proc_macro", "test"].contains(&first) {
            return Err(ImportTarget::builtin(first));
        }
        // Before the edition of 2018 paths began at the crate.
        let root = self.root_of(from);
        if self.child_module(root, first).is_some() {
            return Ok((root, 0));
        }
        Err(ImportTarget::external(first))
    }

    /// Follows the leading `self` and `super` of a path. Returns the file and the number of
    /// segments used; a `super` above the root of a crate does not resolve.
    fn climb_supers(
        &self,
        from: FileId,
        segments: &[&str],
    ) -> Result<(FileId, usize), ImportTarget> {
        let mut file = from;
        let mut taken = 0;
        for segment in segments {
            match *segment {
                "self" => {}
                "super" => file = *self.parents.get(&file).ok_or(ImportTarget::Unresolved)?,
                _ => break,
            }
            taken += 1;
        }
        Ok((file, taken))
    }

    /// Returns the file a file's crate begins with; a loop of `mod` lines ends somewhere in it.
    fn root_of(&self, file: FileId) -> FileId {
        let ups = std::iter::successors(Some(file), |at| self.parents.get(at).copied());
        ups.take(MAX_DEPTH).last().unwrap_or(file)
    }

    /// Returns `true` if a file is the root of a crate: `lib.rs`, `main.rs`, or any that the
    /// manifest names.
    fn is_root(&self, file: FileId) -> bool {
        self.crates.roots.binary_search(&file).is_ok()
    }

    /// Records the file of `mod name;` as a child of the declaring file.
    fn declare_module(&mut self, tree: &FileTable<'a>, file: FileId, import: &Import) {
        let child = find_module_file(tree, file, &import.module, self.is_root(file));
        let Some(child) = child.filter(|child| *child != file) else { return };
        let name = child_name(&import.module, import.alias.as_deref());
        self.children.entry((file, name.into())).or_insert(child);
        // A root, for example a test that another test declares with `mod`, stays the top of its own
        // crate.
        if self.is_root(child) {
            return;
        }
        // If a library and a program both declare it, the library comes first.
        let parent = self.parents.entry(child).or_insert(file);
        if self::name(tree.path(file)) == "lib.rs" {
            *parent = file;
        }
    }
}

/// Returns the name a `mod` line gives; that of a path (`#[path]`) is its stem where no other is known.
fn child_name<'m>(module: &'m str, alias: Option<&'m str>) -> &'m str {
    let stem = || name(module).strip_suffix(".rs").unwrap_or(module);
    alias.unwrap_or_else(stem).trim_start_matches("r#")
}

/// Returns the file of a `mod` line: where the language looks, then where the other style would.
fn find_module_file(
    tree: &FileTable<'_>,
    file: FileId,
    module: &str,
    is_root: bool,
) -> Option<FileId> {
    let folder = tree.folder_of(file);
    if module.strip_suffix(".rs").is_some() || module.contains('/') {
        return join(folder, module).and_then(|path| tree.file(&path));
    }
    let module = module.replace("r#", "").replace("::", "/");
    let own = name(tree.path(file));
    let below = join_name(folder, own.strip_suffix(".rs").unwrap_or(own));
    let mut folders = [folder.to_owned(), below];
    // The modules of `a.rs` are in `a/`; those of `a/mod.rs` and of a crate's root are in the same folder.
    if !is_root && !["mod.rs", "lib.rs", "main.rs"].contains(&own) {
        folders.reverse();
    }
    folders.iter().find_map(|folder| {
        let path = join_name(folder, &module);
        tree.file(&format!("{path}.rs")).or_else(|| tree.file(&format!("{path}/mod.rs")))
    })
}

/// Returns `true` if the file defines a name at its top that a path can continue from.
fn is_here(tree: &FileTable<'_>, file: FileId, name: &str) -> bool {
    let kinds = [SymbolKind::Module, SymbolKind::Enum, SymbolKind::Class, SymbolKind::Type];
    let symbols = tree.facts(file).map_or(&[][..], |facts| &facts.symbols);
    symbols.iter().any(|symbol| &*symbol.name == name && kinds.contains(&symbol.kind))
}

/// Returns the path that another statement of the file takes a name by.
fn taken_by(tree: &FileTable<'_>, from: FileId, name: &str) -> Option<String> {
    let imports = tree.facts(from).map_or(&[][..], |facts| &facts.imports);
    imports.iter().find_map(|import| {
        // `use name::name` takes it from a crate of the same name.
        let first = import.module.split("::").next()?;
        if import.kind == ImportKind::Module || first == name {
            return None;
        }
        let is_it = |taken: &&ImportedName| **taken.alias.as_ref().unwrap_or(&taken.name) == *name;
        let taken = import.names.iter().find(is_it)?;
        Some(format!("{}::{}", import.module, taken.name))
    })
}
