//! Reads the change logs and descriptions of the installed packages that a file uses.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::{DiagnosticContext, Spot};
use super::super::tool_context::NoResult;

/// The beginnings of the names of files about changes, in capitals.
const NOTES: [&str; 8] =
    ["CHANGE", "HISTORY", "NEWS", "MIGRAT", "UPGRAD", "RELEASE", "README", "METADATA"];

/// The longest file that is read, and the most bytes of one package.
const MAX_FILE: u64 = 1 << 20;

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
        let ending = spot.path.as_str().rsplit_once('.').map_or("", |(_, ending)| ending);
        let folders = match ending {
            "py" => used(listed(&mut self.python, || list_python(context))?, spot),
            "rs" => used(listed(&mut self.rust, || list_rust(context))?, spot),
            "go" => used(listed(&mut self.go, || list_go(context))?, spot),
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
                find_node_modules(context, spot)
            }
            _ => Vec::new(),
        };
        let texts = folders.iter().take(MAX_PACKAGES).map(|folder| read_notes(context, folder));
        Ok(texts.filter(|text| !text.is_empty()).collect())
    }
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

/// Returns the folders of the packages that a file names.
fn used(packages: &[InstalledPackage], spot: &Spot) -> Vec<PathBuf> {
    let source = &spot.source;
    let is_named = |it: &&InstalledPackage| {
        if it.name.contains('/') {
            source.text.contains(&format!("\"{}", it.name))
        } else {
            !source.word_places(&it.name).is_empty()
        }
    };
    packages.iter().filter(is_named).map(|it| it.folder.clone()).collect()
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
            let mut bytes = Vec::new();
            // A file that cannot be read is left out.
            let read =
                disk.open(&path).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes));
            if read.is_ok() {
                text.push_str(&String::from_utf8_lossy(&bytes));
                text.push('\n');
            }
        }
    }
    text
}
