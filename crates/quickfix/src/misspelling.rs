//! Corrects a name that is not defined to the one known name that it can mean.

use std::collections::BTreeSet;
use std::ops::Range;

use super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, count_errors, has_ending};
use super::findings::ToolFindings;
use super::known_names::KnownDefinition;
use super::line_index::Unit;
use super::tool_context::{NoResult, ToolContext};
use papayu_base::domain::{Failure, Location};
use papayu_base::text::spelling;

/// Maximum number of files to read definitions from; in a larger project a name has too many near ones.
const MAX_FILES: usize = 5_000;

/// Returns what the files with an ending define, tests left out.
pub(super) fn definitions(context: &DiagnosticContext<'_>, ending: &str) -> Vec<KnownDefinition> {
    let Some(lookup) = context.tools.names else { return Vec::new() };
    let files = context.files().iter();
    let files = files.filter(|path| has_ending(path, ending) && !papayu_lang::is_test(path));
    files.take(MAX_FILES).flat_map(|path| lookup.outline(path)).collect()
}

/// Returns what a rule finds for the failures that `read` takes for reports of something missing, at the first
/// place of each in the repository.
///
/// # Errors
///
/// [`NoResult::Unconcerned`] if there is no such failure.
pub(super) fn judge_each<M>(
    tools: &ToolContext<'_>,
    tool: &str,
    read: impl Fn(&Failure) -> Option<M>,
    apply_rule: impl Fn(&mut DiagnosticContext<'_>, &Spot, &M) -> RuleDecision,
) -> Result<ToolFindings, NoResult> {
    let failures = tools.report.failures.iter();
    let missing: Vec<(&Failure, M)> =
        failures.filter_map(|failure| Some((failure, read(failure)?))).collect();
    if missing.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    for (failure, missing) in &missing {
        let Some(at) = find_place(&context, failure) else { continue };
        context.judge(tool, failure, &at, |context, spot| apply_rule(context, spot, missing));
    }
    Ok(context.into_findings(count_errors(tool, missing.len())))
}

/// Returns the first place of a failure that is a line of a file of the repository.
fn find_place(context: &DiagnosticContext<'_>, failure: &Failure) -> Option<Location> {
    let is_own = |at: &&Location| at.line.is_some() && context.find_file(&at.path).is_some();
    failure.locations.iter().find(is_own).cloned()
}

/// Returns the name that a tool proposes if it is clearly meant, or else the one known name that is nearest.
pub(super) fn find_right<'n>(
    wrong: &str,
    proposed: Option<&'n str>,
    known: &BTreeSet<&'n str>,
) -> Option<&'n str> {
    let known = known.iter().copied();
    match proposed {
        Some(right) => Some(right).filter(|right| spelling::is_clear(wrong, right, known)),
        None => spelling::find_only(wrong, known),
    }
}

/// Writes the name that [`find_right`] returns.
pub(super) fn correct<'n>(
    spot: &Spot,
    wrong: &str,
    proposed: Option<&'n str>,
    known: &BTreeSet<&'n str>,
) -> RuleDecision {
    if let Some(right) = find_right(wrong, proposed, known) {
        return replace(spot, wrong, right);
    }
    let rivals = spelling::find_similar(wrong, 1, known.iter().copied());
    RuleDecision::Hint(match rivals.as_slice() {
        [_, _, ..] => format!("it can mean: `{}`", rivals.join("`, `")),
        _ => "no known name is clearly meant".to_owned(),
    })
}

/// Writes another name in the place of the wrong one: where the tool points, or where the line has it once.
pub(super) fn replace(spot: &Spot, wrong: &str, right: &str) -> RuleDecision {
    match spot.find_name(wrong, Unit::Char) {
        Some(range) => spot.replace(range, right),
        None => RuleDecision::hint("the line does not have the name exactly once"),
    }
}

/// Writes another name in each place of the wrong one in the file; only in the line if the file gives the wrong
/// name a value somewhere.
pub(super) fn replace_all(spot: &Spot, wrong: &str, right: &str) -> RuleDecision {
    let source = &spot.source;
    let places = source.word_places(wrong);
    let is_bound = |at: &Range<usize>| {
        let before = source.text.get(..at.start).unwrap_or_default();
        let after = source.text.get(at.end..).unwrap_or_default().trim_start();
        before.ends_with(['@', '|', ':', '.', '>'])
            || before.trim_end().ends_with("def")
            || (after.starts_with('=') && !after.starts_with("=="))
    };
    if places.iter().any(is_bound) {
        return replace(spot, wrong, right);
    }
    if places.is_empty() {
        return RuleDecision::hint("the file does not have the name");
    }
    spot.replace_all(places, right)
}

/// Returns by how many letters the only different part of two paths differs; `None` if they differ in another way.
pub(super) fn count_letters_in_part(wrong: &str, right: &str, separator: char) -> Option<usize> {
    let (wrong, right): (Vec<&str>, Vec<&str>) =
        (wrong.split(separator).collect(), right.split(separator).collect());
    let mut different = wrong.iter().zip(&right).filter(|(one, other)| one != other);
    let (one, other) = different.next().filter(|_| wrong.len() == right.len())?;
    spelling::count_letters(one, other).filter(|_| different.next().is_none())
}
