//! Reads the change logs and descriptions of the installed packages that a file uses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::{DiagnosticContext, Spot};
use super::super::tool_context::{NoResult, unless_interrupted};
use super::moved::{list_moved_with, names_package};
use super::sources::{MovedSources, read_beginning};
use papayu_base::domain::changes::DependencyMove;

/// The beginnings of the names of files about changes, in capitals.
const NOTES: [&str; 8] =
    ["CHANGE", "HISTORY", "NEWS", "MIGRAT", "UPGRAD", "RELEASE", "README", "METADATA"];

/// The most packages of one file.
const MAX_PACKAGES: usize = 20;

/// Prints the module and the folder of the description of each installed package.
const PYTHON_PACKAGES: &str = "import importlib.metadata as m\n\
    for module, names in m.packages_distributions().items():\n    \
    for name in names: print(module, m.distribution(name)._path, sep='\\t')";

/// The folders of virtual environments.
const PYTHON_HOMES: [&str; 3] = [".venv/bin", "venv/bin", "env/bin"];

/// A package, by the name with which sources take it.
#[derive(Debug)]
struct InstalledPackage {
    name: String,
    folder: PathBuf,
}

/// The installed packages of each language, asked for once.
#[derive(Debug, Default)]
pub(super) struct InstalledPackages {
    python: Option<Vec<InstalledPackage>>,
    rust: Option<Vec<InstalledPackage>>,
    go: Option<Vec<InstalledPackage>>,
    /// The packages that moved, by name and old version; `None` if the old version is not on this machine.
    versions: BTreeMap<(String, Option<String>), Option<MovedSources>>,
}

impl InstalledPackages {
    /// Returns the texts of the packages that a file uses, one for each package that has some.
    ///
    /// Fails with [`NoResult::Interrupted`] if a signal ended a tool. A tool that has no answer gives no packages.
    pub(super) fn notes_for(
        &mut self,
        context: &DiagnosticContext<'_>,
        spot: &Spot,
    ) -> Result<Vec<String>, NoResult> {
        let folders = if is_script(spot) {
            find_node_modules(context, spot)
        } else {
            let all = self.list(context, spot)?;
            let is_named = |it: &&InstalledPackage| names_package(&spot.source, &it.name);
            // A package may give away what another one has that moved with it.
            let moved = list_moved_with(context.tools, spot);
            let is_moved = |it: &&InstalledPackage| {
                !is_named(it) && moved.iter().any(|moved| moved.name.replace('-', "_") == it.name)
            };
            let packages = all.iter().filter(is_named).chain(all.iter().filter(is_moved));
            packages.map(|it| it.folder.clone()).collect()
        };
        let texts = folders.iter().take(MAX_PACKAGES).map(|folder| read_notes(context, folder));
        Ok(texts.filter(|text| !text.is_empty()).collect())
    }

    /// Returns the sources of a package in the version before and in the present one; `None` if they are not on this machine.
    ///
    /// Fails with [`NoResult::Interrupted`] if a signal ended a tool.
    pub(super) fn versions_of(
        &mut self,
        context: &DiagnosticContext<'_>,
        spot: &Spot,
        moved: &DependencyMove,
    ) -> Result<Option<&MovedSources>, NoResult> {
        let key = (moved.name.clone(), moved.from.clone());
        if !self.versions.contains_key(&key) {
            let versions = if is_script(spot) {
                unless_interrupted(compare_node(context, moved))?.flatten()
            } else {
                let plain = moved.name.replace('-', "_");
                let mut all = self.list(context, spot)?.iter();
                let installed = all.find(|it| it.name == moved.name || it.name == plain);
                let disk = context.tools.system.disk;
                installed
                    .and_then(|it| MovedSources::read(disk, &it.folder, moved, ending_of(spot)))
            };
            self.versions.insert(key.clone(), versions);
        }
        Ok(self.versions.get(&key).and_then(Option::as_ref))
    }

    /// Returns the installed packages of the language of a file; those of Node.js are found by the imports of the file.
    fn list(
        &mut self,
        context: &DiagnosticContext<'_>,
        spot: &Spot,
    ) -> Result<&[InstalledPackage], NoResult> {
        match ending_of(spot) {
            "py" => listed(&mut self.python, || list_python(context)),
            "rs" => listed(&mut self.rust, || list_rust(context)),
            "go" => listed(&mut self.go, || list_go(context)),
            _ => Ok(&[]),
        }
    }
}

/// Returns the ending of a file's name.
fn ending_of(spot: &Spot) -> &str {
    spot.path.as_str().rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Returns whether a file is one of JavaScript or TypeScript.
fn is_script(spot: &Spot) -> bool {
    ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"].contains(&ending_of(spot))
}

/// Returns the declarations of two versions of a package, as npm has them in its cache.
fn compare_node(
    context: &DiagnosticContext<'_>,
    moved: &DependencyMove,
) -> Result<Option<MovedSources>, NoResult> {
    let npm = CheckedInvocation::find_or_path(context.tools, "npm", &[]);
    let npm = npm.with_arguments(&["diff", "--offline", "--diff-unified=100000"]);
    let Some(npm) = npm.with_versions("--diff=", moved) else { return Ok(None) };
    let diff = context.run_tool(&npm.with_arguments(&["**/*.d.ts"]).without_errors())?;
    Ok((diff.exit == 0).then(|| MovedSources::parse_diff(&diff.text)))
}

/// Returns the list, which is made if it is not there yet.
fn listed(
    list: &mut Option<Vec<InstalledPackage>>,
    make: impl FnOnce() -> Result<Vec<InstalledPackage>, NoResult>,
) -> Result<&[InstalledPackage], NoResult> {
    if list.is_none() {
        *list = match make() {
            Err(NoResult::Interrupted) => return Err(NoResult::Interrupted),
            made => Some(made.unwrap_or_default()),
        };
    }
    Ok(list.as_deref().unwrap_or_default())
}

fn list_python(context: &DiagnosticContext<'_>) -> Result<Vec<InstalledPackage>, NoResult> {
    let python = CheckedInvocation::find_or_path(context.tools, "python3", &PYTHON_HOMES);
    // Isolated: nothing of the working tree is imported.
    let output = context.run_tool(&python.with_arguments(&["-I", "-c", PYTHON_PACKAGES]))?;
    let packages = output.text.lines().filter_map(|line| {
        let (name, folder) = line.split_once('\t')?;
        Some(InstalledPackage { name: name.to_owned(), folder: PathBuf::from(folder) })
    });
    Ok(packages.collect())
}

/// The packages of `cargo metadata`.
#[derive(Deserialize)]
struct CargoMetadata {
    packages: Vec<MetadataPackage>,
}

#[derive(Deserialize)]
struct MetadataPackage {
    name: String,
    manifest_path: PathBuf,
}

fn list_rust(context: &DiagnosticContext<'_>) -> Result<Vec<InstalledPackage>, NoResult> {
    let cargo = CheckedInvocation::find_or_path(context.tools, "cargo", &[]);
    let words = ["metadata", "--format-version", "1", "--offline", "--locked"];
    // Packages for other platforms are not installed.
    let cargo = cargo.with_arguments(&words).with_arguments(PLATFORM);
    let output = context.run_tool(&cargo.without_errors())?;
    let metadata = serde_json::from_str(&output.text);
    let packages = metadata.map_or_else(|_| Vec::new(), |it: CargoMetadata| it.packages);
    let installed = packages.into_iter().filter_map(|it| {
        let folder = it.manifest_path.parent()?.to_owned();
        Some(InstalledPackage { name: it.name.replace('-', "_"), folder })
    });
    Ok(installed.collect())
}

/// The platform of the packages that are installed here.
const PLATFORM: &[&str] = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    &["--filter-platform", "x86_64-unknown-linux-gnu"]
} else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    &["--filter-platform", "aarch64-unknown-linux-gnu"]
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    &["--filter-platform", "aarch64-apple-darwin"]
} else {
    &[]
};

/// A module of `go list -m -json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoModule {
    path: String,
    dir: Option<PathBuf>,
}

fn list_go(context: &DiagnosticContext<'_>) -> Result<Vec<InstalledPackage>, NoResult> {
    let go = CheckedInvocation::find_or_path(context.tools, "go", &[]);
    let go = go.with_arguments(&["list", "-m", "-json", "all"]);
    let output = context.run_tool(&go.without_errors())?;
    let modules = serde_json::Deserializer::from_str(&output.text).into_iter::<GoModule>();
    let installed = modules
        .map_while(Result::ok)
        .filter_map(|module| Some(InstalledPackage { name: module.path, folder: module.dir? }));
    Ok(installed.collect())
}

/// Returns the folders below `node_modules` of the packages that a file imports.
fn find_node_modules(context: &DiagnosticContext<'_>, spot: &Spot) -> Vec<PathBuf> {
    let imports = context.tools.names.map(|names| names.imports(spot.path.as_str()));
    let outside = imports.into_iter().flatten().filter(|import| import.targets.is_empty());
    outside.filter_map(|import| find_node_package(context, spot, &import.module)).collect()
}

/// Returns the folder of the package that a file imports by a name such as `a`, `a/b` or `@a/b`; `None` if it is not installed.
pub(in super::super) fn find_node_package(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    module: &str,
) -> Option<PathBuf> {
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let package: PathBuf = module.split('/').take(parts).collect();
    let root = context.tools.tree.root();
    let above = Path::new(spot.path.as_str()).ancestors().skip(1);
    let mut places = above.map(|folder| root.join(folder).join("node_modules").join(&package));
    places.find(|folder| context.tools.system.disk.is_file(&folder.join("package.json")))
}

/// Returns the texts of a package about its changes.
pub(in super::super) fn read_notes(context: &DiagnosticContext<'_>, folder: &Path) -> String {
    let disk = context.tools.system.disk;
    let mut text = String::new();
    for path in disk.list(folder).unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        if NOTES.iter().any(|beginning| name.starts_with(beginning)) && disk.is_file(&path) {
            // A file that cannot be read is left out.
            text.push_str(&read_beginning(disk, &path).unwrap_or_default());
            text.push('\n');
        }
    }
    text
}
