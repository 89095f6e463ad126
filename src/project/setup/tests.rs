//! The usual installations of projects.

use std::path::Path;

use super::*;
use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    let mut nodes = Nodes::new();
    for (path, text) in files {
        for folder in Path::new(path).ancestors().skip(1) {
            nodes.insert(folder.display().to_string(), MemoryNode::Dir);
        }
        nodes.insert((*path).to_owned(), MemoryNode::File(text.as_bytes().to_vec(), 0o644));
    }
    MemoryTree::new(nodes)
}

/// Returns the commands for files with these names and texts, when `command` is to run.
fn commands(files: &[(&str, &str)], command: &str) -> Vec<String> {
    find_installations(&tree(files), command).into_iter().flat_map(|it| it.commands).collect()
}

const PIP: &str = ".venv/bin/python -m pip install --quiet --disable-pip-version-check";

#[test]
fn a_project_is_installed_as_its_own_kind_is_usually() {
    const NODE: &str = "{\"devDependencies\": {\"jest\": \"30\"}}";
    let package = ("package.json", NODE);
    for (files, expected) in [
        (&[("Cargo.toml", "")][..], &["cargo fetch"][..]),
        (&[("go.mod", "module x")], &["go mod download"]),
        (&[("go.mod", "module x"), ("vendor/modules.txt", "")], &[]),
        (&[package], &["npm install --no-package-lock --no-audit --no-fund"]),
        (&[package, ("package-lock.json", "{}")], &["npm ci --no-audit --no-fund"]),
        (&[package, ("pnpm-lock.yaml", "")], &["pnpm install --frozen-lockfile"]),
        (&[package, ("yarn.lock", "")], &["yarn install --frozen-lockfile --non-interactive"]),
        (&[package, ("yarn.lock", ""), (".yarnrc.yml", "")], &["yarn install --immutable"]),
        (&[package, ("bun.lockb", "")], &["bun install --frozen-lockfile"]),
        (
            &[("package.json", "{\"packageManager\": \"yarn@4.1.0\", \"dependencies\": {}}")],
            &["yarn install --immutable"],
        ),
        (&[("package.json", "{\"scripts\": {\"test\": \"node a.js\"}}")], &[]),
        (&[("pom.xml", "")], &["mvn --batch-mode --quiet dependency:go-offline"]),
        (&[("build.gradle", ""), ("gradlew", "")], &["./gradlew --quiet dependencies"]),
        (&[("Shop.sln", "")], &["dotnet restore"]),
        (&[("Gemfile", "")], &["bundle install"]),
        (
            &[("composer.json", "{}")],
            &["composer install --no-interaction --no-progress --prefer-dist"],
        ),
        (&[("Makefile", "test:\n")], &[]),
    ] {
        assert_eq!(commands(files, ""), expected, "{files:?}");
    }
}

#[test]
fn a_python_project_is_installed_by_the_tool_of_its_lock_else_by_pip() {
    for (files, expected) in [
        (&[("pyproject.toml", "[project]\nname = \"a\"\n"), ("uv.lock", "")][..], &["uv sync"][..]),
        (
            &[
                ("pyproject.toml", "[project.optional-dependencies]\ntest = []\ndocs = []\n"),
                ("uv.lock", ""),
            ],
            &["uv sync --extra test"],
        ),
        (
            &[("pyproject.toml", "[tool.poetry]\n"), ("poetry.lock", "")],
            &["poetry install --no-interaction"],
        ),
        (&[("Pipfile", ""), ("Pipfile.lock", "")], &["pipenv sync --dev"]),
        (
            &[("requirements.txt", ""), ("pytest.ini", ""), ("requirements/dev.txt", "")],
            &[
                "python3 -m venv .venv",
                &format!("{PIP} -r requirements.txt -r requirements/dev.txt pytest"),
            ],
        ),
        (
            &[(
                "pyproject.toml",
                "[build-system]\n[project.optional-dependencies]\ntests = []\n[dependency-groups]\ndev = []\n",
            )],
            &[
                "python3 -m venv .venv",
                &format!("{PIP} 'pip>=25.1'"),
                &format!("{PIP} -e .[tests] --group dev"),
            ],
        ),
        // Nothing says what is to be installed.
        (&[("test_a.py", "import unittest\n")], &[]),
    ] {
        assert_eq!(commands(files, ""), expected, "{files:?}");
    }
}

#[test]
fn only_the_kind_that_the_command_tests_is_installed() {
    let both = [("Cargo.toml", ""), ("Makefile", ""), ("package.json", "{\"dependencies\": {}}")];
    let npm = "npm install --no-package-lock --no-audit --no-fund";
    assert_eq!(commands(&both, "cargo test --workspace"), ["cargo fetch"]);
    assert_eq!(commands(&both, "npm test"), [npm]);
    for command in ["make test", "cargo test && npm test", "sh 'ci.sh"] {
        assert_eq!(commands(&both, command), ["cargo fetch", npm], "{command}");
    }
}

#[test]
fn variables_make_tools_use_what_is_in_the_project() {
    let found = find_installations(&tree(&[("requirements.txt", "")]), "pytest");
    let variables = found[0].variables.iter().map(|it| it.resolve(Path::new("/r"), "/usr/bin"));
    let expected = [("PATH", "/r/.venv/bin:/usr/bin"), ("VIRTUAL_ENV", "/r/.venv")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(variables.collect::<Vec<_>>(), expected);
}
