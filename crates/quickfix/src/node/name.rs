//! Names and members that are not defined: misspellings of others that are known.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::line_index::Unit;
use super::import;
use papayu_base::text::spelling;

/// Members of the language's own types that are often misspelt.
const BUILTIN: &str = "abs add all assign at basename catch ceil charAt charCodeAt clear concat createHash delete dirname \
    endsWith entries error every exec existsSync extname fill filter finally find findIndex findLast flat flatMap floor \
    forEach freeze from fromEntries get getDate getDay getFullYear getHours getMinutes getMonth getTime has \
    hasOwnProperty includes indexOf isArray isInteger join keys lastIndexOf length localeCompare log match matchAll max \
    min mkdirSync normalize now padEnd padStart parse parseFloat parseInt pop push random readFile readFileSync \
    readdirSync reduce reduceRight reject relative repeat replace replaceAll resolve reverse round search set shift slice \
    some sort splice split sqrt startsWith stringify substring test then toFixed toISOString toLocaleString toLowerCase \
    toString toUpperCase trim trimEnd trimStart trunc unshift valueOf values warn writeFile writeFileSync";

/// A bare name: the one word of the file that differs by a letter.
pub(super) fn fix_name(context: &DiagnosticContext<'_>, spot: &Spot, name: &str) -> RuleDecision {
    let mut exported = context.tools.names.map(|names| names.exporters(name)).unwrap_or_default();
    exported.retain(|path| path != spot.path.as_str() && !papayu_lang::is_test(path));
    match exported.as_slice() {
        [] if import::is_builtin(name) => import::add_builtin(spot, name),
        [] => replace(spot, name, spot.source.all_words()),
        [only] => import::add_name(context, spot, name, only),
        several => RuleDecision::Hint(format!("several files export it: {}", several.join(", "))),
    }
}

/// A member: one that the imported files define, or one of the language's own types.
pub(super) fn fix_member(context: &DiagnosticContext<'_>, spot: &Spot, name: &str) -> RuleDecision {
    let mut known: BTreeSet<String> = BUILTIN.split_whitespace().map(str::to_owned).collect();
    // Node does not name the type of the object, so the members of all imported files count.
    let from = spot.path.as_str();
    known.extend(defined(context, from));
    for import in context.tools.names.map(|names| names.imports(from)).unwrap_or_default() {
        known.extend(import.targets.iter().flat_map(|target| defined(context, target)));
    }
    replace(spot, name, known.iter().map(String::as_str))
}

/// A name in an import that its module does not export.
pub(super) fn fix_export(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    name: &str,
    module: &str,
) -> RuleDecision {
    let imports = context.tools.names.map(|names| names.imports(spot.path.as_str()));
    let of_module = imports.into_iter().flatten().filter(|import| import.module == module);
    let targets: Vec<String> = of_module.flat_map(|import| import.targets).collect();
    let known: Vec<String> = targets.iter().flat_map(|it| defined(context, it)).collect();
    let Some(right) = spelling::find_only(name, known.iter().map(String::as_str)) else {
        return RuleDecision::hint("the module exports nothing that is clearly meant");
    };
    spot.replace_all(spot.source.word_places(name), right)
}

/// Returns the names that a file defines, members of its classes included.
fn defined(context: &DiagnosticContext<'_>, path: &str) -> Vec<String> {
    let outline = context.tools.names.map(|names| names.outline(path)).unwrap_or_default();
    outline.into_iter().map(|definition| definition.name).collect()
}

/// Writes the only similar name in the place of the wrong one.
fn replace<'n>(spot: &Spot, name: &str, known: impl Iterator<Item = &'n str>) -> RuleDecision {
    let Some(right) = spelling::find_only(name, known) else {
        return RuleDecision::hint("no known name is clearly meant");
    };
    // The position is that of the call, which can be left of the member.
    match spot.find_name(name, Unit::Utf16) {
        Some(range) => spot.replace(range, right),
        None => RuleDecision::hint("the line does not have the name exactly once"),
    }
}
