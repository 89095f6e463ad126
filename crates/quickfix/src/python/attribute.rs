//! Attributes that an object of a class does not have.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::line_index::Unit;
use super::super::messages::Missing;
use super::message::PythonNameKind;
use super::name::unclear;
use papayu_base::domain::RepoPath;
use papayu_base::text::is_word_char;
use papayu_base::text::spelling;

/// Writes the attribute that is meant, as the tool proposes it or as the class alone has one like it.
pub(super) fn fix_attribute(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<PythonNameKind>,
) -> RuleDecision {
    let (source, name) = (&spot.source, missing.name.as_str());
    let range = source.find_word(spot.line, None, name, Unit::Char);
    let is_attribute = |start: usize| source.text.get(..start).is_some_and(|it| it.ends_with('.'));
    let Some(range) = range.filter(|range| is_attribute(range.start)) else {
        return RuleDecision::hint("the line does not contain the attribute exactly once");
    };
    let known = attributes(context, missing.of.as_deref().unwrap_or_default());
    let known = || known.iter().map(String::as_str);
    let right = match missing.proposed.as_deref() {
        Some(right) => Some(right).filter(|right| spelling::is_clear(name, right, known())),
        None => spelling::find_only(name, known()),
    };
    match right {
        Some(right) => spot.replace(range, right),
        None => RuleDecision::Hint(unclear(missing, known())),
    }
}

/// Returns the members of the one class of a name, and what its methods set on `self`.
fn attributes(context: &mut DiagnosticContext<'_>, class: &str) -> BTreeSet<String> {
    let Some(lookup) = context.tools.names else { return BTreeSet::new() };
    let classes: Vec<_> =
        lookup.definitions(class).into_iter().filter(|it| has_ending(&it.path, "py")).collect();
    let [only] = classes.as_slice() else { return BTreeSet::new() };
    let outline = lookup.outline(&only.path).into_iter();
    let members = outline.filter(|it| it.parent.as_deref() == Some(class)).map(|it| it.name);
    let mut names: BTreeSet<String> = members.collect();
    let source = RepoPath::parse(&only.path).ok().and_then(|path| context.read(&path).ok());
    for line in source.iter().flat_map(|source| source.text.lines()) {
        let own = line.trim_start().strip_prefix("self.");
        let Some((name, _)) = own.and_then(|it| it.split_once([' ', ':', '='])) else { continue };
        if name.chars().all(is_word_char) {
            names.insert(name.to_owned());
        }
    }
    names
}
