//! Finds the test runner of a Python project: pytest where something uses it, else unittest.

use super::profile::{ProjectKind, TestCommand};
use super::root::{Root, matches_pattern};

/// Test files that are read for the runner they use.
/// The style of the first files is that of the others.
const MAX_TEST_FILES: usize = 20;

const PYTEST: &str = "python3 -m pytest -q";

/// Runners of sessions that each have an environment of their own.
const RUNNERS: [(&str, &str); 2] = [("noxfile.py", "nox"), ("tox.ini", "tox -q")];

/// Returns the command, and the file that shows the runner. `None` if the folder is no Python project.
pub(super) fn find_command(root: &Root<'_>) -> Option<TestCommand> {
    if let Some(file) = find_pytest(root) {
        return Some(TestCommand::new(PYTEST, &file));
    }
    let tests = test_files(root);
    let Some(first) = tests.first() else {
        // Nothing shows where the tests are, but these know it.
        if let Some((file, command)) = RUNNERS.iter().find(|(file, _)| root.has_name(file)) {
            return Some(TestCommand::new(command, file));
        }
        let manifest = root.find(ProjectKind::Python.markers())?;
        return Some(TestCommand::new("python3 -m unittest", manifest));
    };
    // Files that cannot be read are empty.
    let texts: Vec<String> = tests.iter().map(|path| root.read_text(path)).collect();
    let uses = |module: &str| texts.iter().any(|text| imports(text, module));
    if uses("pytest") || !uses("unittest") {
        // Functions without a class of `unittest` are tests of pytest only.
        return Some(TestCommand::new(PYTEST, first));
    }
    // Without `__init__.py` the folder is no package, so that discovery from the root skips it.
    let folder = first.split_once('/').map(|(folder, _)| folder);
    let command = match folder {
        Some("tests") if !root.has_file("tests/__init__.py") => {
            "python3 -m unittest discover -s tests"
        }
        Some("test") if !root.has_file("test/__init__.py") => {
            "python3 -m unittest discover -s test"
        }
        _ => "python3 -m unittest",
    };
    Some(TestCommand::new(command, first))
}

/// Returns `true` if the tests of the project need pytest.
pub(super) fn needs_pytest(root: &Root<'_>) -> bool {
    find_command(root).is_some_and(|found| found.command == PYTEST)
}

/// Returns whether a folder for tests has tests of Python; no other file need show the language.
pub(super) fn has_test_folder(root: &Root<'_>) -> bool {
    test_files(root).iter().any(|path| path.contains('/'))
}

/// Returns the file that configures pytest or depends on it. A dependency alone is a reason too: projects with
/// pytest rarely run `unittest`.
fn find_pytest(root: &Root<'_>) -> Option<String> {
    if let Some(file) = root.find(&["pytest.ini", "conftest.py"]) {
        // Their names alone show that pytest is used.
        return Some(file.to_owned());
    }
    if root.has_file("tests/conftest.py") {
        return Some("tests/conftest.py".to_owned());
    }
    // The files in which pytest looks for its configuration (pytest.org, Configuration).
    let mentions =
        [("pyproject.toml", "pytest"), ("setup.cfg", "[tool:pytest]"), ("tox.ini", "[pytest]")];
    let mentioned = mentions.iter().find(|(file, word)| root.read_text(file).contains(word));
    if let Some((file, _)) = mentioned {
        return Some((*file).to_owned());
    }
    let requires = |name: &&str| {
        let text = root.read_text(name);
        // A requirement begins its line: `pytest`, `pytest-cov` or `pytest>=8`.
        text.lines().any(|line| line.trim().starts_with("pytest"))
    };
    root.names()
        .filter(|name| matches_pattern("requirements*.txt", name))
        .find(requires)
        .map(str::to_owned)
}

/// Returns the first test files, those at the root first.
fn test_files(root: &Root<'_>) -> Vec<String> {
    let is_test = |name: &str| matches_pattern("test*.py", name);
    let mut files: Vec<String> =
        root.names().filter(|name| is_test(name)).map(str::to_owned).collect();
    for folder in ["tests", "test"] {
        let names = root.list_folder(folder).into_iter().filter(|name| is_test(name));
        files.extend(names.map(|name| format!("{folder}/{name}")));
    }
    // A few files show the style of all; reading thousands would delay the start.
    files.truncate(MAX_TEST_FILES);
    files
}

/// Returns `true` if a line of the text imports the module or a part of it.
fn imports(text: &str, module: &str) -> bool {
    text.lines().any(|line| {
        // `import pytest`, `from unittest.mock import …`.
        let mut words = line.split([' ', ',', '.', '\t']).filter(|word| !word.is_empty());
        matches!(words.next(), Some("import" | "from")) && words.next() == Some(module)
    })
}
