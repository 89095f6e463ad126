//! Reads which symbol or package javac did not find, and applies the rule for its kind.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::findings::ToolFindings;
use super::super::messages::{Form, Missing, form, read_message};
use super::super::misspelling;
use super::super::tool_context::{NoResult, ToolContext};
use super::{import, standard};
use papayu_base::domain::Failure;
use papayu_base::text::spelling;

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JavaSymbolKind {
    Class,
    Variable,
    Method,
    Package,
}

/// The messages of javac, joined by the reader of logs to one line.
static FORMS: [Form<JavaSymbolKind>; 4] = [
    form(JavaSymbolKind::Class, r"^cannot find symbol; symbol:\s+class (?P<name>\w+)"),
    form(JavaSymbolKind::Variable, r"^cannot find symbol; symbol:\s+variable (?P<name>\w+)"),
    form(
        JavaSymbolKind::Method,
        r"^cannot find symbol; symbol:\s+method (?:<[^>]*>)?(?P<name>\w+)\(",
    ),
    form(JavaSymbolKind::Package, r"^package (?P<name>[\w.]+) does not exist"),
];

/// Returns fixes for symbols that javac did not find.
///
/// Fails with [`NoResult::Unconcerned`] if no failure is about such a symbol.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    misspelling::judge_each(tools, "javac", read_failure, apply_rule)
}

/// Returns the symbol or package that javac reports as missing; `None` for other failures.
fn read_failure(failure: &Failure) -> Option<Missing<JavaSymbolKind>> {
    if failure.toolchain == "java" { read_message(&FORMS, &failure.message) } else { None }
}

/// Returns the verdict of the rule for the kind of a symbol.
fn apply_rule(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<JavaSymbolKind>,
) -> RuleDecision {
    let name = missing.name.as_str();
    match missing.sort {
        JavaSymbolKind::Package => import::fix_package(context, spot, name),
        JavaSymbolKind::Class => fix_class(context, spot, name),
        // A class before a dot: `Names.normalize(…)`.
        // A variable with a capital letter is nearly always a class before a dot.
        JavaSymbolKind::Variable if name.starts_with(char::is_uppercase) => {
            fix_class(context, spot, name)
        }
        JavaSymbolKind::Variable => {
            let own = misspelling::definitions(context, "java");
            let own = own.iter().map(|it| it.name.as_str());
            let known: BTreeSet<&str> = spot.source.all_words().chain(own).collect();
            misspelling::correct(spot, name, None, &known)
        }
        JavaSymbolKind::Method => {
            let own = misspelling::definitions(context, "java");
            let own = own.iter().filter(|it| it.parent.is_some()).map(|it| it.name.as_str());
            let known: BTreeSet<&str> = own.chain(standard::methods()).collect();
            misspelling::correct(spot, name, None, &known)
        }
    }
}

/// Fixes a class: imports it, corrects its import, or corrects its name.
fn fix_class(context: &mut DiagnosticContext<'_>, spot: &Spot, name: &str) -> RuleDecision {
    let imports = import::read_imports(spot);
    let is_here = spot.source.line_text(spot.line).starts_with("import ");
    if let Some(imported) = imports.iter().find(|it| is_here && it.class == name) {
        return import::fix_imported_class(context, spot, imported);
    }
    // An import of a similar name is probably the misspelt one, and has an error of its own.
    let near = |class: &str| class == name || spelling::count_letters(class, name).is_some();
    if imports.iter().any(|it| near(&it.class) && import_is_wrong(context, spot, &it.class)) {
        return RuleDecision::hint("its import is wrong");
    }
    let own = import::own_packages(context, name);
    let here = import::package_of_text(&spot.source.text);
    match own.as_slice() {
        [package] if *package != here => {
            return RuleDecision::Fix(vec![import::add_import(spot, package, name)]);
        }
        [_, _, ..] => {
            return RuleDecision::Hint(format!("several packages have it: {}", own.join(", ")));
        }
        _ => {}
    }
    // No package of the repository has it: the JDK comes next, then a misspelling.
    if let Some(package) = standard::package_of(name) {
        return RuleDecision::Fix(vec![import::add_import(spot, package, name)]);
    }
    let defined = misspelling::definitions(context, "java");
    let defined = defined.iter().filter(|it| it.parent.is_none()).map(|it| it.name.as_str());
    let is_type = |word: &&str| word.starts_with(char::is_uppercase);
    let known: BTreeSet<&str> = spot.source.all_words().chain(defined).filter(is_type).collect();
    misspelling::correct(spot, name, None, &known)
}

/// Returns `true` if javac also reports the import of a class, which is then the place to
/// correct.
fn import_is_wrong(context: &DiagnosticContext<'_>, spot: &Spot, class: &str) -> bool {
    let failures = context.tools.report.failures.iter();
    let mut lines = failures.flat_map(|it| &it.locations).filter_map(|at| at.line);
    lines.any(|line| {
        let text = spot.source.line_text(line);
        text.starts_with("import ") && text.trim_end().ends_with(&format!(".{class};"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_javac_is_read() {
        for (message, expected) in [
            ("cannot find symbol; symbol: class List", Some((JavaSymbolKind::Class, "List"))),
            ("cannot find symbol; symbol: variable prce", Some((JavaSymbolKind::Variable, "prce"))),
            (
                "cannot find symbol; symbol: method puls(Money)",
                Some((JavaSymbolKind::Method, "puls")),
            ),
            ("package shop.utl does not exist", Some((JavaSymbolKind::Package, "shop.utl"))),
            ("incompatible types: int cannot be converted to String", None),
        ] {
            let found = read_message(&FORMS, message);
            let found = found.as_ref().map(|it| (it.sort, it.name.as_str()));
            assert_eq!(found, expected, "{message}");
        }
    }
}
