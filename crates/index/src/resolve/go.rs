//! Go: `go.mod`, `go.work`, `replace` to a local path; a package is a folder.

use std::collections::HashMap;

use super::paths::{folders_upwards, join, strip_folder};
use super::target::{ImportTarget, ResolveRequest, ResolvedModule};
use super::tree::{FileTable, nearest_above};
use crate::code::FileId;
use papayu_lang::Language;

/// The modules of a repository.
pub(super) struct GoModules<'a> {
    modules: HashMap<&'a str, Module<'a>>,
    /// The folders that each `go.work` uses, by its own.
    works: HashMap<&'a str, GoWork>,
}

/// The content of a `go.mod`.
struct Module<'a> {
    path: &'a str,
    /// Module paths with the local folders they are taken from.
    replaced: Vec<(String, String)>,
    required: Vec<&'a str>,
}

/// The content of a `go.work`.
struct GoWork {
    used: Vec<String>,
    replaced: Vec<(String, String)>,
}

impl<'a> GoModules<'a> {
    /// Reads every manifest.
    pub(super) fn of(tree: &FileTable<'a>) -> Self {
        let modules =
            tree.manifests("go.mod").map(|(folder, text)| (folder, parse_module(folder, text)));
        let works =
            tree.manifests("go.work").map(|(folder, text)| (folder, parse_work(folder, text)));
        Self { modules: modules.collect(), works: works.collect() }
    }

    /// Returns the files of the package, its tests left out.
    pub(super) fn resolve(
        &self,
        tree: &FileTable<'a>,
        request: &ResolveRequest<'_>,
    ) -> ResolvedModule {
        let (folder, path) = (tree.folder_of(request.from), request.module);
        if path.starts_with("./") || path.starts_with("../") {
            let files = join(folder, path).map(|at| package_files(tree, &at)).unwrap_or_default();
            return ResolvedModule::files(files);
        }
        if path == "C" || path == "unsafe" {
            return ResolvedModule::from_target(ImportTarget::builtin(path));
        }
        let local = self.visible_modules(folder);
        let inside = local.iter().filter_map(|(module, at)| {
            let rest = if path == module { Some("") } else { strip_folder(module, path) };
            rest.filter(|_| !module.is_empty()).map(|rest| (module.len(), at, rest))
        });
        if let Some((_, at, rest)) = inside.max_by_key(|(length, ..)| *length) {
            return ResolvedModule::files(
                join(at, rest).map(|at| package_files(tree, &at)).unwrap_or_default(),
            );
        }
        let first = path.split('/').next().unwrap_or(path);
        ResolvedModule::from_target(if first.contains('.') {
            ImportTarget::external(self.required_module(folder, path))
        } else {
            ImportTarget::builtin(path)
        })
    }

    /// Returns the module paths that a folder's files reach in this repository, with their folders.
    fn visible_modules(&self, folder: &str) -> Vec<(String, String)> {
        let mut visible = Vec::new();
        let home = folders_upwards(folder).find(|at| self.modules.contains_key(at));
        if let Some((home, own)) = home.and_then(|home| Some((home, self.modules.get(home)?))) {
            visible.push((own.path.to_owned(), home.to_owned()));
            visible.extend(own.replaced.iter().cloned());
        }
        if let Some(work) = nearest_above(&self.works, folder) {
            // The workspace counts only for the modules that it uses.
            if home.is_some_and(|home| work.used.iter().any(|used| used == home)) {
                let used = work.used.iter().filter_map(|at| {
                    Some((self.modules.get(at.as_str())?.path.to_owned(), at.clone()))
                });
                visible.extend(used);
                visible.extend(work.replaced.iter().cloned());
            }
        }
        visible
    }

    /// Returns the module of `go.mod` that has the package: of several that are prefixes of its
    /// path the longest one, as the `go` command chooses (go.dev/ref/mod#resolve-pkg-mod).
    fn required_module<'p>(&'p self, folder: &str, path: &'p str) -> &'p str {
        let required = nearest_above(&self.modules, folder).map(|module| &module.required);
        let inside = required
            .into_iter()
            .flatten()
            .filter(|module| path == **module || strip_folder(module, path).is_some());
        inside.max_by_key(|module| module.len()).copied().unwrap_or(path)
    }
}

/// Returns the Go files of a folder that are no tests.
fn package_files(tree: &FileTable<'_>, folder: &str) -> Vec<FileId> {
    let files = tree.files_in(folder).iter().copied();
    let is_source = |id: &FileId| {
        tree.language(*id) == Some(Language::Go) && !tree.path(*id).ends_with("_test.go")
    };
    files.filter(is_source).collect()
}

/// Returns each directive with its words, those of a block with the block's verb.
fn parse_directives(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    let mut block = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut words = line.split_whitespace().map(|word| word.trim_matches('"'));
        match (block, line) {
            (_, "") => {}
            (Some(_), ")") => block = None,
            (Some(verb), _) => found.push((verb, words.collect())),
            (None, _) => {
                let Some(verb) = words.next() else { continue };
                if line.ends_with('(') {
                    block = Some(verb.trim_end_matches('('));
                } else {
                    found.push((verb, words.collect()));
                }
            }
        }
    }
    found
}

/// Reads `old [version] => ./path`; a replacement from the network is ignored.
fn parse_replacement(folder: &str, words: &[&str]) -> Option<(String, String)> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    let (old, new) = (words.first()?, words.get(arrow + 1)?);
    if !new.starts_with("./") && !new.starts_with("../") {
        return None;
    }
    Some(((*old).to_owned(), join(folder, new)?))
}

/// Parses a `go.mod`: its own path, and the `replace` and `require` lines, alone or in parentheses.
fn parse_module<'a>(folder: &str, text: &'a str) -> Module<'a> {
    let mut module = Module { path: "", replaced: Vec::new(), required: Vec::new() };
    for (verb, words) in parse_directives(text) {
        match verb {
            "module" => module.path = words.first().copied().unwrap_or_default(),
            "replace" => module.replaced.extend(parse_replacement(folder, &words)),
            "require" => module.required.extend(words.first()),
            _ => {}
        }
    }
    module
}

/// Parses a `go.work`: `use ./dir` lines name the modules of the workspace; their packages take
/// precedence over downloaded ones.
fn parse_work(folder: &str, text: &str) -> GoWork {
    let mut work = GoWork { used: Vec::new(), replaced: Vec::new() };
    for (verb, words) in parse_directives(text) {
        match verb {
            "use" => work.used.extend(words.first().and_then(|at| join(folder, at))),
            "replace" => work.replaced.extend(parse_replacement(folder, &words)),
            _ => {}
        }
    }
    work
}
