//! Applies to each name that was not found the rule for its sort.

use super::super::diagnostic_context::{DiagnosticContext, Spot, Verdict, count_errors};
use super::super::findings::Findings;
use super::super::tool_context::{NoResult, ToolContext};
use super::message::{MissingName, Sort, parse_message};
use super::{attribute, module, name};
use crate::domain::{Failure, Location};

/// Returns the fixes for names that were not found.
pub(in crate::quickfix) fn find_fixes(tools: &ToolContext<'_>) -> Result<Findings, NoResult> {
    let failures = tools.report.failures.iter().filter(|failure| failure.toolchain == "python");
    let missing: Vec<_> =
        failures.filter_map(|failure| Some((failure, parse_message(&failure.message)?))).collect();
    if missing.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    for (failure, (sort, missing)) in &missing {
        let Some(at) = place(&context, failure) else { continue };
        context.judge("python", failure, &at, |context, spot| {
            apply_rule(context, spot, *sort, missing)
        });
    }
    Ok(context.into_findings(count_errors("python", missing.len())))
}

/// Returns whether a failure is about a name that was not found.
pub(in crate::quickfix) fn is_about_name(failure: &Failure) -> bool {
    parse_message(&failure.message).is_some()
}

/// The innermost frame inside the repository.
fn place(context: &DiagnosticContext<'_>, failure: &Failure) -> Option<Location> {
    failure
        .locations
        .iter()
        .find(|at| at.line.is_some() && context.find_file(&at.path).is_some())
        .cloned()
}

/// Returns the verdict of the rule for the kind of a missing name.
fn apply_rule(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    sort: Sort,
    missing: &MissingName<'_>,
) -> Verdict {
    match sort {
        Sort::Name => name::fix_name(context, spot, missing),
        Sort::Member => module::fix_member(context, spot, missing),
        Sort::Attribute => attribute::fix_attribute(context, spot, missing),
        Sort::Module => module::fix_module(context, spot, missing),
    }
}
