//! The packages of a repository: their targets' roots, and the crates each can name.

use std::collections::HashMap;

use toml::{Table, Value};

use crate::code::FileId;
use crate::resolve::paths::{folders_upwards, join, join_name, name, parent, strip_folder};
use crate::resolve::tree::{FileTable, nearest_above};

/// A package: a `Cargo.toml` with `[package]`.
pub(super) struct CargoPackage {
    /// The name other crates take its library by.
    lib_name: String,
    /// The library's root, where it has one.
    pub(super) lib: Option<FileId>,
    /// Names of dependencies inside this repository, with their packages' folders.
    local: HashMap<String, String>,
    /// Names of all dependencies, with the names they are fetched by.
    named: HashMap<String, String>,
}

/// The packages of a repository by folder.
pub(super) struct Crates<'a> {
    packages: HashMap<&'a str, CargoPackage>,
    /// Every file a crate begins with.
    pub(super) roots: Vec<FileId>,
}

/// The target of a crate name.
pub(super) enum Named {
    /// The root of a library of this repository.
    Local(FileId),
    /// A crate that is fetched, by its package's name.
    Fetched(String),
}

impl<'a> Crates<'a> {
    /// Reads every manifest.
    pub(super) fn of(tree: &FileTable<'a>) -> Self {
        let tables: HashMap<&'a str, Table> = tree
            .manifests("Cargo.toml")
            .filter_map(|(folder, text)| Some((folder, text.parse().ok()?)))
            .collect();
        let mut crates = Self { packages: HashMap::new(), roots: Vec::new() };
        for (folder, _) in tree.manifests("Cargo.toml") {
            let Some(table) = tables.get(folder) else { continue };
            let Some(own) = table.get("package").and_then(Value::as_table) else { continue };
            crates.packages.insert(folder, read_package(tree, folder, table, own, &tables));
            crates.roots.extend(crate_roots(tree, folder, table));
        }
        crates.roots.sort_unstable();
        crates.roots.dedup();
        crates
    }

    /// Returns the target of a crate name in a folder's files; `None` if no dependency has that name. A
    /// package's other targets see its library by name.
    pub(super) fn find_named(&self, folder: &str, name: &str) -> Option<Named> {
        let package = nearest_above(&self.packages, folder)?;
        if let Some(local) = package.local.get(name) {
            let lib = self.packages.get(local.as_str()).and_then(|package| package.lib);
            return lib.map(Named::Local);
        }
        if let Some(fetched) = package.named.get(name) {
            return Some(Named::Fetched(fetched.clone()));
        }
        package.lib.filter(|_| package.lib_name == name).map(Named::Local)
    }
}

/// Reads a package of a `Cargo.toml`: its library, and its dependencies by path. Dependencies with
/// `workspace = true` are looked up in the nearest workspace above.
fn read_package(
    tree: &FileTable<'_>,
    folder: &str,
    table: &Table,
    own: &Table,
    tables: &HashMap<&str, Table>,
) -> CargoPackage {
    let (lib_name, lib) = read_library(tree, folder, table, own);
    let root = folders_upwards(folder).find_map(|at| Some((at, tables.get(at)?.get("workspace")?)));
    let mut package = CargoPackage { lib_name, lib, local: HashMap::new(), named: HashMap::new() };
    for (key, spec) in list_dependencies(table) {
        let (at, spec) = match (spec.get("workspace").and_then(Value::as_bool), root) {
            (Some(true), Some((at, workspace))) => {
                let inherited = workspace.get("dependencies").and_then(|all| all.get(key));
                (at, inherited.unwrap_or(spec))
            }
            _ => (folder, spec),
        };
        let fetched = spec.get("package").and_then(Value::as_str).unwrap_or(key);
        let path = spec.get("path").and_then(Value::as_str).and_then(|path| join(at, path));
        // A patched dependency looks like one from the registry, but its code is in the repository.
        let path = path.or_else(|| patched_folder(folder, tables, fetched));
        let crate_name = match &path {
            // Without a new name, a path dependency goes by its library's own.
            Some(path) if spec.get("package").is_none() => {
                lib_name_at(tables, path).unwrap_or_else(|| to_identifier(key))
            }
            _ => to_identifier(key),
        };
        if let Some(path) = path {
            package.local.insert(crate_name.clone(), path);
        }
        package.named.insert(crate_name, fetched.to_owned());
    }
    package
}

/// Returns the local folder that `[patch]` of a root above puts in a package's place.
fn patched_folder(folder: &str, tables: &HashMap<&str, Table>, package: &str) -> Option<String> {
    folders_upwards(folder).find_map(|at| {
        let sources = tables.get(at)?.get("patch")?.as_table()?;
        let mut specs = sources.values().filter_map(|source| source.get(package));
        specs.find_map(|spec| join(at, spec.get("path")?.as_str()?))
    })
}

/// Returns the dependencies of all kinds, those under `[target.'cfg(…)']` too: which of them
/// applies depends on the platform.
fn list_dependencies(table: &Table) -> Vec<(&str, &Value)> {
    const LISTS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let by_target = table.get("target").and_then(Value::as_table);
    let by_target = by_target.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let tables = std::iter::once(table).chain(by_target);
    let lists = tables.flat_map(|table| LISTS.iter().filter_map(|list| table.get(*list)));
    let lists = lists.filter_map(Value::as_table);
    lists.flat_map(|list| list.iter().map(|(key, spec)| (key.as_str(), spec))).collect()
}

/// Returns the name of a package as code spells it: `a-b` is the crate `a_b`.
fn to_identifier(name: &str) -> String {
    name.replace('-', "_")
}

/// Returns the name of the library of the package in a folder.
fn lib_name_at(tables: &HashMap<&str, Table>, folder: &str) -> Option<String> {
    let table = tables.get(folder)?;
    let lib = table.get("lib").and_then(|lib| lib.get("name")).and_then(Value::as_str);
    let own = table.get("package").and_then(|own| own.get("name")).and_then(Value::as_str);
    lib.or(own).map(to_identifier)
}

/// Returns the name and the root file of a library: those of `[lib]`, else the package's name and
/// `src/lib.rs`.
fn read_library(
    tree: &FileTable<'_>,
    folder: &str,
    table: &Table,
    own: &Table,
) -> (String, Option<FileId>) {
    let lib = table.get("lib");
    let text = |key: &str| lib.and_then(|lib| lib.get(key)).and_then(Value::as_str);
    let name = text("name").or_else(|| own.get("name").and_then(Value::as_str));
    let path = join(folder, text("path").unwrap_or("src/lib.rs"));
    (to_identifier(name.unwrap_or_default()), path.and_then(|path| tree.file(&path)))
}

/// Returns the files the package's targets begin with: those named, and those by their place.
fn crate_roots(tree: &FileTable<'_>, folder: &str, table: &Table) -> Vec<FileId> {
    let lib = table.get("lib").into_iter();
    let lists = ["bin", "test", "example", "bench"].iter().filter_map(|kind| table.get(*kind));
    let targets = lib.chain(lists.filter_map(Value::as_array).flatten());
    let build = table.get("package").and_then(|own| own.get("build")).and_then(Value::as_str);
    let named = targets.filter_map(|target| target.get("path").and_then(Value::as_str));
    let usual = ["src/lib.rs", "src/main.rs", "build.rs"];
    let paths = named.chain(build).chain(usual).filter_map(|path| join(folder, path));
    let mut roots: Vec<FileId> = paths.filter_map(|path| tree.file(&path)).collect();
    for place in ["src/bin", "tests", "examples", "benches"] {
        let place = join_name(folder, place);
        let files = tree.files_in(&place).iter().copied();
        roots.extend(files.filter(|id| tree.path(*id).strip_suffix(".rs").is_some()));
    }
    // Cargo also finds targets of several files: `src/bin/NAME/main.rs`, `tests/NAME/main.rs` …
    let mains = tree.files_named("main.rs").iter().copied().filter(|id| {
        let above = parent(tree.folder_of(*id));
        let kind = if name(above) == "bin" { "src/bin" } else { name(above) };
        strip_folder(folder, above) == Some(kind)
            && ["src/bin", "tests", "examples", "benches"].contains(&kind)
    });
    roots.extend(mains);
    roots
}
