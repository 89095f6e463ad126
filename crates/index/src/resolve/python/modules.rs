//! One module's name to its files.

use super::entries::{modules_of_pyproject, modules_of_setup_cfg};
use super::roots::{Roots, has_modules, own_root};
use crate::code::FileId;
use crate::facts::ImportedName;
use crate::resolve::paths::{folders_upwards, join_name};
use crate::resolve::target::{ImportTarget, ResolveRequest, ResolvedModule};
use crate::resolve::tree::FileTable;
use papayu_lang::is_python_standard;

/// The source roots of a repository.
pub(crate) struct PythonModules<'a> {
    roots: Roots<'a>,
}

/// The file or folder of a dotted name.
enum ModuleFile {
    /// A module, or a package's `__init__`.
    Module(FileId),
    /// A folder without `__init__.py`.
    Namespace,
}

impl<'a> PythonModules<'a> {
    /// Looks for the source roots.
    pub(crate) fn of(tree: &FileTable<'a>) -> Self {
        Self { roots: Roots::of(tree) }
    }

    /// Returns the target of a module name, with the imported names that are modules themselves.
    pub(crate) fn resolve(
        &self,
        tree: &FileTable<'a>,
        request: &ResolveRequest<'_>,
    ) -> ResolvedModule {
        let rest = request.module.trim_start_matches('.');
        let dots = request.module.len() - rest.len();
        let segments: Vec<&str> = rest.split('.').filter(|part| !part.is_empty()).collect();
        if dots > 0 {
            // One dot is the folder itself, each further one its parent.
            let base = folders_upwards(tree.folder_of(request.from)).nth(dots - 1);
            return base
                .and_then(|base| Self::resolve_at(tree, base, &segments, request.names))
                .unwrap_or(ResolvedModule::from_target(ImportTarget::Unresolved));
        }
        let Some(top) = segments.first() else {
            return ResolvedModule::from_target(ImportTarget::Unresolved);
        };
        let own = own_root(tree, tree.folder_of(request.from));
        if is_python_standard(top) {
            // A script's own folder comes before the standard library.
            let own = has_top_module(tree, own, top)
                .then(|| Self::resolve_at(tree, own, &segments, request.names));
            return own
                .flatten()
                .unwrap_or(ResolvedModule::from_target(ImportTarget::builtin(top)));
        }
        self.resolve_absolute(tree, request, &segments)
            .unwrap_or_else(|| ResolvedModule::from_target(ImportTarget::external(top)))
    }

    /// Returns the files that the entry points of manifests lead to.
    pub(crate) fn entry_files(&self, tree: &FileTable<'a>) -> Vec<FileId> {
        let projects = tree.manifests("pyproject.toml");
        let projects = projects.map(|(folder, text)| (folder, modules_of_pyproject(text)));
        let setups = tree.manifests("setup.cfg");
        let setups = setups.map(|(folder, text)| (folder, modules_of_setup_cfg(text)));
        let mut files = Vec::new();
        for (folder, modules) in projects.chain(setups) {
            for module in modules {
                let segments: Vec<&str> = module.split('.').collect();
                let roots = self.roots.declared_roots(folder);
                files.extend(roots.iter().find_map(|root| {
                    match find_module(tree, root, &segments) {
                        Some(ModuleFile::Module(file)) => Some(file),
                        _ => None,
                    }
                }));
            }
        }
        files
    }

    /// Returns the target of `import a.b`: in the nearest root that has `a` at its top, so that two
    /// services in one repository that both have a package `app` do not import from each other.
    fn resolve_absolute(
        &self,
        tree: &FileTable<'a>,
        request: &ResolveRequest<'_>,
        segments: &[&str],
    ) -> Option<ResolvedModule> {
        let top = segments.first()?;
        let near = self.roots.roots_near(tree, request.from);
        if let Some(root) = near.iter().find(|root| has_top_module(tree, root, top)) {
            let found = Self::resolve_at(tree, root, segments, request.names);
            return Some(found.unwrap_or(ResolvedModule::from_target(ImportTarget::Unresolved)));
        }
        // A package under exactly one root elsewhere in the repository.
        // With two candidates either could be meant, so none is taken.
        let mut far = self.roots.found_roots().filter(|root| has_top_module(tree, root, top));
        if let (Some(root), None) = (far.next(), far.next()) {
            return Self::resolve_at(tree, root, segments, request.names);
        }
        // A namespace counts only where what is taken from it is there.
        near.iter().find_map(|root| Self::resolve_at(tree, root, segments, request.names))
    }

    /// Returns the target of a path below one root. Imported names that are modules themselves, as
    /// in `from a import b`, lead to their files.
    fn resolve_at(
        tree: &FileTable<'a>,
        root: &str,
        segments: &[&str],
        names: &[ImportedName],
    ) -> Option<ResolvedModule> {
        let folder = segments.iter().fold(root.to_owned(), |at, part| join_name(&at, part));
        let place = find_module(tree, root, segments)?;
        let modules: Vec<(Box<str>, Vec<FileId>)> = names
            .iter()
            .filter_map(|taken| match find_module(tree, &folder, &[&taken.name])? {
                ModuleFile::Module(file) => Some((taken.name.clone(), vec![file])),
                ModuleFile::Namespace => None,
            })
            .collect();
        let mut files: Vec<FileId> = match place {
            ModuleFile::Module(file) => vec![file],
            ModuleFile::Namespace => Vec::new(),
        };
        let own = files.clone();
        files.extend(modules.iter().flat_map(|(_, files)| files).copied());
        if files.is_empty() {
            return None;
        }
        // A namespace exports nothing but its modules.
        let target = ImportTarget::Internal(if own.is_empty() { files } else { own });
        Some(ResolvedModule { target, rest: Vec::new(), modules })
    }
}

/// Returns what a path is: a package, a module, or a folder without `__init__.py`, which is a
/// namespace package (PEP 420). Sources come before stubs (`.pyi`).
fn find_module(tree: &FileTable<'_>, root: &str, segments: &[&str]) -> Option<ModuleFile> {
    let path = segments.iter().fold(root.to_owned(), |at, part| join_name(&at, part));
    if segments.is_empty() {
        let mut inits = ["__init__.py", "__init__.pyi"].iter();
        let init = inits.find_map(|name| tree.file(&join_name(&path, name)));
        return Some(init.map_or(ModuleFile::Namespace, ModuleFile::Module));
    }
    // A package hides a module of the same name, as in the import system of Python.
    let forms = ["/__init__.py", ".py", "/__init__.pyi", ".pyi"];
    let module = forms.iter().find_map(|form| tree.file(&format!("{path}{form}")));
    match module {
        Some(file) => Some(ModuleFile::Module(file)),
        None => tree.has_folder(&path).then_some(ModuleFile::Namespace),
    }
}

/// Returns `true` if a module or a regular package of that name is at a root.
fn has_top_module(tree: &FileTable<'_>, root: &str, top: &str) -> bool {
    match find_module(tree, root, &[top]) {
        Some(ModuleFile::Module(_)) => true,
        // Only a folder with modules, not any folder of that name.
        Some(ModuleFile::Namespace) => {
            root.ends_with("src") && has_modules(tree, &join_name(root, top))
        }
        None => false,
    }
}
