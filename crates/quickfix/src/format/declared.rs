//! Finds the formatter that a project declares for a file.

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::has_ending;
use super::super::tool_context::ToolContext;
use super::filter::{BIOME, BLACK, CLANG_FORMAT, Filter, GOFMT, PRETTIER, RUFF};
use papayu_base::config_text::{self, ConfigFormat, Node};
use papayu_base::domain::RepoPath;
use papayu_base::text::encoding;

/// Largest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 1 << 20;

/// Endings of the files that prettier and biome format: code, not data.
const WEB: [&str; 13] =
    ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "css", "scss", "less", "vue", "svelte"];

/// Endings of the files that clang-format formats.
const C: [&str; 8] = ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"];

/// Returns the command that reads a file from standard input and prints it formatted; `None` if
/// the project declares no formatter for it.
/// The nearest declaration above the file counts, as it does for the formatters themselves.
pub(super) fn find_declared(tools: &ToolContext<'_>, path: &RepoPath) -> Option<CheckedInvocation> {
    let name = path.as_str();
    let is_one_of = |endings: &[&str]| endings.iter().any(|ending| has_ending(name, ending));
    let find: fn(&ConfigFolder<'_>, &RepoPath) -> Option<CheckedInvocation> = if is_one_of(&["rs"])
    {
        find_rustfmt
    } else if is_one_of(&["go"]) {
        find_gofmt
    } else if is_one_of(&["py", "pyi"]) {
        find_python
    } else if is_one_of(&WEB) {
        find_web
    } else if is_one_of(&C) {
        find_clang_format
    } else {
        return None;
    };
    folders_above(path).find_map(|folder| find(&ConfigFolder { tools, folder }, path))
}

/// Returns the folders that contain a path, the nearest first; the root is empty.
fn folders_above(path: &RepoPath) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder_of(path.as_str())), |folder| {
        (!folder.is_empty()).then(|| folder_of(folder))
    })
}

/// Returns the folder of a path; empty at the root.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder above the file.
struct ConfigFolder<'a> {
    tools: &'a ToolContext<'a>,
    folder: &'a str,
}

impl ConfigFolder<'_> {
    /// Returns a path in this folder.
    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder).trim_start_matches('/').to_owned()
    }

    /// Returns `true` if the folder has the file, and it may be read.
    fn has(&self, name: &str) -> bool {
        self.tools.is_own_file(&self.path(name))
    }

    /// Returns `true` if the folder has one of the files.
    fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Returns the root value of a manifest in this folder; `None` if it is missing or has a
    /// syntax error.
    fn read(&self, name: &str, format: ConfigFormat) -> Option<Node> {
        let path = RepoPath::parse(&self.path(name)).ok()?;
        let bytes = self.tools.tree.read(&path, MAX_MANIFEST).ok()?;
        let parsed = config_text::parse(format, &encoding::shown(&bytes));
        (!parsed.is_broken()).then(|| parsed.root().clone())
    }

    /// Returns the program of the nearest of the folders `homes`, otherwise that of `PATH`.
    fn program(&self, name: &'static str, homes: &[&'static str]) -> CheckedInvocation {
        CheckedInvocation::find_above(self.tools, name, homes, self.folder)
            .unwrap_or_else(|| CheckedInvocation::find_or_path(self.tools, name, homes))
    }

    /// Returns the command of a formatter for a file.
    fn command(&self, filter: &Filter, path: &RepoPath) -> CheckedInvocation {
        filter.with_arguments(self.program(filter.program, filter.homes), path)
    }
}

/// Returns the command of rustfmt below a `Cargo.toml`, with the edition of the package.
fn find_rustfmt(folder: &ConfigFolder<'_>, path: &RepoPath) -> Option<CheckedInvocation> {
    let manifest = folder.read("Cargo.toml", ConfigFormat::Toml)?;
    let own = manifest.get("package")?.get("edition");
    let inherits = own.is_some_and(|edition| edition.get("workspace").is_some());
    let edition = if inherits {
        workspace_edition(folder.tools, path)
    } else {
        own.and_then(Node::as_str).map(str::to_owned)
    };
    // A word of the table, so that a manifest cannot add an option.
    let edition = match edition.as_deref() {
        Some("2018") => "--edition=2018",
        Some("2021") => "--edition=2021",
        Some("2024") => "--edition=2024",
        _ => "--edition=2015",
    };
    let tool = folder.program("rustfmt", &[]).with_arguments(&[edition, "--emit=stdout"]);
    // From standard input, rustfmt looks for its settings only above the folder that it runs in.
    Some(match find_rustfmt_settings(folder.tools, path) {
        Some(settings) => tool.with_file_in("--config-path={}", &settings),
        None => tool,
    })
}

/// Returns the nearest settings of rustfmt above a file.
fn find_rustfmt_settings(tools: &ToolContext<'_>, path: &RepoPath) -> Option<RepoPath> {
    let above = folders_above(path).map(|folder| ConfigFolder { tools, folder });
    let files = above.flat_map(|at| ["rustfmt.toml", ".rustfmt.toml"].map(|name| at.path(name)));
    files.filter(|file| tools.is_own_file(file)).find_map(|file| RepoPath::parse(&file).ok())
}

/// Returns the edition that the workspace of a file sets for its packages.
fn workspace_edition(tools: &ToolContext<'_>, path: &RepoPath) -> Option<String> {
    let mut manifests = folders_above(path)
        .filter_map(|folder| ConfigFolder { tools, folder }.read("Cargo.toml", ConfigFormat::Toml));
    let workspace = manifests.find_map(|it| it.get("workspace").cloned())?;
    Some(workspace.get("package")?.get("edition")?.as_str()?.to_owned())
}

/// Returns the command of gofmt below a `go.mod`.
fn find_gofmt(folder: &ConfigFolder<'_>, path: &RepoPath) -> Option<CheckedInvocation> {
    folder.has("go.mod").then(|| folder.command(&GOFMT, path))
}

/// Returns the command of black or of ruff, as `pyproject.toml` declares it.
fn find_python(folder: &ConfigFolder<'_>, path: &RepoPath) -> Option<CheckedInvocation> {
    let manifest = folder.read("pyproject.toml", ConfigFormat::Toml);
    let has = |tool: &str| {
        manifest.as_ref().and_then(|it| it.get("tool")).is_some_and(|it| it.get(tool).is_some())
    };
    // Black first: a project that has both lints with ruff and formats with black.
    if has("black") {
        return Some(folder.command(&BLACK, path));
    }
    let has_ruff = has("ruff") || folder.has_any(&["ruff.toml", ".ruff.toml"]);
    has_ruff.then(|| folder.command(&RUFF, path))
}

/// Returns the command of biome or prettier.
fn find_web(folder: &ConfigFolder<'_>, path: &RepoPath) -> Option<CheckedInvocation> {
    if folder.has_any(&["biome.json", "biome.jsonc"]) {
        return Some(folder.command(&BIOME, path));
    }
    let manifest = folder.read("package.json", ConfigFormat::Json)?;
    // A configuration alone does not show that the formatter is used; the dependency does.
    let is_dependency = ["dependencies", "devDependencies"]
        .iter()
        .any(|key| manifest.get(key).is_some_and(|it| it.get("prettier").is_some()));
    is_dependency.then(|| folder.command(&PRETTIER, path))
}

/// Returns the command of clang-format, which needs a style file.
fn find_clang_format(folder: &ConfigFolder<'_>, path: &RepoPath) -> Option<CheckedInvocation> {
    folder.has_any(&[".clang-format", "_clang-format"]).then(|| folder.command(&CLANG_FORMAT, path))
}
