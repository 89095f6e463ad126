//! Crates and modules of a Rust repository that are used where they are not linked.

use super::{MAX_FILES, MAX_MANIFEST, RULE, path_from_root};
use crate::engine::task::World;
use papayu_base::domain::{Evidence, Failure, FailureReport, RepoPath, Triage};
use papayu_base::text::{Pattern, group};

/// The messages of rustc about a module or crate that is not found.
static MISSING: [Pattern; 2] = [
    Pattern::new(r"^unresolved import `(?:crate::)?(?P<name>\w+)`$"),
    Pattern::new(
        r"(?:module or crate|unlinked crate|crate or module|could not find) `(?P<name>\w+)`",
    ),
];

/// Tables of dependencies, of a package as well as of a target.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Folders of a package with files that are crates of their own, built with its dependencies for development.
const OUTER_FOLDERS: [&str; 3] = ["tests", "examples", "benches"];

/// A package of the repository.
struct RustPackage {
    /// Empty, or the path of the folder.
    folder: String,
    name: String,
    manifest: toml::Table,
    has_library: bool,
}

/// The place of a use and its correction.
struct UnlinkedUse {
    fact: String,
    step: String,
}

/// Adds to the triage of a failure that is about a crate of the repository, or a module of the package's own library, where it
/// is and the next step. Nothing is added where the manifests do not show it.
pub(in crate::engine) fn recognize_own_crates(
    world: &World<'_>,
    report: &FailureReport,
    triage: Triage,
) -> Triage {
    let found = report.failures.iter().find_map(|failure| {
        let message = failure.message.lines().next()?;
        let found = MISSING.iter().find_map(|form| form.captures(message))?;
        find_unlinked(world, failure, group(&found, "name")?)
    });
    let Some(UnlinkedUse { fact, step }) = found else { return triage };
    let mut evidence = triage.evidence;
    evidence.insert(0, Evidence { rule: RULE.to_owned(), line: fact, number: None });
    Triage { evidence, next_step: Some(step.into()), ..triage }
}

fn find_unlinked(world: &World<'_>, failure: &Failure, name: &str) -> Option<UnlinkedUse> {
    let path = path_from_root(world, failure.locations.first()?);
    // Before the repository is searched for a message that another tool may print.
    path.strip_suffix(".rs")?;
    let files = world.system.disk.walk(world.tree.root(), MAX_FILES).ok()?;
    let packages = read_packages(world, &files);
    let own = packages.iter().filter(|it| is_below(path, &it.folder));
    let own = own.max_by_key(|it| it.folder.len())?;
    if own.has_library && is_outside_library(path, own) && has_module(&files, own, name) {
        let library = own.name.replace('-', "_");
        return Some(UnlinkedUse {
            fact: format!(
                "`{name}` is a module of the library `{library}`, which `{path}` is no part of"
            ),
            step: format!("take `{name}` from the library: `{library}::{name}`"),
        });
    }
    let is_meant = |it: &&RustPackage| {
        it.has_library && it.folder != own.folder && it.name.replace('-', "_") == name
    };
    let meant = packages.iter().find(is_meant)?;
    if depends_on(own, &meant.name) || depends_on(meant, &own.name) {
        return None;
    }
    Some(describe_dependency(own, meant, path, &packages))
}

/// Returns the fact about a crate that the package does not depend on, and the line that its manifest lacks.
fn describe_dependency(
    own: &RustPackage,
    meant: &RustPackage,
    path: &str,
    packages: &[RustPackage],
) -> UnlinkedUse {
    let name = &meant.name;
    let (folder, manifest) = (show_folder(&meant.folder), join(&own.folder, "Cargo.toml"));
    let shared = packages.iter().find(|it| it.folder.is_empty());
    let shared = shared.and_then(|top| top.manifest.get("workspace")?.get("dependencies"));
    let line = match shared.and_then(|table| table.get(name)) {
        Some(_) => format!("{name}.workspace = true"),
        None => format!("{name} = {{ path = \"{}\" }}", way_between(&own.folder, &meant.folder)),
    };
    let table = if is_in(path, own, &OUTER_FOLDERS) { "dev-dependencies" } else { "dependencies" };
    UnlinkedUse {
        fact: format!(
            "it is the crate in the folder `{folder}`, on which `{manifest}` does not depend"
        ),
        step: format!("add `{line}` to `[{table}]` of `{manifest}`"),
    }
}

/// Returns the packages of the repository, and the workspace at its top.
fn read_packages(world: &World<'_>, files: &[String]) -> Vec<RustPackage> {
    let manifests = files.iter().filter_map(|path| {
        let folder = path.strip_suffix("Cargo.toml")?;
        let folder = if folder.is_empty() { folder } else { folder.strip_suffix('/')? };
        let bytes = world.tree.read(&RepoPath::parse(path).ok()?, MAX_MANIFEST).ok()?;
        let manifest: toml::Table = String::from_utf8_lossy(&bytes).parse().ok()?;
        let name = manifest.get("package").and_then(|it| it.get("name")?.as_str());
        // A library of another name or place is rare, and nothing is certain about it.
        let has_library =
            !manifest.contains_key("lib") && files.contains(&join(folder, "src/lib.rs"));
        let (folder, name) = (folder.to_owned(), name.unwrap_or_default().to_owned());
        Some(RustPackage { folder, name, manifest, has_library })
    });
    manifests.collect()
}

/// Returns `true` if the manifest names a package among its dependencies, under any name and for any target.
fn depends_on(package: &RustPackage, name: &str) -> bool {
    let targets = package.manifest.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flatten().filter_map(|(_, target)| target.as_table());
    let tables = targets.chain([&package.manifest]);
    let lists = tables.flat_map(|table| DEPENDENCIES.iter().filter_map(|key| table.get(*key)));
    lists.filter_map(toml::Value::as_table).flatten().any(|(key, value)| {
        key == name || value.get("package").and_then(toml::Value::as_str) == Some(name)
    })
}

/// Returns `true` for a file that is a crate of its own in a package with a library.
fn is_outside_library(path: &str, package: &RustPackage) -> bool {
    let main = join(&package.folder, "src/main.rs");
    path == main || is_in(path, package, &OUTER_FOLDERS) || is_in(path, package, &["src/bin"])
}

fn is_in(path: &str, package: &RustPackage, folders: &[&str]) -> bool {
    folders.iter().any(|folder| is_below(path, &join(&package.folder, folder)))
}

fn has_module(files: &[String], package: &RustPackage, name: &str) -> bool {
    let places = [format!("src/{name}.rs"), format!("src/{name}/mod.rs")];
    places.iter().any(|place| files.contains(&join(&package.folder, place)))
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn show_folder(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}

/// Returns the way from one folder to another, such as `../core`.
fn way_between(from: &str, to: &str) -> String {
    let parts = |folder: &str| -> Vec<String> {
        folder.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (from, to) = (parts(from), parts(to));
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let way: Vec<String> = up.chain(to.into_iter().skip(common)).collect();
    if way.is_empty() { ".".to_owned() } else { way.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_folders_goes_through_the_common_one() {
        for (from, to, way) in [
            ("cli", "core", "../core"),
            ("", "crates/core", "crates/core"),
            ("crates/cli", "crates/core", "../core"),
            ("apps/cli", "", "../.."),
        ] {
            assert_eq!(way_between(from, to), way);
        }
    }

    #[test]
    fn the_name_is_read_from_the_messages_of_rustc() {
        for (message, name) in [
            ("unresolved import `shop_core`", Some("shop_core")),
            ("unresolved import `crate::money`", Some("money")),
            ("unresolved import `crate::money::Euro`", None),
            ("cannot find module or crate `shop_core` in this scope", Some("shop_core")),
            ("failed to resolve: could not find `money` in the crate root", Some("money")),
            ("mismatched types", None),
        ] {
            let found = MISSING.iter().find_map(|form| form.captures(message));
            assert_eq!(found.as_ref().and_then(|it| group(it, "name")), name, "{message}");
        }
    }
}
