//! Python modules that are not found although the repository has them, or declares a package of a similar name.

use super::MAX_MANIFEST;
use crate::engine::task::World;
use papayu_base::domain::{Evidence, FailureClass, RepoPath, Triage};
use papayu_base::text::spelling;
use papayu_logs::triage::missing_python_package;
use papayu_quickfix::declared_packages;

/// Files of the repository that are looked through for a module, at most.
const MAX_FILES: usize = 50_000;

/// The rule of evidence about a module that the repository has in a folder where Python does not look.
const RULE: &str = "own-module";

/// Judges a Python module that is missing by the files of the repository.
///
/// It has the class `code` if the repository has a module of this name or a similar one. The next step is the folder in which
/// the module is, or the similar name that a module or a declared package has.
pub(in crate::engine) fn recognize_own_modules(world: &World<'_>, triage: Triage) -> Triage {
    let names: Vec<String> =
        triage.evidence.iter().filter_map(missing_python_package).map(str::to_owned).collect();
    let Some(name) = names.first() else { return triage };
    // A package that is found has no module of the name after the dot.
    let quoted = format!("'{name}'");
    let is_whole = triage.evidence.iter().any(|it| it.line.contains(&quoted));
    let files = world.system.disk.walk(world.tree.root(), MAX_FILES).unwrap_or_default();
    if let Some(folder) = find_folder(&files, name).filter(|_| is_whole) {
        return misplaced(world, &files, name, folder, triage);
    }
    let modules: Vec<&str> = files
        .iter()
        .filter_map(|path| path.strip_suffix(".py"))
        .flat_map(|it| it.split('/'))
        .collect();
    let is_own = |part: &str| names.iter().any(|name| spelling::is_one_letter_off(name, part));
    if modules.iter().any(|part| is_own(part)) {
        let near = spelling::find_only(name, modules.iter().copied());
        let next_step = near.map(|near| correct_name(name, near, "a module of the repository"));
        return Triage {
            class: FailureClass::Code,
            next_step: next_step.map(Into::into),
            ..triage
        };
    }
    match find_declared(world, &files, name) {
        Some((near, manifest)) => {
            let step = correct_name(name, &near, &format!("a package of {manifest}"));
            Triage { next_step: Some(step.into()), ..triage }
        }
        None => triage,
    }
}

/// Returns the fact about a module in a folder where Python does not look for it.
pub(in crate::engine) fn misplaced_fact(triage: &Triage) -> Option<&str> {
    triage.evidence.first().filter(|it| it.rule == RULE).map(|it| it.line.as_str())
}

fn correct_name(name: &str, near: &str, what: &str) -> String {
    format!("`{near}` is {what}: if it is meant, correct the import of `{name}`")
}

/// Returns the folder that has a module or a package of this name and is no package itself; the one nearest to the root,
/// where several have one.
fn find_folder<'a>(files: &'a [String], name: &str) -> Option<&'a str> {
    let folders = files.iter().filter_map(|path| {
        let path = path.strip_suffix(".py").filter(|_| !papayu_lang::is_test(path))?;
        if path == name || path.starts_with(&format!("{name}/")) {
            return Some("");
        }
        let at = path.find(&format!("/{name}/"));
        let at = at.or_else(|| path.strip_suffix(name)?.strip_suffix('/').map(str::len))?;
        path.get(..at)
    });
    let is_package = |folder: &&str| files.iter().any(|it| *it == format!("{folder}/__init__.py"));
    folders.filter(|folder| !is_package(folder)).min_by_key(|folder| folder.len())
}

/// Returns the class of a module that is in a folder where Python does not look for it.
fn misplaced(
    world: &World<'_>,
    files: &[String],
    name: &str,
    folder: &str,
    triage: Triage,
) -> Triage {
    let shown = if folder.is_empty() { "." } else { folder };
    let path = format!("set `PYTHONPATH={shown}` for it");
    let step = if is_installable(world, files) && matches!(folder, "" | "src") {
        format!(
            "install the project before the command (`python3 -m pip install -e .`, or `--setup auto`), or {path}"
        )
    } else {
        format!("let the command find the folder: {path}")
    };
    let line =
        format!("`{name}` is in the folder `{shown}`, where the command does not look for modules");
    let mut evidence = triage.evidence;
    evidence.insert(0, Evidence { rule: RULE.to_owned(), line, number: None });
    Triage { class: FailureClass::Code, evidence, next_step: Some(step.into()) }
}

/// Returns `true` if pip can install the repository.
fn is_installable(world: &World<'_>, files: &[String]) -> bool {
    let has_table = |text: &str| text.contains("[build-system]") || text.contains("[project]");
    files.iter().any(|path| path == "setup.py") || has_table(&read_project(world))
}

/// Returns the only declared package with a similar name, and its manifest.
fn find_declared(world: &World<'_>, files: &[String], name: &str) -> Option<(String, String)> {
    declared_packages(world.tree, files).find_map(|(path, names)| {
        let near = spelling::find_only(name, names.iter().map(String::as_str))?;
        Some((near.to_owned(), path.to_owned()))
    })
}

/// Returns the text of `pyproject.toml`; empty if it cannot be read.
fn read_project(world: &World<'_>) -> String {
    let path = RepoPath::parse("pyproject.toml").ok();
    let bytes = path.and_then(|path| world.tree.read(&path, MAX_MANIFEST).ok());
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_module_is_no_package_and_no_test() {
        for (files, expected) in [
            (&["src/shop/__init__.py", "src/shop/cart.py"][..], Some("src")),
            (&["src/shop/cart.py"], Some("src")),
            (&["src/shop.py"], Some("src")),
            (&["shop.py"], Some("")),
            (&["libs/one/shop/__init__.py"], Some("libs/one")),
            (&["libs/one/shop.py", "src/shop.py"], Some("src")),
            (&["acme/__init__.py", "acme/shop.py"], None),
            (&["tests/test_shop.py", "workshop/a.py"], None),
            (&["shop.txt"], None),
        ] {
            let files: Vec<String> = files.iter().map(|path| (*path).to_owned()).collect();
            assert_eq!(find_folder(&files, "shop"), expected, "{files:?}");
        }
    }
}
