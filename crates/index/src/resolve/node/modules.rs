//! One specifier to its target, by the rules of Node.js and TypeScript.

use std::collections::HashMap;

use super::built;
use super::builtins::builtin_name;
use super::config::Configs;
use super::exports::{Exported, resolve_export, resolve_import};
use super::package::{NodePackage, list_packages, split_package};
use super::probe::{self, probe_path};
use super::workspace::{NodeWorkspace, list_workspaces};
use crate::code::FileId;
use crate::facts::ImportKind;
use crate::resolve::paths::{join, parent};
use crate::resolve::target::{ImportTarget, ResolveRequest, ResolvedModule};
use crate::resolve::tree::{FileTable, nearest_above};

/// Most replacements of one name (`#a` → package → its own `#b` …).
const MAX_STEPS: u8 = 8;

/// The importing file and the form of the import.
#[derive(Clone, Copy)]
struct ImportRequest<'f> {
    folder: &'f str,
    requires: bool,
    /// Number of names already replaced.
    steps: u8,
}

/// The packages and configs of a repository.
pub(crate) struct NodeModules<'a> {
    packages: Vec<NodePackage<'a>>,
    by_folder: HashMap<&'a str, usize>,
    by_name: HashMap<String, Vec<usize>>,
    workspaces: Vec<NodeWorkspace<'a>>,
    configs: Configs<'a>,
}

impl<'a> NodeModules<'a> {
    /// Reads every manifest.
    pub(crate) fn of(tree: &FileTable<'a>) -> Self {
        let packages = list_packages(tree);
        let workspaces = list_workspaces(tree, &packages);
        let mut by_folder = HashMap::new();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, package) in packages.iter().enumerate() {
            by_folder.insert(package.folder, at);
            if let Some(name) = package.name() {
                by_name.entry(name.to_owned()).or_default().push(at);
            }
        }
        let folder = |name: &str| {
            let first = by_name.get(name)?.first()?;
            packages.get(*first).map(|package| package.folder.to_owned())
        };
        let configs = Configs::of(tree, &folder);
        Self { packages, by_folder, by_name, workspaces, configs }
    }

    /// Returns the target of a module name.
    pub(crate) fn resolve(
        &self,
        tree: &FileTable<'a>,
        request: &ResolveRequest<'_>,
    ) -> ResolvedModule {
        // Text before `!` or after `?` is for the bundler.
        let module = request.module.rsplit('!').next().unwrap_or_default();
        let module = module.split('?').next().unwrap_or_default();
        let requires = matches!(request.kind, ImportKind::Require);
        let folder = tree.folder_of(request.from);
        ResolvedModule::from_target(self.resolve_specifier(
            tree,
            module,
            ImportRequest { folder, requires, steps: 0 },
        ))
    }

    /// Returns the files a package gives away under any name, and those its programs are.
    pub(crate) fn entry_files(&self, tree: &FileTable<'a>) -> Vec<FileId> {
        let mut files = Vec::new();
        for package in &self.packages {
            let mut paths: Vec<&str> = package.main_paths().collect();
            collect_strings(&package.manifest["bin"], &mut paths, 0);
            collect_strings(&package.manifest["exports"], &mut paths, 0);
            let places = paths.iter().filter(|path| !path.contains('*'));
            files.extend(places.filter_map(|path| self.find_module(tree, package.folder, path)));
            // A `package.json` without a name is mostly no package but a marker such as `{"type":
            // "module"}`.
            if package.name().is_some() && paths.is_empty() {
                files.extend(probe::probe_index(tree, package.folder));
            }
        }
        files
    }

    /// Returns the target of a specifier by the algorithm of Node and the paths of TypeScript.
    /// `steps` counts how often `imports` led to another specifier, so that a circle ends.
    fn resolve_specifier(
        &self,
        tree: &FileTable<'a>,
        module: &str,
        asked: ImportRequest<'_>,
    ) -> ImportTarget {
        let ImportRequest { folder, requires, steps } = asked;
        if module.is_empty() || steps > MAX_STEPS {
            return ImportTarget::Unresolved;
        }
        if module.starts_with("./") || module.starts_with("../") || [".", ".."].contains(&module) {
            return target_of_file(self.resolve_relative(tree, folder, module));
        }
        let config = self.configs.of_folder(folder);
        // Before the packages and Node's own modules: an alias may hide either.
        if let Some(file) = config.and_then(|config| config.resolve_alias(tree, module)) {
            return target_of_file(Some(file));
        }
        if module.starts_with('#') {
            return self.own_import(tree, module, asked);
        }
        // Node takes its own modules before a package of the same name.
        if let Some(name) = builtin_name(module) {
            return ImportTarget::builtin(name);
        }
        // `https:`, `data:`, `virtual:`: no name of a package contains a colon.
        if module.contains(':') {
            return ImportTarget::external(module);
        }
        // `/x` is a path of a server, and its root is the package's or its public folder.
        if let Some(path) = module.strip_prefix('/') {
            let package = self.package_of(folder).map_or("", |package| package.folder);
            return target_of_file(join(package, path).and_then(|path| probe_path(tree, &path)));
        }
        let Some((name, subpath)) = split_package(module) else { return ImportTarget::Unresolved };
        match self.packages_named(name, folder) {
            several if !several.is_empty() => {
                let files: Vec<FileId> = several
                    .into_iter()
                    .filter_map(|package| self.of_package(tree, package, subpath, requires))
                    .collect();
                ResolvedModule::files(files).target
            }
            // An alias without its file is a broken import of the project, not a package.
            _ if config.is_some_and(|config| config.matches_alias(module)) => {
                ImportTarget::Unresolved
            }
            _ => ImportTarget::external(name),
        }
    }

    /// Returns the file of `./a` or `../a`. With a final `/` or `.` only a folder is meant, so its index file is tried first.
    fn resolve_relative(&self, tree: &FileTable<'a>, folder: &str, module: &str) -> Option<FileId> {
        let path = join(folder, module)?;
        let inside =
            module.ends_with(['/', '.']).then(|| probe::probe_index(tree, &path)).flatten();
        inside
            .or_else(|| probe_path(tree, &path))
            .or_else(|| self.configs.of_folder(folder)?.find_in_other_root(tree, &path))
            .or_else(|| self.source_of(tree, &path))
    }

    /// Returns the source that a built file is made of: packages of a workspace import each other's
    /// output, which is not in the index.
    fn source_of(&self, tree: &FileTable<'a>, path: &str) -> Option<FileId> {
        let package = self.package_of(parent(path)).map_or("", |package| package.folder);
        built::find_source(tree, package, self.configs.of_folder(package), path)
    }

    /// Returns the file of a manifest's path.
    fn find_module(&self, tree: &FileTable<'a>, folder: &str, path: &str) -> Option<FileId> {
        let path = join(folder, path)?;
        probe_path(tree, &path).or_else(|| self.source_of(tree, &path))
    }

    /// Returns the package with the nearest `package.json` above a folder.
    fn package_of(&self, folder: &str) -> Option<&NodePackage<'a>> {
        nearest_above(&self.by_folder, folder).and_then(|at| self.packages.get(*at))
    }

    /// Returns the target of `#name` by the `imports` of the own package (nodejs.org, Packages,
    /// Subpath imports).
    fn own_import(
        &self,
        tree: &FileTable<'a>,
        module: &str,
        asked: ImportRequest<'_>,
    ) -> ImportTarget {
        let ImportRequest { folder, requires, steps } = asked;
        let Some(package) = self.package_of(folder) else { return ImportTarget::Unresolved };
        match resolve_import(&package.manifest["imports"], module, requires) {
            Exported::Refused => ImportTarget::Unresolved,
            Exported::Paths(paths) => {
                let mut targets = paths.iter().map(|path| {
                    if path.starts_with('.') {
                        target_of_file(self.find_module(tree, package.folder, path))
                    } else {
                        self.resolve_specifier(
                            tree,
                            path,
                            ImportRequest { folder: package.folder, requires, steps: steps + 1 },
                        )
                    }
                });
                // One of several conditions may name a built file that is not in the tree.
                targets
                    .find(|target| *target != ImportTarget::Unresolved)
                    .unwrap_or(ImportTarget::Unresolved)
            }
        }
    }

    /// Returns the packages of the repository that a file of this folder gets by a name: its own,
    /// one named by a path, those of its workspace, the nearest of several.
    fn packages_named(&self, name: &str, folder: &str) -> Vec<&NodePackage<'a>> {
        let own = self.package_of(folder);
        // A package of Node can import itself by name only if it has `exports`.
        if let Some(own) = own.filter(|own| own.name() == Some(name) && own.exports().is_some()) {
            return vec![own];
        }
        let local = own.and_then(|own| join(own.folder, own.local_dependency(name)?));
        let local = local.and_then(|at| self.packages.get(*self.by_folder.get(at.as_str())?));
        if let Some(local) = local {
            return vec![local];
        }
        let home = own.map_or("", |own| own.folder);
        let Some(workspace) = self.workspaces.iter().find(|workspace| workspace.contains(home))
        else {
            return Vec::new();
        };
        let named = self.by_name.get(name).into_iter().flatten();
        let members = named.filter_map(|at| self.packages.get(*at));
        let members: Vec<_> = members.filter(|member| workspace.contains(member.folder)).collect();
        let near =
            |member: &&NodePackage<'a>| crate::resolve::paths::shared_folders(home, member.folder);
        let best = members.iter().map(near).max();
        members.into_iter().filter(|member| Some(near(member)) == best).collect()
    }

    /// Returns the file of `package/subpath`. A package with `exports` gives access to nothing
    /// else; `requires` chooses between its conditions `require` and `import`.
    fn of_package(
        &self,
        tree: &FileTable<'a>,
        package: &NodePackage<'a>,
        subpath: &str,
        requires: bool,
    ) -> Option<FileId> {
        if let Some(exports) = package.exports() {
            let key = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
            return match resolve_export(exports, &key, requires) {
                Exported::Refused => None,
                Exported::Paths(paths) => {
                    paths.iter().find_map(|path| self.find_module(tree, package.folder, path))
                }
            };
        }
        if !subpath.is_empty() {
            return self.find_module(tree, package.folder, subpath);
        }
        let main =
            package.main_paths().find_map(|main| self.find_module(tree, package.folder, main));
        main.or_else(|| probe::probe_index(tree, package.folder))
            // If `main` is a built file, `src/index` is most likely its source.
            .or_else(|| probe::probe_index(tree, &join(package.folder, "src")?))
    }
}

/// Returns the target for a file that was found, or not.
fn target_of_file(file: Option<FileId>) -> ImportTarget {
    file.map_or(ImportTarget::Unresolved, |file| ImportTarget::Internal(vec![file]))
}

/// Adds every text in a value, however it is nested.
fn collect_strings<'v>(value: &'v serde_json::Value, found: &mut Vec<&'v str>, depth: u8) {
    match value {
        _ if depth > 16 => {}
        serde_json::Value::String(text) => found.push(text),
        serde_json::Value::Array(items) => {
            for item in items {
                collect_strings(item, found, depth + 1);
            }
        }
        serde_json::Value::Object(map) => {
            for item in map.values() {
                collect_strings(item, found, depth + 1);
            }
        }
        _ => {}
    }
}
