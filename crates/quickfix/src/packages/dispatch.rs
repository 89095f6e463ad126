//! Looks up the names that failures miss in the messages and in the change logs of the packages that a file uses.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::findings::ToolFindings;
use super::super::python;
use super::super::tool_context::{NoResult, ToolContext};
use super::installed::InstalledPackages;
use super::moved::list_moved;
use super::rename::write_replacement;
use papayu_base::domain::Failure;
use papayu_base::text::{Pattern, is_word_char};
use papayu_logs::failure::{ReplacedName, find_replacement, last_part};

/// Most failures that are looked up.
const MAX_FAILURES: usize = 50;

/// The words of messages about something that is not there any more.
static MISSING: Pattern = Pattern::new(
    r"(?i)\b(?:not found|cannot find|cannot import|can't find|could not find|no such|not defined|undefined|unresolved|unknown|no attribute|has no\b|have no\b|not a function|not a constructor|not exported|does not (?:exist|provide|have)|no exported member|no method|removed|deprecated|no longer|unexpected keyword|cannot refer)",
);

/// Returns the fixes for names that a dependency replaced.
///
/// Fails with [`NoResult::Unconcerned`] if no failure is about a missing name.
pub(in super::super) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let failures = tools.report.failures.iter();
    let missing: Vec<&Failure> =
        failures.filter(|it| MISSING.is_match(&it.message)).take(MAX_FAILURES).collect();
    if missing.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    let mut packages = InstalledPackages::default();
    for failure in missing {
        for at in &failure.locations {
            let Ok(spot) = context.locate(at) else { continue };
            let Some(verdict) = replace_names(&context, &mut packages, failure, &spot)? else {
                continue;
            };
            context.add_verdict("packages", failure, at, verdict);
            break;
        }
    }
    Ok(context.into_findings(String::new()))
}

/// Returns the verdict on the names of a message that are in the line; `None` if nothing replaces them.
fn replace_names(
    context: &DiagnosticContext<'_>,
    packages: &mut InstalledPackages,
    failure: &Failure,
    spot: &Spot,
) -> Result<Option<RuleDecision>, NoResult> {
    let words = failure.message.split(|c: char| !is_word_char(c) && c != '$');
    let words: BTreeSet<&str> = words.collect();
    let names: Vec<&str> = words
        .into_iter()
        .filter(|word| word.len() > 1 && python::find_use(spot, word).is_some())
        .collect();
    for name in &names {
        if let Some(found) = find_replacement(&context.tools.report.excerpt, name) {
            return Ok(Some(write_replacement(spot, name, found)));
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    for moved in list_moved(context.tools, spot) {
        let Some(versions) = packages.versions_of(context, spot, moved)? else { continue };
        for name in &names {
            if let Some(new) = versions.find_successor(name) {
                return Ok(Some(write_replacement(
                    spot,
                    name,
                    ReplacedName { old: name, new: &new },
                )));
            }
        }
    }
    let notes = packages.notes_for(context, spot)?;
    for name in &names {
        let found: Vec<ReplacedName<'_>> =
            notes.iter().filter_map(|text| find_replacement(text, name)).collect();
        let Some(first) = found.first() else { continue };
        let other = found.iter().find(|it| last_part(it.new) != last_part(first.new));
        return Ok(Some(match other {
            None => write_replacement(spot, name, *first),
            Some(other) => {
                RuleDecision::Hint(format!("it can mean: `{}`, `{}`", first.new, other.new))
            }
        }));
    }
    Ok(None)
}
