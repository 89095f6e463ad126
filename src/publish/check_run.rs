//! The check run of a commit: the outcome, with an annotation for each failure.

use papayu_base::domain::{FailureReport, Outcome, OutcomeKind, RepoPath, Severity};
use papayu_forge::{Annotation, CheckRun, Level};

use super::quoting::clean_line;

/// Longest message of an annotation, in characters; GitHub takes 64 KB.
const MAX_MESSAGE: usize = 4_000;

/// Returns true when the command was seen passing without a change.
fn is_green(outcome: &Outcome) -> bool {
    outcome.verify.before.as_ref().is_some_and(|before| before.exit_code == Some(0))
}

/// Returns the check run for the outcome of a run on a commit. `summary` is Markdown.
pub fn check_run(
    outcome: &Outcome,
    failure: &FailureReport,
    head: &str,
    summary: String,
) -> CheckRun {
    let conclusion = match outcome.outcome {
        OutcomeKind::NothingToFix if is_green(outcome) => "success",
        // The commit itself still fails: the fix is on a branch of its own, or on the base.
        OutcomeKind::NothingToFix
        | OutcomeKind::Fixed
        | OutcomeKind::Undone
        | OutcomeKind::Planned => "neutral",
        _ => "failure",
    };
    let title = clean_line(&format!("{}: {}", outcome.outcome.name(), outcome.reason), 250);
    let annotations = failure.failures.iter().filter_map(|failure| {
        let place = failure.locations.first()?;
        // An absolute path of the runner is not in the repository.
        let path = RepoPath::parse(&place.path).ok()?;
        let line = place.line.unwrap_or(1).max(1);
        let message = if failure.message.trim().is_empty() { "failed" } else { &failure.message };
        Some(Annotation {
            path: path.to_string(),
            start_line: line,
            end_line: line,
            annotation_level: match failure.severity {
                Severity::Error => Level::Failure,
                Severity::Warning => Level::Warning,
                Severity::Note => Level::Notice,
            },
            // GitHub answers a message over its limit with an error for the whole check run.
            message: message.chars().take(MAX_MESSAGE).collect(),
            title: clean_line(
                failure.test.as_deref().or(failure.code.as_deref()).unwrap_or("failure"),
                200,
            ),
        })
    });
    let annotations = annotations.collect();
    CheckRun { head: head.to_owned(), conclusion, title, summary, annotations }
}
