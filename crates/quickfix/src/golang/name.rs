//! Names that are not defined: misspelt, or of a package that is not imported.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::line_index::{LineIndex, Unit};
use super::super::messages::Missing;
use super::import;
use super::message::GoErrorKind;
use super::standard;
use papayu_base::domain::RepoPath;
use papayu_base::text::spelling;

/// The hint for a message that does not fit the text, as after an edit.
const ELSEWHERE: &str = "the name is not where the compiler points";

/// Names and words of the language that resemble names of packages, such as `error` and
/// `errors`.
const PREDECLARED: [&str; 16] = [
    "any", "bool", "byte", "case", "comparable", "const", "error", "func", "int", "map", "range",
    "rune", "string", "struct", "type", "uint",
];

/// Fixes a bare name: imports its package, or corrects the spelling to a name that the package
/// defines.
pub(super) fn fix_undefined(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    name: &str,
) -> RuleDecision {
    let source = &spot.source;
    let Some(range) = source.find_word(spot.line, spot.column, name, Unit::Byte) else {
        return RuleDecision::hint(ELSEWHERE);
    };
    let is_owner = source.text.get(range.end..).is_some_and(|rest| rest.starts_with('.'));
    let mut packages: Vec<String> = Vec::new();
    if is_owner {
        packages.extend(standard::paths(name).into_iter().map(str::to_owned));
        packages.extend(import::own_packages(context, spot.path.as_str(), name));
    }
    let found = packages.len();
    if !import::is_of_tests(&spot.path) {
        packages.retain(|path| !import::is_for_tests(path));
    }
    let for_tests = found - packages.len();
    let siblings = siblings(context, &spot.path);
    let known = siblings.iter().map(String::as_str).chain(source.all_words());
    // A type of the language has no members: `strings.ToUpper` is no misspelling of `string`.
    let is_possible = |known: &&str| {
        is_public(known) == is_public(name) && !(is_owner && PREDECLARED.contains(known))
    };
    // Visibility is spelled by the first letter, so `total` is never a misspelling of `Total`.
    let near = spelling::find_only(name, known.filter(is_possible));
    // A fix needs exactly one reading: a package or a name, and only one of them.
    match (packages.as_slice(), near) {
        ([], None) if for_tests > 0 => {
            RuleDecision::Hint(format!("`{name}` is a package for tests, and this file is none"))
        }
        ([path], None) => match import::add_import(source, path) {
            Some((range, text)) => spot.replace(range, text),
            None => RuleDecision::Hint(format!("its package may be \"{path}\"")),
        },
        ([], Some(right)) => spot.replace(range, right),
        ([], None) => RuleDecision::Hint(unclear(name, &siblings, source)),
        (several, None) => {
            RuleDecision::Hint(format!("several packages bear the name: {}", several.join(", ")))
        }
        ([first, ..], Some(right)) => {
            RuleDecision::Hint(format!("it is either `{right}` or the package \"{first}\""))
        }
    }
}

/// Fixes a name of a package of the module, to the only exported name that differs by one
/// letter.
pub(super) fn fix_package_member(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<GoErrorKind>,
) -> RuleDecision {
    let source = &spot.source;
    let of = missing.of.as_deref().unwrap_or_default();
    let path = import::imported(source, of).unwrap_or_default();
    let known: BTreeSet<String> = match import::folder(context, &spot.path, &path) {
        Some(folder) => outline(context, &folder)
            .into_iter()
            .filter(|it| it.1.is_none() && is_public(&it.0))
            .map(|it| it.0)
            .collect(),
        None => standard::members(&path).map(str::to_owned).collect(),
    };
    if known.is_empty() {
        return RuleDecision::Hint("the package is not one of the repository's".to_owned());
    }
    let Some(right) = spelling::find_only(&missing.name, known.iter().map(String::as_str)) else {
        let rivals = spelling::find_similar(&missing.name, 1, known.iter().map(String::as_str));
        return RuleDecision::Hint(match rivals.as_slice() {
            [_, _, ..] => format!("it can mean: {}", rivals.join(", ")),
            _ => "the package exports nothing like it".to_owned(),
        });
    };
    // Some versions point at the package, some at the name.
    let written = format!("{of}.{}", missing.name);
    let at = spot.column.and_then(|column| source.byte_at(spot.line, column, Unit::Byte));
    let start = at.and_then(|at| {
        let at = if source.word_at(at) == Some(of) && of != missing.name {
            at + of.len() + 1
        } else {
            at
        };
        let before = at.checked_sub(of.len() + 1)?;
        (source.text.get(before..at + missing.name.len()) == Some(written.as_str())).then_some(at)
    });
    match start {
        Some(start) => spot.replace(start..start + missing.name.len(), right),
        None => RuleDecision::hint(ELSEWHERE),
    }
}

/// Fixes a field or method: to the name that the compiler proposes, or the one that differs by a letter.
pub(super) fn fix_member(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<GoErrorKind>,
) -> RuleDecision {
    let Some(range) = spot.find_name(&missing.name, Unit::Byte) else {
        return RuleDecision::hint(ELSEWHERE);
    };
    let members = members(context, missing.of.as_deref().unwrap_or_default());
    let known = members.iter().map(String::as_str);
    let near = spelling::find_only(
        &missing.name,
        known.filter(|known| is_public(known) == is_public(&missing.name)),
    );
    match missing.proposed.as_deref().or(near) {
        Some(right) => spot.replace(range, right),
        None => RuleDecision::hint("no field or method is clearly meant"),
    }
}

/// Returns the reason why the name is not corrected: no name is similar, or several are.
fn unclear(name: &str, siblings: &[String], source: &LineIndex) -> String {
    let known = siblings.iter().map(String::as_str).chain(source.all_words());
    let rivals =
        spelling::find_similar(name, 1, known.filter(|it| is_public(it) == is_public(name)));
    match rivals.as_slice() {
        [_, _, ..] => format!("it can mean: {}", rivals.join(", ")),
        _ => "nothing in the package is like it".to_owned(),
    }
}

/// Returns `true` for a name that other packages can use.
fn is_public(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Returns names and parents of the definitions of a package, without tests.
fn outline(context: &DiagnosticContext<'_>, folder: &str) -> Vec<(String, Option<String>)> {
    let Some(lookup) = context.tools.names else { return Vec::new() };
    let files = import::go_files(context, folder);
    let all = files.flat_map(|path| lookup.outline(path));
    all.map(|it| (it.name, it.parent)).collect()
}

/// Returns the names that the package of a file defines at the top.
fn siblings(context: &DiagnosticContext<'_>, path: &RepoPath) -> Vec<String> {
    let folder = path.parent();
    let all = outline(context, folder.as_ref().map_or("", RepoPath::as_str));
    all.into_iter().filter(|(_, parent)| parent.is_none()).map(|(name, _)| name).collect()
}

/// Returns the fields and methods of a type; none if several types have its name.
fn members(context: &DiagnosticContext<'_>, of: &str) -> BTreeSet<String> {
    let Some(lookup) = context.tools.names else { return BTreeSet::new() };
    let defined = lookup.definitions(of);
    let types: Vec<_> =
        defined.iter().filter(|it| has_ending(&it.path, "go") && it.parent.is_none()).collect();
    let [only] = types.as_slice() else { return BTreeSet::new() };
    let folder = only.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let all = outline(context, folder).into_iter();
    all.filter(|(_, parent)| parent.as_deref() == Some(of)).map(|(name, _)| name).collect()
}
