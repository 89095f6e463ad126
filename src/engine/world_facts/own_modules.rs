//! Python modules that are not found although the repository has them, or declares a package of a similar name.

use super::{MAX_FILES, MAX_MANIFEST, RULE, run_tool};
use crate::engine::task::World;
use papayu_base::domain::{Evidence, FailureClass, RepoPath, Triage};
use papayu_base::text::spelling;
use papayu_logs::triage::missing_python_package;
use papayu_quickfix::declared_packages;
use papayu_system::{End, Entry, RepositoryTop};

/// The interpreters of Python in a repository, by their usual paths.
const OWN_PYTHONS: [&str; 2] = [".venv/bin/python", "venv/bin/python"];

/// Prints the names of all modules that are installed. In isolated mode the folder of the repository is none of the places.
const LIST_MODULES: &str = "import pkgutil, site, sys
if sys.prefix == sys.base_prefix: site.addsitedir(site.getusersitepackages())
for module in pkgutil.iter_modules(): print(module.name)";

/// Judges a Python module that is missing by the files of the repository.
///
/// It has the class `code` if the repository has a module of this name or a similar one. The next step is the folder in which
/// the module is, or the similar name that a module, a declared package or an installed one has.
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
    if let Some(found) = is_whole.then(|| find_above(world, name)).flatten() {
        return misplaced_above(&found, name, triage);
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
        None => match find_installed(world, name) {
            Some(step) => Triage { next_step: Some(step.into()), ..triage },
            None => triage,
        },
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
    found_elsewhere(name, &format!("in the folder `{shown}`"), step, triage)
}

/// Returns the class of a module that is at a place where the command does not look for it.
fn found_elsewhere(name: &str, place: &str, step: String, triage: Triage) -> Triage {
    let line = format!("`{name}` is {place}, where the command does not look for modules");
    let mut evidence = triage.evidence;
    evidence.insert(0, Evidence { rule: RULE.to_owned(), line, number: None });
    Triage { class: FailureClass::Code, evidence, next_step: Some(step.into()) }
}

/// A folder of the repository outside of the folder of the run.
struct OuterFolder {
    /// The absolute path of the top of the repository.
    top: String,
    /// The folder, from the top; empty for the top itself.
    folder: String,
    /// The way from the folder of the run to the top, such as `../..`.
    up: String,
}

/// Returns the folder outside of the run's that has a module or a package of this name, where the run is in a folder of a
/// repository.
fn find_above(world: &World<'_>, name: &str) -> Option<OuterFolder> {
    let RepositoryTop { tree: top, folder: own } = world.tree.top()?;
    let files = world.system.disk.walk(top.root(), MAX_FILES).ok()?;
    let folder = find_folder(&files, name)?.to_owned();
    let up = own.segments().map(|_| "..").collect::<Vec<_>>().join("/");
    Some(OuterFolder { top: top.root().display().to_string(), folder, up })
}

/// Returns the class of a module that is outside of the folder of the run.
fn misplaced_above(found: &OuterFolder, name: &str, triage: Triage) -> Triage {
    let OuterFolder { top, folder, up } = found;
    if folder.is_empty() {
        let step = format!(
            "run the command at the top of the repository (`papayu-batch fix --repo {top}`), or set `PYTHONPATH={up}` for it"
        );
        return found_elsewhere(name, "at the top of the repository", step, triage);
    }
    let step = format!("let the command find the folder: set `PYTHONPATH={up}/{folder}` for it");
    found_elsewhere(name, &format!("in the folder `{up}/{folder}`"), step, triage)
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

/// Returns the next step if the repository's interpreter of Python has exactly one module with a similar name.
fn find_installed(world: &World<'_>, name: &str) -> Option<String> {
    let is_there = |path: &&&str| {
        let path = RepoPath::parse(path).ok();
        path.and_then(|path| world.tree.entry(&path).ok()).is_some_and(|it| it != Entry::Missing)
    };
    let own = OWN_PYTHONS.iter().find(is_there).copied();
    let program = own.map_or_else(
        || "python3".to_owned(),
        |own| world.tree.root().join(own).to_string_lossy().into_owned(),
    );
    let words = [&program, "-I", "-c", LIST_MODULES].map(str::to_owned).to_vec();
    let (end, output) = run_tool(world, words, Vec::new()).ok()?;
    let near = spelling::find_only(name, output.lines()).filter(|_| end == End::Code(0))?;
    if papayu_lang::is_python_standard(near) {
        return Some(correct_name(name, near, "a module of Python"));
    }
    let what = format!("installed for `{}`, and not declared", own.unwrap_or("python3"));
    Some(format!("{} and declare the package", correct_name(name, near, &what)))
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
