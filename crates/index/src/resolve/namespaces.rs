//! C# and PHP: names of namespaces, which C# declares in any file and PHP maps to folders.

use std::collections::HashMap;

use serde_json::Value;

use super::paths::{join, join_name};
use super::target::{ImportTarget, ResolveRequest, ResolvedModule};
use super::tree::FileTable;
use crate::code::FileId;
use crate::facts::{ImportKind, SymbolKind};
use papayu_lang::Language;

/// The namespaces of a repository.
pub(super) struct Namespaces {
    /// C#'s namespaces with the files that add to them.
    declared: HashMap<String, Vec<FileId>>,
    /// Composer's prefixes with their folders, longest prefix first.
    mapped: Vec<(String, Vec<String>)>,
}

impl Namespaces {
    /// Reads every declaration and every `composer.json`.
    pub(super) fn of(tree: &FileTable<'_>) -> Self {
        let mut declared: HashMap<String, Vec<FileId>> = HashMap::new();
        for id in (0..).map(FileId).take(tree.index.files().len()) {
            if tree.language(id) == Some(Language::CSharp) {
                for name in own_namespaces(tree, id) {
                    declared.entry(name).or_default().push(id);
                }
            }
        }
        Self { declared, mapped: mapped_prefixes(tree) }
    }

    /// Returns the target of C#'s `using`: every file that adds to the namespace, or the class.
    pub(super) fn resolve_csharp(
        &self,
        tree: &FileTable<'_>,
        request: &ResolveRequest<'_>,
    ) -> ResolvedModule {
        let module = request.module;
        let files = |name: &str| self.declared.get(name).filter(|files| !files.is_empty());
        if let Some(files) = files(module) {
            return ResolvedModule::from_target(ImportTarget::Internal(files.clone()));
        }
        // `using static A.B.Class` and `using X = A.B.Class`.
        if let Some((namespace, class)) = module.rsplit_once('.')
            && let Some(files) = files(namespace)
        {
            let defines = |id: &FileId| {
                let symbols = tree.facts(*id).map_or(&[][..], |facts| &facts.symbols);
                symbols.iter().any(|symbol| *symbol.name == *class)
            };
            let files: Vec<FileId> = files.iter().copied().filter(defines).collect();
            if !files.is_empty() {
                let (target, rest) = (ImportTarget::Internal(files), vec![class.into()]);
                return ResolvedModule { target, rest, modules: Vec::new() };
            }
        }
        let top = module.split('.').next().unwrap_or(module);
        ResolvedModule::from_target(if top == "System" {
            ImportTarget::builtin(module)
        } else {
            ImportTarget::external(module)
        })
    }

    /// Returns the other files of the namespaces that a C# file adds to.
    pub(super) fn neighbours(&self, tree: &FileTable<'_>, from: FileId) -> Vec<FileId> {
        let mut files: Vec<FileId> = Vec::new();
        for name in own_namespaces(tree, from) {
            // Names of the namespaces around it are seen too.
            let around = std::iter::successors(Some(name.as_str()), |at| {
                at.rsplit_once('.').map(|(outer, _)| outer)
            });
            files.extend(around.filter_map(|name| self.declared.get(name)).flatten());
        }
        files.sort_unstable();
        files.dedup();
        files.retain(|id| *id != from);
        files
    }

    /// Returns the target of PHP's `use`, `require` and `include`.
    pub(super) fn resolve_php(
        &self,
        tree: &FileTable<'_>,
        request: &ResolveRequest<'_>,
    ) -> ResolvedModule {
        let module = request.module;
        if matches!(request.kind, ImportKind::Beside | ImportKind::Require) {
            let path = module.trim_start_matches('/');
            let folder = tree.folder_of(request.from);
            let sibling = join(folder, path).and_then(|path| tree.file(&path));
            // `include` also searches the include path, which mostly is the root of the project.
            let file = sibling.or_else(|| tree.file(&join("", path)?));
            return ResolvedModule::files(file.into_iter().collect());
        }
        let path = module.trim_start_matches('\\');
        if request.names.is_empty()
            && let Some(found) = self.find_class(tree, path)
        {
            return found;
        }
        let joined = |name: &str| format!("{path}\\{name}");
        let several =
            request.names.iter().filter_map(|taken| self.find_class(tree, &joined(&taken.name)));
        let mut files: Vec<FileId> =
            several.flat_map(|found| found.target.files().to_vec()).collect();
        files.sort_unstable();
        files.dedup();
        if !files.is_empty() {
            return ResolvedModule::files(files);
        }
        let whole = joined("");
        if self.mapped.iter().any(|(prefix, _)| !prefix.is_empty() && whole.starts_with(prefix)) {
            return ResolvedModule::from_target(ImportTarget::Unresolved);
        }
        let (vendor, _) = path.split_once('\\').unwrap_or((path, ""));
        // Without a namespace it is a class of PHP itself.
        let is_own = vendor == path && request.names.is_empty();
        ResolvedModule::from_target(if is_own {
            ImportTarget::builtin(path)
        } else {
            ImportTarget::external(vendor)
        })
    }

    /// Returns the file of a PHP class: by the PSR-4 prefixes of Composer, else the file with a path that ends like its name.
    fn find_class(&self, tree: &FileTable<'_>, path: &str) -> Option<ResolvedModule> {
        let file = self.mapped.iter().find_map(|(prefix, folders)| {
            let rest = strip_namespace(prefix, path)?.replace('\\', "/");
            folders
                .iter()
                .find_map(|folder| tree.file(&format!("{}.php", join_name(folder, &rest))))
        });
        // Without a map the folders mostly follow the name all the same.
        let file = file.or_else(|| {
            let (_, rest) = path.split_once('\\')?;
            match tree.files_ending(&format!("{}.php", rest.replace('\\', "/"))).as_slice() {
                [one] if self.mapped.is_empty() => Some(*one),
                _ => None,
            }
        });
        let class = path.rsplit('\\').next().unwrap_or(path);
        let target = ImportTarget::Internal(vec![file?]);
        Some(ResolvedModule { target, rest: vec![class.into()], modules: Vec::new() })
    }
}

/// Returns what follows a prefix, which ends with a backslash or is empty.
fn strip_namespace<'p>(prefix: &str, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(prefix).filter(|rest| !rest.is_empty())
}

/// Returns the full names of the namespaces a C# file adds to.
fn own_namespaces(tree: &FileTable<'_>, id: FileId) -> Vec<String> {
    let Some(facts) = tree.facts(id) else { return Vec::new() };
    let mut names: Vec<Option<String>> = Vec::new();
    for symbol in &facts.symbols {
        let outer = symbol.parent.map(|at| names.get(at as usize).cloned().flatten());
        // Every symbol gets an entry, so that `parent` is an index into `names`.
        names.push(match (symbol.kind == SymbolKind::Module, outer) {
            (true, Some(Some(outer))) => Some(format!("{outer}.{}", symbol.name)),
            (true, _) => Some(symbol.name.to_string()),
            (false, _) => None,
        });
    }
    names.into_iter().flatten().collect()
}

/// Returns the PSR-4 prefixes of all `composer.json` files with their folders. A prefix may have
/// several folders.
///
/// Format: `"autoload": {"psr-4": {"App\\": "src/", "Lib\\": ["lib/", "more/"]}}`
/// (getcomposer.org/doc/04-schema.md).
fn mapped_prefixes(tree: &FileTable<'_>) -> Vec<(String, Vec<String>)> {
    let mut mapped = Vec::new();
    for (folder, text) in tree.manifests("composer.json") {
        let Ok(manifest) = serde_json::from_str::<Value>(text) else { continue };
        for list in ["autoload", "autoload-dev"] {
            for (prefix, at) in manifest[list]["psr-4"].as_object().into_iter().flatten() {
                let one = at.as_str().into_iter();
                let several = at.as_array().into_iter().flatten().filter_map(Value::as_str);
                let folders = one.chain(several).filter_map(|at| join(folder, at)).collect();
                mapped.push((prefix.clone(), folders));
            }
        }
    }
    // The sort is stable: of two maps with the same prefix, the first manifest wins.
    mapped.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
    mapped
}
