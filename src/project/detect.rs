//! Reads a repository's root to say what kind of project it is and how it is verified.

use serde_json::Value;

use super::profile::{KINDS, Profile, ProjectKind};
use crate::domain::RepoPath;
use crate::system::{Entry, Tree};

/// Manifests longer than this are not read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Returns what the files at the root say. A file that cannot be read counts as empty: detection
/// never fails, at worst it knows less.
pub fn detect(tree: &dyn Tree) -> Profile {
    let root = Root { tree, names: tree.list(None).unwrap_or_default() };
    let kind = KINDS
        .iter()
        .find(|row| row.markers.iter().any(|marker| root.has(marker)))
        .map_or(ProjectKind::Unknown, |row| row.kind);
    let verify = match kind {
        ProjectKind::Rust => Some("cargo test".to_owned()),
        ProjectKind::Go => Some("go test ./...".to_owned()),
        ProjectKind::Python if uses_pytest(&root) => Some("python3 -m pytest -q".to_owned()),
        ProjectKind::Python => Some("python3 -m unittest".to_owned()),
        ProjectKind::Node => node_test(&root),
        ProjectKind::Unknown => None,
    };
    Profile { kind, verify, manifests: manifests(&root, kind) }
}

/// The root folder with its names listed once.
struct Root<'a> {
    tree: &'a dyn Tree,
    names: Vec<String>,
}

impl Root<'_> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|found| found == name)
    }

    fn text(&self, name: &str) -> String {
        let bytes = RepoPath::parse(name)
            .ok()
            .filter(|_| self.has(name))
            .and_then(|path| self.tree.read(&path, MAX_MANIFEST_BYTES).ok())
            .unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn is_file(&self, path: &RepoPath) -> bool {
        matches!(self.tree.entry(path), Ok(Entry::File { .. }))
    }
}

/// Manifests of the project's own kind come first, then those of the other kinds.
fn manifests(root: &Root<'_>, kind: ProjectKind) -> Vec<RepoPath> {
    let (own, others): (Vec<_>, Vec<_>) = KINDS.iter().partition(|row| row.kind == kind);
    own.into_iter()
        .chain(others)
        .flat_map(|row| row.manifests)
        .flat_map(|pattern| root.names.iter().filter(|name| matches(pattern, name)))
        .filter_map(|name| RepoPath::parse(name).ok())
        .filter(|path| root.is_file(path))
        .collect()
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}

fn uses_pytest(root: &Root<'_>) -> bool {
    let conftest_below =
        || RepoPath::parse("tests/conftest.py").is_ok_and(|path| root.is_file(&path));
    root.has("pytest.ini")
        || root.has("conftest.py")
        || conftest_below()
        || root.text("pyproject.toml").contains("pytest")
        || root.text("setup.cfg").contains("[tool:pytest]")
        || root.text("tox.ini").contains("[pytest]")
        || root
            .names
            .iter()
            .filter(|name| matches("requirements*.txt", name))
            .any(|name| root.text(name).lines().any(|line| line.trim().starts_with("pytest")))
}

/// `npm init` writes a test script that only fails; it verifies nothing.
const NPM_PLACEHOLDER: &str = "no test specified";

fn node_test(root: &Root<'_>) -> Option<String> {
    let manifest: Value = serde_json::from_str(&root.text("package.json")).ok()?;
    let script = manifest.get("scripts")?.get("test")?.as_str()?;
    let runner = [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")]
        .into_iter()
        .find(|(lock, _)| root.has(lock))
        .map_or("npm", |(_, runner)| runner);
    let is_real = !script.trim().is_empty() && !script.contains(NPM_PLACEHOLDER);
    is_real.then(|| format!("{runner} test"))
}

#[cfg(test)]
mod tests;
