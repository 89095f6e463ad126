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
