//! The changes that hooks of pre-commit made themselves, as a source.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, count_errors};
use super::super::findings::ToolFindings;
use super::super::tool_context::ToolContext;
use super::lines;
use papayu_base::domain::{Failure, Location, RepoPath};

/// The message of a hook that changed files and therefore failed.
const MODIFIED: &str = "files were modified by this hook";

/// Returns the changes that hooks made when the command ran, each file as one fix; `None` if no hook failed because of its
/// changes.
pub(crate) fn find_hook_fixes(
    tools: &ToolContext<'_>,
    rewritten: &[(RepoPath, Vec<u8>)],
) -> Option<ToolFindings> {
    let is_modified = |failure: &&Failure| {
        failure.toolchain == "pre-commit" && failure.message.contains(MODIFIED)
    };
    let failure = tools.report.failures.iter().find(is_modified)?;
    let mut context = DiagnosticContext::new(tools);
    for (path, bytes) in rewritten {
        let at = Location::file(path.as_str());
        let verdict = match (context.read(path), std::str::from_utf8(bytes)) {
            (Ok(source), Ok(after)) if source.text == after => continue,
            (Ok(source), Ok(after)) => RuleDecision::Fix(lines::edits(path, &source, after)),
            (Err(why), _) => RuleDecision::hint(why),
            (_, Err(_)) => RuleDecision::hint("what the hook wrote is not UTF-8"),
        };
        context.add_verdict("pre-commit", failure, &at, verdict);
    }
    Some(context.into_findings(count_errors("pre-commit", 1)))
}
