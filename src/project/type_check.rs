//! Finds the type checker that a project declares.

use serde_json::Value;

use super::root::Root;
use papayu_system::Tree;

/// Scripts of `package.json` that check types, by their usual names.
const SCRIPTS: [&str; 6] =
    ["typecheck", "type-check", "types", "check-types", "check:types", "tsc"];

/// Returns the command of the type checker that the project declares at its root; `None` if there is none, if it is not
/// installed in the repository, or if the user's command may run it already.
///
/// Every command is made of words of this module: a repository chooses one of them and writes none.
pub fn find_type_check(tree: &dyn Tree, command: &str) -> Option<String> {
    let root = Root::list(tree);
    find_tsc(&root, command).or_else(|| find_python(&root, command))
}

/// Returns the command that checks types with tsc; `None` if the project does not declare it, has not installed
/// it, or the command of the tests runs it already.
fn find_tsc(root: &Root<'_>, command: &str) -> Option<String> {
    // Without a readable manifest nothing is declared.
    let manifest: Value = serde_json::from_str(&root.read_text("package.json")).ok()?;
    let is_declared = ["dependencies", "devDependencies"]
        .iter()
        .any(|key| manifest.get(key).is_some_and(|it| it.get("typescript").is_some()));
    // A compiler that is not installed would be a failure that no change caused.
    if !is_declared || !root.has_name("tsconfig.json") || !root.has_entry("node_modules/.bin/tsc") {
        return None;
    }
    let script = |name: &str| manifest.get("scripts")?.get(name)?.as_str();
    let checks = |text: &str| ["tsc", "type"].iter().any(|word| text.contains(word));
    // Scripts that the command names may run the checker.
    let runs_it = checks(command) || command.split_whitespace().filter_map(script).any(checks);
    // The project's own script has the right configuration. It checks only if it emits nothing.
    let own = SCRIPTS.iter().find(|name| script(name).is_some_and(|it| it.contains("--noEmit")));
    let found = match own {
        Some(name) => format!("npm run {name}"),
        None => "node_modules/.bin/tsc --noEmit".to_owned(),
    };
    (!runs_it).then_some(found)
}

/// Returns the command that checks types with mypy or pyright; `None` if the project configures neither, or the
/// command of the tests may run it already.
fn find_python(root: &Root<'_>, command: &str) -> Option<String> {
    // A manifest that is no TOML declares nothing.
    let manifest = root.read_text("pyproject.toml");
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    let has = |tool: &str| manifest.get("tool").is_some_and(|it| it.get(tool).is_some());
    let rows = [
        ("mypy", has("mypy") || root.has_name("mypy.ini") || root.has_name(".mypy.ini")),
        ("pyright", has("pyright") || root.has_name("pyrightconfig.json")),
    ];
    let (name, _) = rows.into_iter().find(|(_, is_declared)| *is_declared)?;
    if command.contains(name)
        // These run the project's own tasks, which may include the checker.
        || ["make", "tox", "nox", "just"].iter().any(|it| command.contains(it))
    {
        return None;
    }
    // The project's own environment has the version that it was written for.
    let homes = [".venv/bin", "venv/bin", "node_modules/.bin"];
    let program = homes.iter().map(|home| format!("{home}/{name}"));
    let program = program.into_iter().find(|program| root.has_entry(program));
    let program = program.unwrap_or_else(|| name.to_owned());
    // Without files in its settings, mypy needs a path.
    let is_listed = ["files", "packages", "modules"].iter().any(|key| {
        manifest.get("tool").and_then(|it| it.get("mypy")).is_some_and(|it| it.get(key).is_some())
    });
    let path = if name == "mypy" && !is_listed { " ." } else { "" };
    Some(format!("{program}{path}"))
}
