//! The folders that absolute imports begin at: what manifests name, and what the packages show.

use std::collections::{BTreeSet, HashMap};

use toml::Table;

use crate::code::FileId;
use crate::resolve::paths::{folders_upwards, join, join_name, parent};
use crate::resolve::tree::FileTable;
use papayu_base::config_text::{self, ConfigFormat, ConfigValue, Node};
use papayu_lang::Language;

/// The source roots of a repository.
pub(super) struct Roots<'a> {
    /// The roots that a folder's manifest names, best first.
    declared: HashMap<&'a str, Vec<String>>,
    /// Every folder that contains a package and is not one itself.
    found: BTreeSet<&'a str>,
}

impl<'a> Roots<'a> {
    /// Reads every manifest and looks for packages.
    pub(super) fn of(tree: &FileTable<'a>) -> Self {
        let mut declared: HashMap<&'a str, Vec<String>> = HashMap::new();
        for (folder, text) in tree.manifests("pyproject.toml") {
            let named = text.parse::<Table>().map(|table| by_pyproject(&table)).unwrap_or_default();
            add_declared(&mut declared, folder, &named);
        }
        for (folder, text) in tree.manifests("setup.cfg") {
            add_declared(&mut declared, folder, &by_setup_cfg(text));
        }
        // `setup.py` is a program: what it declares is not known without running it, but its folder and
        // `src` are the usual roots.
        for id in tree.files_named("setup.py") {
            add_declared(&mut declared, parent(tree.path(*id)), &[]);
        }
        let inits =
            ["__init__.py", "__init__.pyi"].into_iter().flat_map(|name| tree.files_named(name));
        let packages = inits.map(|id| tree.folder_of(*id)).filter(|folder| !folder.is_empty());
        // The parent of a subpackage is a package and no root.
        let found = packages.map(parent).filter(|at| !is_package(tree, at)).collect();
        Self { declared, found }
    }

    /// Returns the roots searched for a file's imports, in order: the folder of its own top package (or of the
    /// script), the roots named by manifests above it, every folder above it.
    pub(super) fn roots_near(&self, tree: &FileTable<'_>, from: FileId) -> Vec<String> {
        let folder = tree.folder_of(from);
        let mut roots = vec![own_root(tree, folder).to_owned()];
        for above in folders_upwards(folder) {
            roots.extend(self.declared.get(above).into_iter().flatten().cloned());
        }
        roots.extend(folders_upwards(folder).map(str::to_owned));
        let mut seen = BTreeSet::new();
        roots.retain(|root| seen.insert(root.clone()));
        roots
    }

    /// Returns the roots of a folder with a manifest, best first.
    pub(super) fn declared_roots(&self, folder: &str) -> &[String] {
        self.declared.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Returns the roots that only packages show.
    pub(super) fn found_roots(&self) -> impl Iterator<Item = &'a str> {
        self.found.iter().copied()
    }
}

/// Returns the first folder upwards that is no package.
pub(super) fn own_root<'f>(tree: &FileTable<'_>, folder: &'f str) -> &'f str {
    folders_upwards(folder).find(|at| !is_package(tree, at)).unwrap_or("")
}

/// Returns `true` if a folder is a regular package, so that its parent is a root and not the folder
/// itself.
fn is_package(tree: &FileTable<'_>, folder: &str) -> bool {
    ["__init__.py", "__init__.pyi"].iter().any(|name| tree.file(&join_name(folder, name)).is_some())
}

/// Adds the roots that a manifest declares, relative to its folder, and the two that most projects
/// use without declaring them.
fn add_declared<'a>(
    declared: &mut HashMap<&'a str, Vec<String>>,
    folder: &'a str,
    named: &[String],
) {
    let roots = declared.entry(folder).or_default();
    roots.extend(named.iter().filter_map(|name| join(folder, name)));
    roots.push(join_name(folder, "src"));
    roots.push(folder.to_owned());
}

/// Returns the source folders of a `pyproject.toml` in the keys of setuptools, Poetry, Hatch,
/// Pytest and others.
fn by_pyproject(table: &Table) -> Vec<String> {
    let at = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))
    };
    let texts = |path: &[&str]| -> Vec<String> {
        let value = at(path);
        let one = value.and_then(toml::Value::as_str).into_iter();
        let list = value.and_then(toml::Value::as_array).into_iter().flatten();
        one.chain(list.filter_map(toml::Value::as_str)).map(str::to_owned).collect()
    };
    let mut roots = texts(&["tool", "setuptools", "packages", "find", "where"]);
    roots.extend(texts(&["tool", "setuptools", "package-dir", ""]));
    roots.extend(texts(&["tool", "pytest", "ini_options", "pythonpath"]));
    roots.extend(texts(&["tool", "hatch", "build", "targets", "wheel", "sources"]));
    roots.extend(texts(&["tool", "pdm", "build", "package-dir"]));
    roots.extend(texts(&["tool", "maturin", "python-source"]));
    roots.extend(texts(&["tool", "uv", "build-backend", "module-root"]));
    let wheels = texts(&["tool", "hatch", "build", "targets", "wheel", "packages"]);
    roots.extend(wheels.iter().map(|package| parent(package).to_owned()));
    let poetry = at(&["tool", "poetry", "packages"]).and_then(toml::Value::as_array);
    let poetry = poetry.into_iter().flatten();
    roots.extend(poetry.filter_map(|package| package.get("from")?.as_str().map(str::to_owned)));
    roots
}

/// Returns the roots that `package_dir` and `where` name: `= src` is the root of all packages.
fn by_setup_cfg(text: &str) -> Vec<String> {
    let mut roots = Vec::new();
    let parsed = config_text::parse(ConfigFormat::Ini, text);
    let ConfigValue::Table(sections) = &parsed.root().value else { return roots };
    for section in sections {
        if let Some(folders) = section.value.get("package_dir").and_then(Node::as_str) {
            let root = |line: &str| line.trim().strip_prefix('=').map(|it| it.trim().to_owned());
            roots.extend(folders.lines().filter_map(root));
        }
        let named = section.value.get("where").and_then(Node::as_str);
        roots.extend(named.filter(|root| !root.is_empty()).map(str::to_owned));
    }
    roots
}

/// Returns `true` if a Python file is directly in the folder.
pub(super) fn has_modules(tree: &FileTable<'_>, folder: &str) -> bool {
    tree.files_in(folder).iter().any(|id| tree.language(*id) == Some(Language::Python))
}
