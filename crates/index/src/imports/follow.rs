//! Resolves a name used in a file to its definitions, through imports and re-exports.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use super::{FollowedName, ImportedSymbol, ResolvedImports};
use crate::code::{FileId, IndexedFile};
use crate::facts::{FileFacts, Symbol, SymbolKind};
use crate::resolve::ResolveRequest;
use papayu_lang::Language;

/// Most links in a chain of re-exports.
const MAX_DEPTH: u32 = 64;
/// Most places that are searched for one name. A generated file with thousands of wildcards
/// ends the search, not the program.
const MAX_STEPS: u32 = 20_000;

/// The side from which the names of a file are looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum View {
    /// Inside the file: all its names.
    Inside,
    /// From an importing file: exported names only.
    Outside,
    /// The same, for a path that begins with the item of a wildcard, such as `Kind` of `use Kind::*`. Such an item
    /// may come from a wildcard of a whole module, but from that of another item it would be looked up in ever
    /// longer paths.
    Item,
}

/// A definition: the file, and the position in its symbols.
type DefinitionId = (FileId, u32);

/// The state of one search.
struct Search<'l, 'a> {
    links: &'l ResolvedImports<'a>,
    seen: HashSet<(FileId, View, Vec<Box<str>>), FxBuildHasher>,
    /// Counts the places searched so far.
    steps: u32,
    found: Vec<DefinitionId>,
}

/// Returns the definitions of a name used in a file, sorted.
///
/// The order is that of the language: own definitions shadow imports, imports shadow wildcards.
/// An unknown name gives an empty list.
///
/// ```text
/// file `a.ts`: import { total } from "./cart";      name `total`   → definition in cart.ts
/// file `b.rs`: use crate::shop;                     name `shop::Cart` → struct in shop.rs
/// ```
pub(super) fn follow_name(links: &ResolvedImports<'_>, file: FileId, name: &str) -> FollowedName {
    // A name is written in the syntax of any language: `a.b`, `a::b`, `A\B`.
    let parts = name.split(['.', '\\']).flat_map(|part| part.split("::"));
    let path: Vec<Box<str>> = parts.filter(|part| !part.is_empty()).map(Box::from).collect();
    let mut search = Search { links, seen: HashSet::default(), steps: 0, found: Vec::new() };
    let Some(first) = path.first() else { return FollowedName::default() };
    if ["crate", "self", "super", "$crate"].contains(&&**first) && path.len() > 1 {
        search.by_module(file, &path);
    }
    if search.found.is_empty() {
        search.look_up(file, &path, View::Inside, 0);
    }
    if search.found.is_empty() && path.len() > 1 {
        search.by_module(file, &path);
    }
    // Last, members of the file itself: a method can be named without its type.
    if let ([name], []) = (path.as_slice(), search.found.as_slice()) {
        search.found = find_named(links, file, name, |_| true);
    }
    search.found.sort_unstable();
    search.found.dedup();
    FollowedName { places: search.found, steps: search.steps }
}

impl Search<'_, '_> {
    /// Resolves the path as an import of Rust would, and searches the rest of it in the file
    /// found.
    fn by_module(&mut self, file: FileId, path: &[Box<str>]) {
        if self.facts(file).is_none_or(|facts| facts.language != Language::Rust) {
            return;
        }
        let module = path.join("::");
        let found = self.links.resolver.resolve(&ResolveRequest::of_module(file, &module));
        if !found.rest.is_empty() {
            for target in found.target.files() {
                self.look_up(*target, &found.rest, View::Outside, 1);
            }
        }
    }

    /// Returns the facts of a file.
    fn facts(&self, file: FileId) -> Option<&FileFacts> {
        self.links.index.file(file)?.facts()
    }

    /// Adds the definitions of a path as seen in a file. Returns `true` if any were found.
    fn look_up(&mut self, file: FileId, path: &[Box<str>], view: View, depth: u32) -> bool {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS || path.is_empty() {
            return false;
        }
        // Modules may import each other in a circle.
        if !self.seen.insert((file, view, path.to_vec())) {
            return false;
        }
        let Some(language) = self.facts(file).map(|facts| facts.language) else { return false };
        let before = self.found.len();
        match (view, language) {
            // In Rust and Python what a module imports is a name of the module for others too.
            (View::Inside, _) | (_, Language::Rust | Language::Python) => {
                self.search_inside(file, path, view, depth);
            }
            (_, Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx) => {
                self.search_exports(file, path, depth);
            }
            (_, Language::C | Language::Cpp) => {
                if !self.search_own(file, path) {
                    self.search_wildcards(file, path, view, depth);
                }
                self.search_neighbours(file, path);
            }
            (_, _) => {
                self.search_own(file, path);
            }
        }
        self.found.len() > before
    }

    /// Searches a path in files, as an importing file sees them.
    fn look_in(&mut self, files: &[FileId], path: &[Box<str>], depth: u32) -> bool {
        self.look_as(files, path, View::Outside, depth)
    }

    /// Searches a path in files.
    fn look_as(&mut self, files: &[FileId], path: &[Box<str>], view: View, depth: u32) -> bool {
        // Every file is looked at: a package is made of several.
        let mut found = false;
        for file in files {
            found |= self.look_up(*file, path, view, depth + 1);
        }
        found
    }

    /// Looks a path up as code in the file sees it: own definitions, child modules, imports,
    /// wildcards, neighbours, autoloaded constants, in the order in which they shadow each other.
    fn search_inside(&mut self, file: FileId, path: &[Box<str>], view: View, depth: u32) {
        let Some((first, rest)) = path.split_first() else { return };
        if self.search_own(file, path) {
            return;
        }
        if let Some(child) = self.links.resolver.child_module(file, first)
            && self.look_in(&[child], rest, depth)
        {
            return;
        }
        if self.search_imports(file, path, depth) || self.search_wildcards(file, path, view, depth)
        {
            return;
        }
        if view == View::Inside && !self.search_neighbours(file, path) {
            // Autoloading (Zeitwerk) knows the whole constant `A::B` as `a/b.rb`, or only `A`, with
            // `B` inside.
            let constant = path.join("::");
            let whole = self.links.resolver.find_by_constant(file, &constant);
            let last = path.get(path.len() - 1..).unwrap_or(path);
            if let Some(whole) = whole {
                self.look_in(&[whole], last, depth);
            } else if let Some(part) = self.links.resolver.find_by_constant(file, first) {
                self.look_in(&[part], path, depth);
            }
        }
    }

    /// Searches the names that the imports of a file bind.
    fn search_imports(&mut self, file: FileId, path: &[Box<str>], depth: u32) -> bool {
        let Some((first, rest)) = path.split_first() else { return false };
        let links = self.links;
        let python = self.facts(file).is_some_and(|facts| facts.language == Language::Python);
        let mut found = false;
        for link in links.imports_of(file) {
            for taken in &link.names {
                let files = link.target.files();
                if taken.here == *first {
                    found |= self.search_targets(taken, files, rest, depth);
                } else if python && taken.path.is_empty() && taken.here.contains('.') {
                    // `import a.b` is used as `a.b.name`.
                    let parts: Vec<&str> = taken.here.split('.').collect();
                    let begins =
                        path.iter().map(|part| &**part).take(parts.len()).eq(parts.iter().copied());
                    let after = path.get(parts.len()..).filter(|_| begins);
                    found |= after.is_some_and(|after| self.look_in(files, after, depth));
                }
            }
        }
        found
    }

    /// Searches what an import binds: the module first, then a name in its files.
    fn search_targets(
        &mut self,
        taken: &ImportedSymbol,
        files: &[FileId],
        rest: &[Box<str>],
        depth: u32,
    ) -> bool {
        if !taken.module.is_empty() && self.look_in(&taken.module, rest, depth) {
            return true;
        }
        let path = [taken.path.as_slice(), rest].concat();
        // `require` returns the default export if a module has only one export.
        let whole = || [&[Box::from("default")], rest].concat();
        !path.is_empty() && self.look_in(files, &path, depth)
            || taken.path.is_empty() && self.look_in(files, &whole(), depth)
    }

    /// Searches the modules from which the file imports everything.
    fn search_wildcards(
        &mut self,
        file: FileId,
        path: &[Box<str>],
        view: View,
        depth: u32,
    ) -> bool {
        let links = self.links;
        let mut found = false;
        for link in links.imports_of(file) {
            for taken in link.names.iter().filter(|taken| &*taken.here == "*") {
                // The path of a wildcard ends in `*`, which the looked-up path replaces.
                let above = taken.path.split_last().map_or(&[][..], |(_, above)| above);
                let next = match (above.is_empty(), view) {
                    (true, View::Item) => View::Item,
                    (true, _) => View::Outside,
                    (false, View::Item) => continue,
                    (false, _) => View::Item,
                };
                found |= self.look_as(link.target.files(), &[above, path].concat(), next, depth);
            }
        }
        found
    }

    /// Searches the files that this file sees without an import, such as those of its Go
    /// package.
    fn search_neighbours(&mut self, file: FileId, path: &[Box<str>]) -> bool {
        let neighbours = self.links.resolver.package_neighbours(file);
        // A package can have thousands of files, so they count as steps.
        self.steps = self.steps.saturating_add(u32::try_from(neighbours.len()).unwrap_or(u32::MAX));
        let mut found = false;
        for file in neighbours {
            found |= self.search_own(file, path);
        }
        found
    }

    /// Searches the exports of a JavaScript module.
    fn search_exports(&mut self, file: FileId, path: &[Box<str>], depth: u32) {
        let links = self.links;
        let Some((first, rest)) = path.split_first() else { return };
        let Some(facts) = links.index.file(file).and_then(IndexedFile::facts) else {
            return;
        };
        let mut is_named = false;
        for export in facts.exports.iter().filter(|export| export.name == *first) {
            is_named = true;
            let local = export.local.as_ref().unwrap_or(&export.name);
            let inner = [std::slice::from_ref(local), rest].concat();
            match &export.from {
                Some(from) if &**local == "*" => {
                    self.look_in(links.find_target(file, from), rest, depth);
                }
                Some(from) => {
                    self.look_in(links.find_target(file, from), &inner, depth);
                }
                None if export.local.is_none() && &**first == "default" => {
                    // `export default function …` has no local name; the definition on the line of
                    // the export is meant.
                    let on_line = |symbol: &Symbol| {
                        symbol.parent.is_none()
                            && (symbol.start..=symbol.line).contains(&export.line)
                    };
                    let owners = find_places(links, file, on_line);
                    self.search_members(&owners, rest);
                }
                None => {
                    self.look_up(file, &inner, View::Inside, depth + 1);
                }
            }
        }
        if is_named {
            return;
        }
        // `export * from` passes all names on but the default (ECMAScript, ExportDeclaration).
        if &**first != "default" {
            let all = facts.exports.iter().filter(|export| &*export.name == "*");
            for from in all.filter_map(|export| export.from.as_ref()) {
                self.look_in(links.find_target(file, from), path, depth);
            }
        }
        // CommonJS modules and global declarations export their top-level names.
        if facts.exports.is_empty() {
            self.search_own(file, path);
        }
    }

    /// Searches the top-level definitions of the file, and the rest of the path inside them.
    fn search_own(&mut self, file: FileId, path: &[Box<str>]) -> bool {
        let Some((first, rest)) = path.split_first() else { return false };
        let Some(facts) = self.facts(file) else { return false };
        let is_top = |symbol: &Symbol| {
            let parent = symbol.parent.and_then(|at| facts.symbols.get(at as usize));
            // A block of methods does not define its type.
            let is_block = rest.is_empty() && is_block(facts.language, symbol);
            let is_test = symbol.kind == SymbolKind::Test;
            !is_test && !is_block && parent.is_none_or(is_open)
        };
        let owners = find_named(self.links, file, first, is_top);
        self.search_members(&owners, rest)
    }

    /// Searches the members of these definitions for the path.
    fn search_members(&mut self, owners: &[DefinitionId], path: &[Box<str>]) -> bool {
        let Some((first, rest)) = path.split_first() else {
            self.found.extend_from_slice(owners);
            return !owners.is_empty();
        };
        let mut found = Vec::new();
        for (file, at) in owners {
            let Some(facts) = self.facts(*file) else { continue };
            let owner = facts.symbols.get(*at as usize).map(|symbol| &symbol.name);
            let within = |symbol: &Symbol| {
                let parent = symbol.parent.and_then(|at| facts.symbols.get(at as usize));
                parent.is_some() && parent.map(|parent| &parent.name) == owner
            };
            found.extend(find_named(self.links, *file, first, within));
        }
        !found.is_empty() && self.search_members(&found, rest)
    }
}

/// Returns `true` if names inside can be used like top-level names: in a namespace, but not in
/// a block of methods.
///
/// Names in Rust's inline modules are looked up by path and cannot shadow others.
fn is_open(parent: &Symbol) -> bool {
    let words = ["namespace", "package", "module", "extern"];
    parent.kind == SymbolKind::Module
        && parent.signature.split_whitespace().any(|word| words.contains(&word))
}

/// Returns `true` if a symbol is an `impl` block.
fn is_block(language: Language, symbol: &Symbol) -> bool {
    language == Language::Rust
        && symbol.kind == SymbolKind::Module
        && symbol.signature.split_whitespace().all(|word| word != "mod")
}

/// Returns the symbols of a file with that name for which `wanted` returns `true`.
fn find_named(
    links: &ResolvedImports<'_>,
    file: FileId,
    name: &str,
    wanted: impl Fn(&Symbol) -> bool,
) -> Vec<DefinitionId> {
    let places = links.symbols_named(file, name).iter().copied();
    let is_wanted = |at: &u32| links.index.symbol(file, *at).is_some_and(&wanted);
    places.filter(is_wanted).map(|at| (file, at)).collect()
}

/// Returns the symbols of a file for which `wanted` returns `true`.
fn find_places(
    links: &ResolvedImports<'_>,
    file: FileId,
    wanted: impl Fn(&Symbol) -> bool,
) -> Vec<DefinitionId> {
    let facts = links.index.file(file).and_then(IndexedFile::facts);
    let symbols = facts.into_iter().flat_map(|facts| &facts.symbols).zip(0..);
    symbols.filter(|(symbol, _)| wanted(symbol)).map(|(_, at)| (file, at)).collect()
}
