//! Names that are defined in exactly one other module and taken from none.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision};
use super::super::import_cycles;
use super::super::known_names::{KnownImport, KnownNames};
use super::case::CompilerCase;
use super::rename;
use super::specifier::{WantedName, add_import};
use papayu_base::domain::RepoPath;
use papayu_base::text::Pattern;

static NAME: Pattern = Pattern::new(
    r"(?:^Cannot find name|^Could not find name|^Cannot find namespace|the shorthand property) '([\w$]+)'",
);

/// Imports the name from the one module that gives it away.
pub(super) fn import_name(
    context: &DiagnosticContext<'_>,
    case: &CompilerCase<'_>,
) -> RuleDecision {
    let name = NAME.captures(case.message).and_then(|found| found.get(1));
    let (Some(name), Some(lookup)) = (name.map(|part| part.as_str()), context.tools.names) else {
        return RuleDecision::hint("nothing is known of the name");
    };
    if case.spot.source.word_at(case.at) != Some(name) {
        return RuleDecision::hint("the name is not where the compiler points");
    }
    match exporters(lookup, &case.spot.path, name).as_slice() {
        [] => RuleDecision::Hint(no_exporter(lookup, &case.spot.path, name)),
        [target] => import(lookup, case, name, target),
        several => RuleDecision::Hint(format!("several modules export it: {}", several.join(", "))),
    }
}

/// The name is either misspelt, as the compiler thinks, or its import is missing; where it can be both,
/// neither is done.
pub(super) fn import_or_rename(
    context: &DiagnosticContext<'_>,
    case: &CompilerCase<'_>,
) -> RuleDecision {
    let wrong = rename::wrong(case.message).unwrap_or_default();
    let exporters = context.tools.names.map(|lookup| exporters(lookup, &case.spot.path, wrong));
    match exporters.unwrap_or_default().first() {
        Some(first) => {
            let right = rename::proposed(case.message).unwrap_or_default();
            RuleDecision::Hint(format!("it is either `{right}` or the one of {first}"))
        }
        None => rename::replace_word(case),
    }
}

/// Adds an import of a name, as a type if it is one: `verbatimModuleSyntax` requires that.
fn import(
    lookup: &KnownNames<'_>,
    case: &CompilerCase<'_>,
    name: &str,
    target: &str,
) -> RuleDecision {
    let defined = lookup.outline(target).into_iter().find(|it| it.name == name);
    let is_type = defined.is_some_and(|it| it.is_type);
    let wanted = WantedName { name, target, is_type };
    if let Some(why) = circle(lookup, &case.spot.path, &wanted) {
        return RuleDecision::Hint(why);
    }
    match add_import(lookup, &case.spot.path, &case.spot.source, &wanted) {
        Some(edit) => RuleDecision::Fix(vec![edit]),
        None => RuleDecision::Hint(format!("{target} exports it")),
    }
}

/// Returns the reason why a file must not import a name from a file that it does not import already: an import
/// cycle. A type does not exist at run time and closes none.
pub(super) fn circle(
    lookup: &KnownNames<'_>,
    from: &RepoPath,
    wanted: &WantedName<'_>,
) -> Option<String> {
    let (from, target) = (from.as_str(), wanted.target);
    let takes =
        |import: &KnownImport| !import.type_only && import.targets.iter().any(|it| it == target);
    // A second import from the same file changes nothing about cycles.
    let is_new = !wanted.is_type && !lookup.imports(from).iter().any(takes);
    let closes = is_new && import_cycles::leads_back(lookup, target, from);
    closes.then(|| format!("{target} exports it, and imports this file itself: a circle"))
}

/// Returns the hint for a name that no module exports.
pub(super) fn no_exporter(lookup: &KnownNames<'_>, from: &RepoPath, name: &str) -> String {
    match all_exporters(lookup, from, name).first() {
        Some(outside) => format!("only {outside} exports it, which is not for this file"),
        None => "no module of the repository exports the name".to_owned(),
    }
}

/// Returns the modules of a file's own package that export a name, without tests, examples and scripts.
pub(super) fn exporters(lookup: &KnownNames<'_>, from: &RepoPath, name: &str) -> Vec<String> {
    let mut found = all_exporters(lookup, from, name);
    found.retain(|path| !import_cycles::is_outside(path, from.as_str()));
    found
}

/// Returns the other scripts of the same package that export a name, without tests.
fn all_exporters(lookup: &KnownNames<'_>, from: &RepoPath, name: &str) -> Vec<String> {
    let package = |path: &str| lookup.manifest(path, "package.json").map(|(folder, _)| folder);
    let own = package(from.as_str());
    let is_script = |path: &String| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"].contains(&ending)
    };
    let mut found = lookup.exporters(name);
    found.retain(|path| is_script(path) && *path != from.as_str() && package(path) == own);
    found.retain(|path| !papayu_lang::is_test(path));
    found
}
