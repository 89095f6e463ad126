//! Reasons why a command that passes proves nothing: a new file that it takes for its own result or its own tool, and tests
//! that it rewrote.

use super::change_state::quote_paths;
use super::run::Run;
use papayu_base::domain::RepoPath;
use papayu_patch::preview::Change;
use papayu_system::Tree;

/// The names of files in which make looks for its rules, in its order.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The longest of them that is read, in bytes.
const MAX_MAKEFILE: u64 = 1 << 20;

/// Returns each reason as a sentence of the outcome.
pub(super) fn find_doubts(run: &Run<'_>) -> Vec<String> {
    let mut doubts = Vec::new();
    let rewritten = run.changes.tracked.find_rewritten_tests();
    if !rewritten.is_empty() {
        let named = quote_paths(&rewritten);
        doubts.push(format!("the command changes tests only with the change: {named}"));
    }
    let Some(change) = &run.changes.vetted else { return doubts };
    let created = change.whole().changes().iter().filter_map(|change| match change {
        Change::CreateFile { path, .. } => Some(path),
        _ => None,
    });
    let words = run.inputs.task.check.as_ref().map(|check| check.command.as_str());
    let words = words.and_then(shlex::split).unwrap_or_default();
    for path in created {
        if is_make_target(run.inputs.world.tree, path) {
            doubts.push(format!("`{path}` is new, and make takes it for the result of its rule"));
        } else if is_module_of(&words, path) {
            doubts.push(format!("`{path}` is new, and the command runs it in place of a module"));
        }
    }
    doubts
}

/// Returns `true` if the makefile of the file's folder has a rule of this name: with the file, make has nothing to do.
fn is_make_target(tree: &dyn Tree, path: &RepoPath) -> bool {
    let beside = |name: &str| match path.parent() {
        Some(folder) => folder.join(name),
        None => RepoPath::parse(name),
    };
    let read = |name: &str| tree.read(&beside(name).ok()?, MAX_MAKEFILE).ok();
    let Some(text) = MAKEFILES.iter().find_map(|name| read(name)) else { return false };
    let text = String::from_utf8_lossy(&text);
    let rules = text.lines().filter(|line| !line.starts_with(['\t', '#', '.']));
    let mut targets = rules.filter_map(|line| line.split_once(':')).flat_map(|(names, recipe)| {
        // `name := value` is no rule.
        let names = if recipe.starts_with('=') { "" } else { names };
        names.split_whitespace()
    });
    targets.any(|target| target == path.file_name())
}

/// Returns `true` for a file that `-m NAME` of the command runs.
fn is_module_of(words: &[String], path: &RepoPath) -> bool {
    let modules = words.windows(2).filter_map(|pair| match pair {
        [option, name] if option == "-m" => Some(name),
        _ => None,
    });
    let first = path.segments().next().unwrap_or_default();
    modules.into_iter().any(|module| {
        let top = module.split('.').next().unwrap_or_default();
        first == top || first.strip_suffix(".py") == Some(top)
    })
}
