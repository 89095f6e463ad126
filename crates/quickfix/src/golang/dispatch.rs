//! Applies to each error of the compiler the rule for its sort.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, count_errors};
use super::super::findings::ToolFindings;
use super::super::messages::{Missing, read_message};
use super::super::tool_context::{NoResult, ToolContext};
use super::message::{FORMS, GoErrorKind};
use super::{import, name};
use papayu_base::domain::{Failure, FailureKind};

/// Returns the fixes for errors of the Go compiler.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let failures = tools.report.failures.iter();
    let errors: Vec<&Failure> = failures.filter(|failure| is_error(failure)).collect();
    if errors.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    for failure in &errors {
        let first = failure.message.lines().next().unwrap_or_default();
        let Some(missing) = read_message(&FORMS, first) else { continue };
        for at in &failure.locations {
            context.judge("go", failure, at, |context, spot| apply_rule(context, spot, &missing));
        }
    }
    Ok(context.into_findings(count_errors("go", errors.len())))
}

/// Returns `true` if a failure is an error of the compiler.
pub(crate) fn is_error(failure: &Failure) -> bool {
    failure.toolchain == "go" && matches!(failure.kind, FailureKind::Compile | FailureKind::Import)
}

/// Returns the verdict of the rule for the kind of an error.
fn apply_rule(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<GoErrorKind>,
) -> RuleDecision {
    match missing.sort {
        GoErrorKind::Undefined => name::fix_undefined(context, spot, &missing.name),
        GoErrorKind::OfPackage => name::fix_package_member(context, spot, missing),
        GoErrorKind::Member => name::fix_member(context, spot, missing),
        GoErrorKind::UnusedImport => import::remove_import(context, spot, &missing.name),
        GoErrorKind::UnknownPackage => import::fix_path(context, spot, &missing.name),
        GoErrorKind::UnusedVariable => {
            // Removing the variable would hide a use that the author forgot.
            RuleDecision::hint("what is not used may be missing where it should be used")
        }
    }
}
