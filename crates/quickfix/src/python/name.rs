//! Names that nothing binds: misspelt, or their import is missing.

use std::ops::Range;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::import_cycles;
use super::super::known_names::KnownNames;
use super::super::line_index::{LineIndex, Unit};
use super::super::messages::Missing;
use super::import::{WantedImport, add_import, dotted, module_path};
use super::message::PythonNameKind;
use super::standard;
use super::statement::head;
use papayu_base::text::spelling;
use papayu_lang::is_python_standard;

const NOTHING: &str = "nothing is known of the name";

/// A possible meaning of a name.
enum Meaning {
    /// A module of the standard library.
    Standard,
    /// A name of this module of the standard library.
    StandardName(&'static str),
    /// A definition of another file.
    Defined(String),
    /// One of a file that is not for this one to take.
    Outside(String),
    /// Another name of this file.
    Misspelt(String),
}

/// Fixes the name if it can mean one thing only.
pub(super) fn fix_name(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<PythonNameKind>,
) -> RuleDecision {
    let (source, name) = (&spot.source, missing.name.as_str());
    let Some(range) = source.find_word(spot.line, spot.column, name, Unit::Char) else {
        return RuleDecision::hint("the line does not contain the name exactly once");
    };
    let Some(lookup) = context.tools.names else {
        return RuleDecision::hint(NOTHING);
    };
    if lookup.outline(spot.path.as_str()).iter().any(|it| it.name == name && it.parent.is_none()) {
        return RuleDecision::hint("the file defines it, and not for where it is used");
    }
    let meanings = meanings(lookup, spot, &range, missing);
    let wanted = match meanings.as_slice() {
        [Meaning::Standard] => WantedImport::Module(name.to_owned()),
        [Meaning::StandardName(module)] => {
            WantedImport::Name { module: (*module).to_owned(), name: name.to_owned() }
        }
        [Meaning::Defined(target)] => return import_from(context, spot, range, name, target),
        [Meaning::Misspelt(right)] => return rename(spot, range, name, right),
        [Meaning::Outside(target)] => {
            return RuleDecision::Hint(format!(
                "only {target} defines it, which is not for this file"
            ));
        }
        [] => return RuleDecision::Hint(unclear(missing, source.all_words())),
        _ => return RuleDecision::Hint(format!("it can mean: {}", listed(&meanings))),
    };
    RuleDecision::Fix(vec![add_import(&spot.path, source, &wanted)])
}

/// Returns everything that the name could be: a module of the standard library, a definition in
/// another file, a similar name. Only a single one is applied.
fn meanings(
    lookup: &KnownNames<'_>,
    spot: &Spot,
    range: &Range<usize>,
    missing: &Missing<PythonNameKind>,
) -> Vec<Meaning> {
    let (source, name) = (&spot.source, missing.name.as_str());
    let mut meanings = Vec::new();
    let is_owner = source.text.get(range.end..).is_some_and(|rest| rest.starts_with('.'));
    if is_python_standard(name) && (is_owner || missing.sort == PythonNameKind::Forgotten) {
        meanings.push(Meaning::Standard);
    }
    let (own, outside) = definers(lookup, spot.path.as_str(), name);
    let outside = if own.is_empty() { outside } else { Vec::new() };
    if own.is_empty() && outside.is_empty() {
        meanings.extend(standard::module_of(name).map(Meaning::StandardName));
    }
    meanings.extend(own.into_iter().map(Meaning::Defined));
    meanings.extend(outside.into_iter().map(Meaning::Outside));
    let right = match missing.proposed.as_deref() {
        // One that is not clear is in the way of any other meaning all the same.
        Some(right) if !meanings.is_empty() => Some(right),
        Some(right) => {
            Some(right).filter(|right| spelling::is_clear(name, right, source.all_words()))
        }
        None => spelling::find_only(name, source.all_words()),
    };
    // A class `Order` is defined, and `order` is a variable of it.
    let is_variable = |right: &&str| {
        right.eq_ignore_ascii_case(name)
            && right.starts_with(char::is_lowercase)
            && name.starts_with(char::is_uppercase)
    };
    let right = right.filter(|right| meanings.is_empty() || !is_variable(right));
    meanings.extend(right.map(|right| Meaning::Misspelt(right.to_owned())));
    meanings
}

/// Returns the reason why no name is written: none is similar, or several are.
pub(super) fn unclear<'n>(
    missing: &Missing<PythonNameKind>,
    known: impl Iterator<Item = &'n str>,
) -> String {
    let within =
        missing.proposed.as_deref().and_then(|right| spelling::count_letters(&missing.name, right));
    let rivals = spelling::find_similar(&missing.name, within.unwrap_or(1), known);
    match (rivals.as_slice(), &missing.proposed) {
        ([_, _, ..], _) => format!("it can mean: `{}`", rivals.join("`, `")),
        (_, Some(right)) => format!("`{right}` need not be what `{}` means", missing.name),
        _ => "nothing known is like it".to_owned(),
    }
}

/// Takes the name from the file that defines it.
fn import_from(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    range: Range<usize>,
    name: &str,
    target: &str,
) -> RuleDecision {
    let Some(lookup) = context.tools.names else { return RuleDecision::hint(NOTHING) };
    // A module that is imported whole needs no second import.
    if let Some(module) = whole_import(lookup, spot, target) {
        return rename(spot, range, name, &format!("{module}.{name}"));
    }
    if let Some(why) = refused(lookup, spot, target) {
        return RuleDecision::Hint(why);
    }
    let Some(module) = dotted(lookup, context.files(), &spot.path, target) else {
        return RuleDecision::Hint(format!("{target} defines it"));
    };
    let wanted = WantedImport::Name { module, name: name.to_owned() };
    RuleDecision::Fix(vec![add_import(&spot.path, &spot.source, &wanted)])
}

/// Returns how the file names a module that it imports at its head as a whole.
fn whole_import(lookup: &KnownNames<'_>, spot: &Spot, target: &str) -> Option<String> {
    let imports = lookup.imports(spot.path.as_str());
    let plain = head(&spot.source).into_iter().filter(|it| !it.is_from && !it.module.is_empty());
    let mut modules = plain.map(|it| it.module);
    let stem = module_path(target)?.rsplit('/').next();
    modules.find(|module| {
        // The targets may include the module's package.
        let leads = imports.iter().filter(|import| import.module == *module);
        module.rsplit('.').next() == stem
            && leads.flat_map(|import| &import.targets).any(|it| it == target)
    })
}

/// Returns the reason why a file must not import a name from another: an import cycle. `None` if there is no
/// cycle.
pub(super) fn refused(lookup: &KnownNames<'_>, spot: &Spot, target: &str) -> Option<String> {
    let circle = import_cycles::leads_back(lookup, target, spot.path.as_str());
    circle.then(|| format!("{target} defines it, and imports this file itself: a circle"))
}

/// Returns the Python files, tests left out, that define a name at their top for others: those that a file
/// may take it from, and those that are not for it.
pub(super) fn definers(
    lookup: &KnownNames<'_>,
    from: &str,
    name: &str,
) -> (Vec<String>, Vec<String>) {
    let found =
        lookup.definitions(name).into_iter().filter(|it| it.exported && it.parent.is_none());
    let mut paths: Vec<String> = found.map(|it| it.path).collect();
    paths.dedup();
    paths.retain(|path| has_ending(path, "py") && path != from);
    let is_own =
        |path: &String| !papayu_lang::is_test(path) && !import_cycles::is_outside(path, from);
    paths.into_iter().partition(is_own)
}

/// Returns the meanings for a hint.
fn listed(meanings: &[Meaning]) -> String {
    let shown = meanings.iter().map(|meaning| match meaning {
        Meaning::Standard => "the standard library's module".to_owned(),
        Meaning::StandardName(module) => format!("the one of `{module}`"),
        Meaning::Defined(path) | Meaning::Outside(path) => format!("the one of {path}"),
        Meaning::Misspelt(right) => format!("`{right}`"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Renames every use where the file binds the name nowhere, else the one that failed.
fn rename(spot: &Spot, range: Range<usize>, name: &str, right: &str) -> RuleDecision {
    let source = &spot.source;
    let all = source.word_places(name);
    let places = if all.iter().any(|at| is_bound(source, at)) { vec![range] } else { all };
    spot.replace_all(places, right)
}

/// Returns whether a use may be a binding, or the name of something else: an attribute, a keyword.
fn is_bound(source: &LineIndex, at: &Range<usize>) -> bool {
    let line = source.line_text(source.line_number(at.start)).trim_start();
    let before = source.text.get(..at.start).unwrap_or_default();
    let after = source.text.get(at.end..).unwrap_or_default().trim_start_matches(' ');
    let heads = [
        "def ", "async def ", "class ", "for ", "import ", "from ", "global ", "nonlocal ",
        "with ", "except ",
    ];
    before.ends_with('.')
        || heads.iter().any(|head| line.starts_with(head))
        || before.ends_with("as ")
        || before.ends_with("for ")
        || before.ends_with("lambda ")
        || after.starts_with(":=")
        || after.starts_with(": ")
        || (after.starts_with('=') && !after.starts_with("=="))
}
