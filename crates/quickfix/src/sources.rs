//! Runs every source with a tool that the project uses; a tool that cannot run does not stop the others.

use std::time::Duration;

use super::findings::ToolFindings;
use super::linters::{biome, eslint, ruff, sarif, typos, vet};
use super::tool_context::{Interrupted, NoResult, ToolContext};
use super::{cc, format, golang, java, node, packages, php, python, ruby, rustc, tsc};
use papayu_base::domain::FailureReport;

/// A source: returns what its tool proposes.
type ProposalSource = fn(&ToolContext<'_>) -> Result<ToolFindings, NoResult>;

/// In the order in which their fixes are offered; of two that overlap the first one is kept.
const SOURCES: [ProposalSource; 16] = [
    sarif::find_fixes,
    rustc::find_fixes,
    tsc::find_fixes,
    node::find_fixes,
    python::find_fixes,
    golang::find_fixes,
    cc::find_fixes,
    java::find_fixes,
    ruby::find_fixes,
    php::find_fixes,
    eslint::find_fixes,
    biome::find_fixes,
    ruff::find_fixes,
    vet::find_fixes,
    typos::find_fixes,
    format::find_fixes,
];

/// The source for what no other can fix.
const LAST: ProposalSource = packages::find_fixes;

/// The account of a run in which no source found anything to do.
const NOBODY: &str = "looked for errors of cargo, tsc, Node, Python, Go, gcc, clang, javac, Ruby and PHP, for ESLint, Biome, ruff, go vet and \
    typos in the command and the log, and for files that a formatter would change: nothing of these";

/// Returns whether the rules for a failure need the definitions of names.
pub(super) fn need_names(report: &FailureReport) -> bool {
    report.failures.iter().any(|failure| match failure.toolchain.as_str() {
        "python" => python::is_about_name(failure),
        "go" => golang::is_error(failure),
        "c" | "java" | "node" | "php" | "ruby" | "typescript" => true,
        _ => false,
    })
}

/// Returns what all sources found, in their order. They share the time limit of the context.
///
/// Fails with [`Interrupted`] after a signal; the results of the earlier sources are dropped. A source without
/// a result is no error.
pub(super) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, Interrupted> {
    let mut findings = ToolFindings::default();
    let began = tools.system.clock.elapsed();
    for source in SOURCES {
        ask(source, tools, began, &mut findings)?;
    }
    if findings.fixes.is_empty() {
        ask(LAST, tools, began, &mut findings)?;
    }
    if findings.account.is_empty() {
        NOBODY.clone_into(&mut findings.account);
    }
    Ok(findings)
}

/// Adds what a source finds in the time that is left since `began`.
fn ask(
    source: ProposalSource,
    tools: &ToolContext<'_>,
    began: Duration,
    findings: &mut ToolFindings,
) -> Result<(), Interrupted> {
    let spent = tools.system.clock.elapsed().saturating_sub(began);
    // One limit for all sources: a slow tool leaves less for those after it.
    let time_limit = tools.time_limit.saturating_sub(spent);
    match source(&ToolContext { time_limit, ..*tools }) {
        Ok(found) => findings.join(found),
        Err(NoResult::Silent(account)) => {
            findings.join(ToolFindings { account, ..ToolFindings::default() });
        }
        Err(NoResult::Unconcerned) => {}
        Err(NoResult::Interrupted) => return Err(Interrupted),
    }
    Ok(())
}
