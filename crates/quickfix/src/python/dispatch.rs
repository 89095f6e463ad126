//! Applies to each name that was not found the rule for its sort.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::findings::ToolFindings;
use super::super::messages::Missing;
use super::super::misspelling;
use super::super::tool_context::{NoResult, ToolContext};
use super::message::{PythonNameKind, parse_message};
use super::{attribute, module, name, successor};
use papayu_base::domain::Failure;
use papayu_logs::failure::find_replacement;

/// Returns the fixes for names that were not found.
///
/// Fails with [`NoResult::Unconcerned`] if no failure is about such a name.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let is_python = |failure: &Failure| failure.toolchain == "python";
    let read = |failure: &Failure| parse_message(&failure.message).filter(|_| is_python(failure));
    misspelling::judge_each(tools, "python", read, apply_rule)
}

/// Returns whether a failure is about a name that was not found.
pub(crate) fn is_about_name(failure: &Failure) -> bool {
    parse_message(&failure.message).is_some()
}

/// Returns the verdict of the rule for the kind of a missing name.
fn apply_rule(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<PythonNameKind>,
) -> RuleDecision {
    match missing.sort {
        PythonNameKind::Name | PythonNameKind::Forgotten => name::fix_name(context, spot, missing),
        PythonNameKind::Member => {
            match find_replacement(&context.tools.report.excerpt, &missing.name) {
                Some(found) => successor::write_successor(spot, &missing.name, found),
                None => module::fix_member(context, spot, missing),
            }
        }
        PythonNameKind::Attribute => attribute::fix_attribute(context, spot, missing),
        PythonNameKind::Module => module::fix_module(context, spot, missing),
    }
}
