//! Finds the commands that install a Python project in an environment of its own.

use toml::Value;

use super::installation::{InstallMarker, InstallVariable, Installation, list_inputs};
use super::root::Root;

/// The folder of the environment, where all tools look for it.
const HOME: &str = ".venv";

/// Names that projects give to the extras and groups with what their tests need.
const TEST_EXTRAS: [&str; 5] = ["test", "tests", "testing", "dev", "develop"];

/// Lists of requirements, those of the tests included.
const REQUIREMENTS: [&str; 14] = [
    "requirements.txt", "requirements-test.txt", "requirements-tests.txt", "requirements_test.txt",
    "requirements-dev.txt", "requirements_dev.txt", "test-requirements.txt",
    "dev-requirements.txt", "requirements/base.txt", "requirements/test.txt",
    "requirements/tests.txt", "requirements/testing.txt", "requirements/dev.txt",
    "requirements/development.txt",
];

/// Returns the installation by the tool that wrote the lock file, else by pip; `None` if the project declares nothing.
/// `needs_pytest` adds pytest where pip installs.
pub(super) fn find_installation(root: &Root<'_>, needs_pytest: bool) -> Option<Installation> {
    // A manifest that is no TOML declares nothing.
    let manifest: toml::Table = root.read_text("pyproject.toml").parse().unwrap_or_default();
    let extras = list_names(&manifest, &["project", "optional-dependencies"]);
    let with_extras = |command: &str, option: &str| {
        let options = extras.iter().map(|extra| format!(" {option} {extra}"));
        command.to_owned() + &options.collect::<String>()
    };
    let in_environment = |command: String, lock: &str, caches| Installation {
        marker: Some(InstallMarker::of_program(".venv/papayu-setup")),
        inputs: list_inputs(root, &[lock], &["pyproject.toml", "Pipfile"]),
        variables: variables(),
        ..Installation::by_command(&command, caches)
    };
    if root.has_name("uv.lock") {
        let command = with_extras("uv sync", "--extra");
        return Some(in_environment(command, "uv.lock", &[".cache/uv"]));
    }
    if root.has_name("poetry.lock") {
        let command = with_extras("poetry install --no-interaction", "--extras");
        let mut found = in_environment(command, "poetry.lock", &[".cache/pypoetry/cache"]);
        let inside = InstallVariable::Word("POETRY_VIRTUALENVS_IN_PROJECT", "true");
        found.variables.push(inside);
        return Some(found);
    }
    if root.has_name("Pipfile") {
        let locked = root.has_name("Pipfile.lock");
        let command = if locked { "pipenv sync --dev" } else { "pipenv install --dev" };
        let mut found = in_environment(command.to_owned(), "Pipfile.lock", &[".cache/pip"]);
        found.variables.push(InstallVariable::Word("PIPENV_VENV_IN_PROJECT", "1"));
        return Some(found);
    }
    find_pip(root, &manifest, &extras, needs_pytest)
}

/// Returns the installation by pip of the requirements and of the project itself.
fn find_pip(
    root: &Root<'_>,
    manifest: &toml::Table,
    extras: &[&str],
    needs_pytest: bool,
) -> Option<Installation> {
    let lists: Vec<&str> =
        REQUIREMENTS.iter().copied().filter(|file| root.has_file(file)).collect();
    let groups = list_names(manifest, &["dependency-groups"]);
    let is_package = root.has_name("setup.py")
        || manifest.contains_key("build-system")
        || manifest.get("project").is_some();
    let mut wanted: Vec<String> = lists.iter().map(|file| format!(" -r {file}")).collect();
    if is_package {
        let extras =
            if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
        wanted.push(format!(" -e .{extras}"));
    }
    wanted.extend(groups.iter().map(|group| format!(" --group {group}")));
    if wanted.is_empty() {
        return None;
    }
    if needs_pytest {
        wanted.push(" pytest".to_owned());
    }
    let pip = format!("{HOME}/bin/python -m pip install --quiet --disable-pip-version-check");
    let mut commands = vec![format!("python3 -m venv {HOME}")];
    if !groups.is_empty() {
        // Earlier versions do not know groups.
        commands.push(format!("{pip} 'pip>=25.1'"));
    }
    commands.push(pip + &wanted.concat());
    let mut inputs: Vec<String> = lists.into_iter().map(str::to_owned).collect();
    inputs.extend(list_inputs(root, &["pyproject.toml", "setup.py", "setup.cfg"], &[]));
    Some(Installation {
        commands,
        marker: Some(InstallMarker::of_program(".venv/papayu-setup")),
        inputs,
        variables: variables(),
        caches: &[".cache/pip"],
    })
}

/// Returns the variables with which commands find the programs of the environment first.
fn variables() -> Vec<InstallVariable> {
    let bin = InstallVariable::FirstInPath(".venv/bin");
    vec![bin, InstallVariable::Folder("VIRTUAL_ENV", HOME)]
}

/// Returns the names for tests among the keys of a table.
fn list_names(manifest: &toml::Table, path: &[&str]) -> Vec<&'static str> {
    let mut table = Some(manifest);
    for key in path {
        table = table.and_then(|table| table.get(*key)).and_then(Value::as_table);
    }
    let names = TEST_EXTRAS.iter().copied();
    names.filter(|name| table.is_some_and(|table| table.contains_key(*name))).collect()
}
