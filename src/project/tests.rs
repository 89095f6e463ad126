//! Kinds of projects, their manifests and their test commands.

use super::*;
use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    let mut nodes = Nodes::new();
    for (path, text) in files {
        for folder in std::path::Path::new(path).ancestors().skip(1) {
            nodes.insert(folder.display().to_string(), MemoryNode::Dir);
        }
        nodes.insert((*path).to_owned(), MemoryNode::File(text.as_bytes().to_vec(), 0o644));
    }
    MemoryTree::new(nodes)
}

/// Detects and returns kind, verify command and manifests as text.
fn seen(files: &[(&str, &str)]) -> (ProjectKind, Option<String>, Vec<String>) {
    let Profile { kind, verify, manifests, .. } = detect(&tree(files));
    let verify = verify.map(|found| found.command);
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
        (vec![("package.json", "{}"), ("bun.lock", "")], Some("bun test")),
        (vec![("package.json", "{ broken")], Some("npm test")),
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

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn every_kind_of_project_has_its_command() {
    let makefile = "CC := cc\nall: shop\ntest check: shop\n\t./run-tests\n";
    for (files, verify, found_in) in [
        (vec![("pom.xml", "")], "mvn -B test", "pom.xml"),
        (vec![("pom.xml", ""), ("mvnw", "")], "./mvnw -B test", "pom.xml"),
        (vec![("build.gradle.kts", "")], "gradle test", "build.gradle.kts"),
        (vec![("settings.gradle", ""), ("gradlew", "")], "./gradlew test", "settings.gradle"),
        (vec![("Shop.sln", "")], "dotnet test", "Shop.sln"),
        (vec![("Shop.csproj", "")], "dotnet test", "Shop.csproj"),
        (vec![("Gemfile", ""), ("Rakefile", "")], "bundle exec rake test", "Rakefile"),
        (vec![("Rakefile", "")], "rake test", "Rakefile"),
        (vec![("Gemfile", ""), ("spec/shop_spec.rb", "")], "bundle exec rspec", "spec"),
        (
            vec![("composer.json", r#"{"scripts": {"test": "phpunit"}}"#)],
            "composer test",
            "composer.json",
        ),
        (
            vec![("composer.json", r#"{"require-dev": {"phpunit/phpunit": "^11"}}"#)],
            "vendor/bin/phpunit",
            "composer.json",
        ),
        (vec![("phpunit.xml.dist", "")], "vendor/bin/phpunit", "phpunit.xml.dist"),
        (vec![("Makefile", makefile)], "make test", "Makefile"),
        (vec![("Makefile", "check:\n\ttrue\n")], "make check", "Makefile"),
        (vec![("Makefile", "all: shop\n\ttest: not a target\n")], "make", "Makefile"),
        (
            vec![("meson.build", ""), ("build/build.ninja", "")],
            "meson test -C build",
            "meson.build",
        ),
        (
            vec![("CMakeLists.txt", "")],
            "ctest --build-and-test . build --build-generator \"Unix Makefiles\" --test-command ctest --output-on-failure",
            "CMakeLists.txt",
        ),
        (vec![("justfile", "build:\n  x\n@test FILE='a':\n  x\n")], "just test", "justfile"),
        (vec![("deno.json", "{}")], "deno test", "deno.json"),
        (
            vec![("deno.jsonc", "{ /* all */ \"tasks\": { \"test\": \"deno test -A\" } }")],
            "deno task test",
            "deno.jsonc",
        ),
        (vec![("mix.exs", "")], "mix test", "mix.exs"),
        (vec![("Package.swift", "")], "swift test", "Package.swift"),
        (vec![("build.sbt", "")], "sbt test", "build.sbt"),
        (vec![("Taskfile.yml", "tasks:\n  test:\n    cmd: x\n")], "task test", "Taskfile.yml"),
        (vec![("tox.ini", "[testenv]\n")], "tox -q", "tox.ini"),
        (vec![("noxfile.py", "")], "nox", "noxfile.py"),
        (
            vec![(".pre-commit-config.yaml", "repos: []\n")],
            "pre-commit run --all-files",
            ".pre-commit-config.yaml",
        ),
    ] {
        let mut nodes = Nodes::new();
        for (path, text) in &files {
            if let Some((folder, _)) = path.split_once('/') {
                nodes.insert(folder.to_owned(), MemoryNode::Dir);
            }
            nodes.insert((*path).to_owned(), MemoryNode::File(text.as_bytes().to_vec(), 0o644));
        }
        let profile = detect(&MemoryTree::new(nodes));
        let words = shlex::split(verify).unwrap();
        let is_listed = profile.commands.iter().any(|command| command.matches(&words));
        assert!(is_listed, "{verify} is not a command of {:?}", profile.kind);
        assert_eq!(profile.verify, Some(TestCommand::new(verify, found_in)), "{files:?}");
    }
}

#[test]
fn a_meson_project_has_a_command_once_its_build_folder_is_set_up() {
    assert_eq!(seen(&[("meson.build", "")]), expected(ProjectKind::Make, None, &["meson.build"]));
}

#[test]
fn the_commands_of_a_project_are_those_of_its_kinds() {
    let has = |files: &[(&str, &str)], command: &str| {
        let words = shlex::split(command).unwrap();
        detect(&tree(files)).commands.iter().any(|it| it.matches(&words))
    };
    let mixed = [("Cargo.toml", ""), ("Makefile", "")];
    assert!(has(&mixed, "cargo test") && has(&mixed, "make check"));
    assert!(!has(&mixed, "go test ./..."));
    // Several projects in folders: nothing at the root shows their kinds.
    let folders = [("shop/pom.xml", ""), ("web/go.mod", "")];
    assert!(has(&folders, "mvn --file=shop/pom.xml test"));
    assert!(has(&folders, "go test ./web/..."));
}

#[test]
fn every_kind_has_a_name_files_and_commands_of_its_own() {
    let kinds: Vec<_> = ProjectKind::all().collect();
    for kind in &kinds {
        assert!(!kind.markers().is_empty() && !kind.build_commands().is_empty(), "{kind:?}");
        assert!(!kind.version_commands().is_empty(), "{kind:?}");
        for other in kinds.iter().filter(|other| *other != kind) {
            assert_ne!(kind.name(), other.name());
            let shared = kind.markers().iter().find(|it| other.markers().contains(it));
            assert_eq!(shared, None, "{kind:?} and {other:?}");
            let shared =
                kind.build_commands().iter().find(|it| other.build_commands().contains(it));
            assert_eq!(shared, None, "{kind:?} and {other:?}");
        }
    }
    assert_eq!(ProjectKind::Unknown.limits(), KindLimits::default());
}

#[test]
fn a_project_without_tests_of_its_own_kind_uses_those_of_another() {
    let files = [("package.json", r#"{"devDependencies": {}}"#), ("Makefile", "test:\n\tx\n")];
    assert_eq!(
        seen(&files),
        expected(ProjectKind::Node, Some("make test"), &["package.json", "Makefile"])
    );
    assert_eq!(seen(&[("justfile", "deploy:\n  x\n")]).1, None);
}

#[test]
fn projects_in_folders_are_found_where_the_top_has_none() {
    let files = [
        ("README.md", ""),
        ("services/api/test_api.py", "import unittest\n"),
        ("web/package.json", r#"{"scripts": {"test": "x"}}"#),
        ("node_modules/a/package.json", r#"{"scripts": {"test": "x"}}"#),
        ("docs/index.md", ""),
    ];
    let found = find_subprojects(&tree(&files));
    let shown: Vec<String> =
        found.iter().map(|it| format!("{}: {}", it.folder, it.command)).collect();
    assert_eq!(shown, ["services/api: python3 -m unittest", "web: npm test"]);
}

#[test]
fn scripts_of_node_run_with_the_package_manager_of_the_project() {
    for (files, verify) in [
        (vec![("package.json", r#"{"scripts": {"test": "x"}}"#), ("bun.lock", "")], "bun run test"),
        (
            vec![("package.json", r#"{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}"#)],
            "pnpm test",
        ),
        (vec![("package.json", r#"{"scripts": {"build": "x", "check": "y"}}"#)], "npm run check"),
        (vec![("package.json", r#"{"scripts": {"build": "tsc"}}"#)], "npm run build"),
    ] {
        assert_eq!(seen(&files).1.as_deref(), Some(verify), "{files:?}");
    }
}

#[test]
fn the_tests_of_python_show_their_runner() {
    let unit = "import unittest\nclass T(unittest.TestCase): pass\n";
    for (files, verify) in [
        (vec![("test_shop.py", unit)], "python3 -m unittest"),
        (vec![("test_shop.py", "def test_total(): assert total() == 1\n")], "python3 -m pytest -q"),
        (vec![("tests/test_a.py", unit)], "python3 -m unittest discover -s tests"),
        (vec![("Makefile", "test:\n\ttrue\n"), ("tests/test_a.py", unit)], "make test"),
        (
            vec![("setup.py", ""), ("tests/test_a.py", unit)],
            "python3 -m unittest discover -s tests",
        ),
        (
            vec![("setup.py", ""), ("tests/__init__.py", ""), ("tests/test_a.py", unit)],
            "python3 -m unittest",
        ),
        (vec![("setup.py", ""), ("tests/test_a.py", "import pytest\n")], "python3 -m pytest -q"),
    ] {
        assert_eq!(seen(&files).1.as_deref(), Some(verify), "{files:?}");
    }
}

#[test]
fn a_type_checker_is_found_where_the_project_declares_it_and_the_command_does_not_run_it() {
    const TS: &str = r#"{"scripts": {"test": "jest", "all": "tsc && jest", "types": "tsc --noEmit -p .", "tsc": "tsc"},
        "devDependencies": {"typescript": "5"}}"#;
    const OTHER: &str = r#"{"scripts": {"tsc": "tsc"}, "devDependencies": {"typescript": "5"}}"#;
    let tsc = ("node_modules/.bin/tsc", "");
    let config = ("tsconfig.json", "{}");
    let mypy = ("pyproject.toml", "[tool.mypy]\nstrict = true\n");
    for (files, command, expected) in [
        (&[("package.json", TS), config, tsc][..], "npm test", Some("npm run types")),
        (&[("package.json", TS), config, tsc], "npm run all", None),
        (&[("package.json", TS), config, tsc], "npx tsc -b", None),
        (&[("package.json", TS), config], "npm test", None),
        (&[("package.json", TS), tsc], "npm test", None),
        (&[("package.json", OTHER), config, tsc], "jest", Some("node_modules/.bin/tsc --noEmit")),
        (&[mypy], "pytest", Some("mypy .")),
        (&[mypy, (".venv/bin/mypy", "")], "pytest", Some(".venv/bin/mypy .")),
        (&[("pyproject.toml", "[tool.mypy]\nfiles = 'src'\n")], "pytest", Some("mypy")),
        (&[mypy], "mypy src", None),
        (&[mypy], "make check", None),
        (&[("pyrightconfig.json", "{}")], "pytest", Some("pyright")),
        (&[("pyproject.toml", "[tool.ruff]\n")], "pytest", None),
        (&[("Cargo.toml", "")], "cargo test", None),
    ] {
        let found = find_type_check(&tree(files), command);
        assert_eq!(found.as_deref(), expected, "{files:?} {command}");
    }
}
