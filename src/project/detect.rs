//! Detects the kind of a project and its test command from the files at its root.

use serde_json::Value;

use super::profile::{KINDS, Profile, ProjectKind};
use crate::domain::RepoPath;
use crate::system::{Entry, Tree};
use crate::text::encoding;

/// Longest manifest that is read, in bytes.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Returns the profile of a repository.
///
/// Detection never fails: a file that cannot be read counts as empty.
pub fn detect(tree: &dyn Tree) -> Profile {
    let root = Root { tree, names: tree.list(None).unwrap_or_default() };
    let kind = KINDS
        .iter()
        .find(|row| row.markers.iter().any(|marker| root.has_name(marker)))
        .map_or(ProjectKind::Unknown, |row| row.kind);
    let verify = match kind {
        ProjectKind::Rust => Some("cargo test".to_owned()),
        ProjectKind::Go => Some("go test ./...".to_owned()),
        ProjectKind::Python if uses_pytest(&root) => Some("python3 -m pytest -q".to_owned()),
        ProjectKind::Python => Some("python3 -m unittest".to_owned()),
        ProjectKind::Node => find_node_test(&root),
        ProjectKind::Unknown => None,
    };
    Profile { kind, verify, manifests: list_manifests(&root, kind) }
}

/// The root folder; its names are listed once.
struct Root<'a> {
    tree: &'a dyn Tree,
    names: Vec<String>,
}

impl Root<'_> {
    fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|found| found == name)
    }

    fn read_text(&self, name: &str) -> String {
        let bytes = RepoPath::parse(name)
            .ok()
            .filter(|_| self.has_name(name))
            .and_then(|path| self.tree.read(&path, MAX_MANIFEST_BYTES).ok())
            .unwrap_or_default();
        encoding::shown(&bytes).into_owned()
    }

    fn is_file(&self, path: &RepoPath) -> bool {
        matches!(self.tree.entry(path), Ok(Entry::File { .. }))
    }
}

/// Manifests of the project's own kind come first, then those of the other kinds.
fn list_manifests(root: &Root<'_>, kind: ProjectKind) -> Vec<RepoPath> {
    let (own, others): (Vec<_>, Vec<_>) = KINDS.iter().partition(|row| row.kind == kind);
    own.into_iter()
        .chain(others)
        .flat_map(|row| row.manifests)
        .flat_map(|pattern| root.names.iter().filter(|name| matches_pattern(pattern, name)))
        .filter_map(|name| RepoPath::parse(name).ok())
        .filter(|path| root.is_file(path))
        .collect()
}

fn matches_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}

/// A dependency alone is a reason too: projects with pytest rarely run `unittest`.
fn uses_pytest(root: &Root<'_>) -> bool {
    root.has_name("pytest.ini")
        || root.has_name("conftest.py")
        || RepoPath::parse("tests/conftest.py").is_ok_and(|path| root.is_file(&path))
        || root.read_text("pyproject.toml").contains("pytest")
        || root.read_text("setup.cfg").contains("[tool:pytest]")
        || root.read_text("tox.ini").contains("[pytest]")
        || root
            .names
            .iter()
            .filter(|name| matches_pattern("requirements*.txt", name))
            .any(|name| root.read_text(name).lines().any(|line| line.trim().starts_with("pytest")))
}

/// `npm init` writes a test script that always fails, so it verifies nothing.
const NPM_PLACEHOLDER: &str = "no test specified";

fn find_node_test(root: &Root<'_>) -> Option<String> {
    let manifest: Value = serde_json::from_str(&root.read_text("package.json")).ok()?;
    let script = manifest.get("scripts")?.get("test")?.as_str()?;
    let runner = [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")]
        .into_iter()
        .find(|(lock, _)| root.has_name(lock))
        .map_or("npm", |(_, runner)| runner);
    let is_real = !script.trim().is_empty() && !script.contains(NPM_PLACEHOLDER);
    is_real.then(|| format!("{runner} test"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::memory::{MemoryTree, Node, Nodes};

    /// Detects and returns kind, verify command and manifests as text.
    fn seen(files: &[(&str, &str)]) -> (ProjectKind, Option<String>, Vec<String>) {
        let mut nodes = Nodes::new();
        for (path, text) in files {
            if let Some((folder, _)) = path.split_once('/') {
                nodes.insert(folder.to_owned(), Node::Dir);
            }
            nodes.insert((*path).to_owned(), Node::File(text.as_bytes().to_vec(), 0o644));
        }
        let Profile { kind, verify, manifests } = detect(&MemoryTree::new(nodes));
        (kind, verify, manifests.iter().map(ToString::to_string).collect())
    }

    fn expected(
        kind: ProjectKind,
        verify: Option<&str>,
        manifests: &[&str],
    ) -> (ProjectKind, Option<String>, Vec<String>) {
        let manifests = manifests.iter().map(|name| (*name).to_owned()).collect();
        (kind, verify.map(str::to_owned), manifests)
    }

    #[test]
    fn a_repository_without_any_marker_is_unknown() {
        assert_eq!(seen(&[("README.md", "")]), expected(ProjectKind::Unknown, None, &[]));
        assert_eq!(seen(&[]), expected(ProjectKind::Unknown, None, &[]));
    }

    #[test]
    fn rust_wins_over_the_tooling_beside_it() {
        assert_eq!(
            seen(&[("Cargo.toml", ""), ("package.json", "{}"), ("pyproject.toml", "")]),
            expected(
                ProjectKind::Rust,
                Some("cargo test"),
                &["Cargo.toml", "pyproject.toml", "package.json"]
            )
        );
    }

    #[test]
    fn go_modules_are_tested_whole() {
        assert_eq!(
            seen(&[("go.mod", "module x"), ("main.go", "")]),
            expected(ProjectKind::Go, Some("go test ./..."), &["go.mod"])
        );
    }

    #[test]
    fn pytest_is_used_only_where_something_configures_it() {
        for (files, verify) in [
            (vec![("setup.py", "")], "python3 -m unittest"),
            (vec![("setup.py", ""), ("pytest.ini", "")], "python3 -m pytest -q"),
            (vec![("setup.py", ""), ("tests/conftest.py", "")], "python3 -m pytest -q"),
            (vec![("pyproject.toml", "[tool.pytest.ini_options]\n")], "python3 -m pytest -q"),
            (vec![("pyproject.toml", "[project]\nname = \"x\"\n")], "python3 -m unittest"),
            (vec![("requirements.txt", "attrs\npytest>=8\n")], "python3 -m pytest -q"),
            (vec![("requirements.txt", "attrs\n")], "python3 -m unittest"),
            (vec![("setup.cfg", "[tool:pytest]\n")], "python3 -m pytest -q"),
        ] {
            let (kind, found, _) = seen(&files);
            assert_eq!((kind, found.as_deref()), (ProjectKind::Python, Some(verify)), "{files:?}");
        }
    }

    #[test]
    fn requirement_files_are_found_whatever_their_suffix() {
        assert_eq!(
            seen(&[("requirements-dev.txt", ""), ("requirements.txt", ""), ("poetry.lock", "")]).2,
            ["requirements-dev.txt", "requirements.txt", "poetry.lock"]
        );
    }

    #[test]
    fn the_placeholder_test_script_of_npm_verifies_nothing() {
        let real = r#"{"scripts": {"test": "vitest run"}}"#;
        let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        for (files, verify) in [
            (vec![("package.json", real)], Some("npm test")),
            (vec![("package.json", real), ("yarn.lock", "")], Some("yarn test")),
            (vec![("package.json", real), ("pnpm-lock.yaml", "")], Some("pnpm test")),
            (vec![("package.json", placeholder)], None),
            (vec![("package.json", "{}")], None),
            (vec![("package.json", "{ broken")], None),
            (vec![("package.json", r#"{"scripts": {"test": 7}}"#)], None),
        ] {
            let (kind, found, _) = seen(&files);
            assert_eq!((kind, found.as_deref()), (ProjectKind::Node, verify), "{files:?}");
        }
    }

    #[test]
    fn a_manifest_that_is_a_folder_is_not_listed() {
        assert_eq!(
            seen(&[("go.mod", ""), ("package.json/x", "")]),
            expected(ProjectKind::Go, Some("go test ./..."), &["go.mod"])
        );
    }

    #[test]
    fn a_manifest_too_long_to_read_counts_as_empty() {
        let long = format!("{{\"scripts\": {{\"test\": \"{}\"}}}}", "x".repeat(1 << 20));
        assert_eq!(
            seen(&[("package.json", &long)]),
            expected(ProjectKind::Node, None, &["package.json"])
        );
    }
}
