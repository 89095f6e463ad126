//! Corrects a name that is not defined to the one known name that it can mean.

use std::collections::BTreeSet;
use std::ops::Range;

use super::diagnostic_context::{DiagnosticContext, Spot, Verdict, count_errors, has_ending};
use super::findings::{Edit, Findings};
use super::known_names::Definition;
use super::line_index::Unit;
use super::tool_context::{NoResult, ToolContext};
use crate::domain::{Failure, Location};
use crate::lang;
use crate::text::spelling;

/// Maximum number of files to read definitions from; in a larger project a name has too many near ones.
const MAX_FILES: usize = 5_000;

/// Returns what the files with an ending define, tests left out.
pub(super) fn definitions(context: &DiagnosticContext<'_>, ending: &str) -> Vec<Definition> {
    let Some(lookup) = context.tools.names else { return Vec::new() };
    let files = context.files().iter();
    let files = files.filter(|path| has_ending(path, ending) && !lang::is_test(path));
    files.take(MAX_FILES).flat_map(|path| lookup.outline(path)).collect()
}

/// Returns what a rule finds for failures that report something missing, each read as an `M`, at the first place
/// of each in the repository.
///
/// # Errors
///
/// `Unconcerned` when there is no such failure.
pub(super) fn judge_each<M>(
    tools: &ToolContext<'_>,
    tool: &str,
    missing: &[(&Failure, M)],
    apply_rule: impl Fn(&mut DiagnosticContext<'_>, &Spot, &M) -> Verdict,
) -> Result<Findings, NoResult> {
    if missing.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    for (failure, missing) in missing {
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
) -> Verdict {
    if let Some(right) = find_right(wrong, proposed, known) {
        return replace(spot, wrong, right);
    }
    let rivals = spelling::find_similar(wrong, 1, known.iter().copied());
    Verdict::Hint(match rivals.as_slice() {
        [_, _, ..] => format!("it can mean: `{}`", rivals.join("`, `")),
        _ => "no known name is clearly meant".to_owned(),
    })
}

/// Writes another name in the place of the wrong one: where the tool points, or where the line has it once.
pub(super) fn replace(spot: &Spot, wrong: &str, right: &str) -> Verdict {
    let source = &spot.source;
    let pointed = source.find_word(spot.line, spot.column, wrong, Unit::Char);
    match pointed.or_else(|| source.only_in_line(spot.line, wrong)) {
        Some(range) => {
            Verdict::Fix(vec![Edit { path: spot.path.clone(), range, text: right.to_owned() }])
        }
        None => Verdict::Hint("the line does not have the name exactly once".to_owned()),
    }
}

/// Writes another name in each place of the wrong one in the file; only in the line if the file gives the wrong
/// name a value somewhere.
pub(super) fn replace_all(spot: &Spot, wrong: &str, right: &str) -> Verdict {
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
    let edit = |range| Edit { path: spot.path.clone(), range, text: right.to_owned() };
    let edits: Vec<Edit> = places.into_iter().map(edit).collect();
    if edits.is_empty() {
        return Verdict::Hint("the file does not have the name".to_owned());
    }
    Verdict::Fix(edits)
}

/// Returns an edit that inserts a line before another one.
pub(super) fn insert_line(spot: &Spot, before: u32, line: &str) -> Edit {
    let source = &spot.source;
    let at = source.line(before).map_or(source.text.len(), |range| range.start);
    Edit { path: spot.path.clone(), range: at..at, text: format!("{line}{}", source.line_ending()) }
}
