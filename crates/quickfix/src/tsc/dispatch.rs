//! Leads each error to the rule for its code.

use std::collections::HashSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision};
use super::super::findings::ToolFindings;
use super::super::module_path;
use super::super::tool_context::{NoResult, ToolContext};
use super::case::{CompilerCase, locate_case};
use super::run::{CompilerErrors, compiler_errors};
use super::{awaited, member, missing, rename, unused};
use papayu_base::domain::{Failure, RepoPath};

/// Returns the fixes for the compiler's errors.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let mut context = DiagnosticContext::new(tools);
    let CompilerErrors { errors: failures, account } = compiler_errors(&context)?;
    let broken = broken_imports(&mut context, &failures);
    for failure in &failures {
        let file = failure.locations.first().map(|at| at.path.as_str());
        for at in failure.locations.iter().filter(|at| Some(at.path.as_str()) == file) {
            // Further places of an error in the same file are either the same error once more or a note.
            let is_first = failure.locations.first() == Some(at);
            let verdict = match locate_case(&mut context, failure, at) {
                Ok(Some(case)) => apply_rule(&mut context, &case, &broken),
                Ok(None) => continue,
                Err(why) => Some(RuleDecision::hint(why)),
            };
            match verdict {
                Some(RuleDecision::Hint(_)) if !is_first => {}
                Some(verdict) => context.add_verdict("tsc", failure, at, verdict),
                None => {}
            }
        }
    }
    Ok(context.into_findings(account))
}

/// Returns the names whose import is itself an error, by file: errors at their uses follow from it.
fn broken_imports(
    context: &mut DiagnosticContext<'_>,
    failures: &[Failure],
) -> HashSet<(RepoPath, String)> {
    let is_member = |failure: &&Failure| {
        failure.code.as_deref().is_some_and(|code| member::CODES.contains(&code))
    };
    let names = failures.iter().filter(is_member).filter_map(|failure| {
        let path = context.find_file(&failure.locations.first()?.path)?;
        Some((path, member::wanted(&failure.message)?.to_owned()))
    });
    names.collect()
}

/// Corrects the path of a module that is not found.
fn fix_module(context: &DiagnosticContext<'_>, case: &CompilerCase<'_>) -> RuleDecision {
    let Some(printed) = case.message.split('\'').nth(1) else {
        return RuleDecision::hint("the message is not of a known form");
    };
    // Deno prints the address of the file that would be read.
    match printed.strip_prefix("file://") {
        Some(path) => module_path::fix_absolute(context, &case.spot, path),
        None => module_path::fix_specifier(context, &case.spot, printed),
    }
}

/// Returns what is to be done, `None` where there is nothing to say.
fn apply_rule(
    context: &mut DiagnosticContext<'_>,
    case: &CompilerCase<'_>,
    broken: &HashSet<(RepoPath, String)>,
) -> Option<RuleDecision> {
    let is_broken = |name: &str| broken.contains(&(case.spot.path.clone(), name.to_owned()));
    match case.code {
        2551 | 2552 | 2561 | 2568 | 2570 | 2833
            if rename::proposed(case.message).is_some_and(is_broken) =>
        {
            None
        }
        // 2551, 2339: the type has no such property, with and without a proposal.
        2551 | 2339 if case.message.contains("Promise<") => Some(awaited::await_member(case)),
        // 2552, 2570: an unknown name, for which the compiler proposes a similar one in scope.
        2552 | 2570 => Some(missing::import_or_rename(context, case)),
        // 2561, 2568: an unknown property of a literal or a type; 2833: an unknown namespace.
        2551 | 2561 | 2568 | 2833 => Some(rename::replace_word(case)),
        // An unknown name that is a static (2662) or an instance member (2663) of the class.
        2662 | 2663 => Some(rename::replace_by_member(case)),
        // 2304: an unknown name; 2503: a namespace; 18004: a shorthand property without a value in scope.
        2304 | 2503 | 18004 => Some(missing::import_name(context, case)),
        // 2305, 2724: not exported; 2614: it is the default; 2459, 2460: it is local, or exported under
        // another name; 2613, 1192: no default export.
        2305 | 2614 | 2459 | 2460 | 2613 | 1192 | 2724 => Some(member::fix_import(context, case)),
        // 2307, 2792: the module is not found.
        2307 | 2792 => Some(fix_module(context, case)),
        // 1484: a type needs a type-only import, with `verbatimModuleSyntax`.
        1484 => Some(member::type_only(case)),
        // 2801: a promise is used as a condition.
        2801 => Some(awaited::await_condition(case)),
        // 6133, 6196: never used; 6192: nothing of an import is used.
        6133 | 6192 | 6196 => unused::remove_unused(context, case, broken),
        _ => Some(RuleDecision::hint("the compiler proposes nothing")),
    }
}
