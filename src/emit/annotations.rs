//! GitHub annotations: workflow commands that a runner reads from a job's output.

use std::fmt::Write as _;

use papayu_base::domain::{Failure, FailureReport, Outcome, OutcomeKind, RepoPath, Severity};

/// Lines of one kind that GitHub shows of a step.
/// Source: docs.github.com, Workflow commands.
const MAX_OF_A_KIND: usize = 10;
/// Longest message, in characters.
const MAX_MESSAGE: usize = 2_000;

/// Returns the commands, a line each: remaining failures by their severity, fixed ones as notices.
/// GitHub shows ten of a kind; the step summary has the rest.
/// The form is `::error file=src/lib.rs,line=3,col=5,title=E0425::message`. Properties that are
/// not known are left out.
pub fn render_annotations(outcome: &Outcome, failure: &FailureReport) -> String {
    let mended = outcome.outcome == OutcomeKind::Fixed;
    // The reader of an annotation looks for the change: the pull request, or the branch before
    // one is opened.
    let where_to = outcome.pr_url.as_deref().or(outcome.branch.as_deref());
    let kinds = ["error", "warning", "notice"];
    let mut left = [MAX_OF_A_KIND; 3];
    let mut out = String::new();
    for failure in &failure.failures {
        // A fixed failure needs no action, so it is a notice.
        let kind = if mended { "notice" } else { command_name(failure.severity) };
        // Each kind has its own limit, so that many notices do not displace an error.
        let slot = kinds.iter().zip(&mut left).find(|(known, _)| **known == kind);
        let Some((_, left)) = slot.filter(|(_, left)| **left > 0) else { continue };
        *left -= 1;
        let title = failure.test.as_deref().or(failure.code.as_deref()).unwrap_or("failure");
        let mut message: String = failure.message.chars().take(MAX_MESSAGE).collect();
        if mended {
            let by = where_to.map_or("the patch of this run".to_owned(), str::to_owned);
            message = format!("fixed by {by}: {message}");
        }
        let title = escape_property(title);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "::{kind} {}title={title}::{}",
            place_properties(failure),
            escape_data(&message)
        );
    }
    out
}

/// Returns the workflow command of a severity (docs.github.com, Workflow commands).
fn command_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

/// A runner's absolute path is a place in no repository.
fn place_properties(failure: &Failure) -> String {
    // GitHub resolves `file` against the checkout and shows no annotation for another place.
    let place = failure.locations.first().filter(|place| RepoPath::parse(&place.path).is_ok());
    let Some(place) = place else { return String::new() };
    let mut out = format!("file={},", escape_property(&place.path));
    for (name, number) in [("line", place.line), ("col", place.column)] {
        out.extend(number.map(|number| format!("{name}={number},")));
    }
    out
}

/// Escapes the text of a command; a line feed would start another command.
/// The percent sign is escaped first, because the escapes contain it.
fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command, in which `:` and `,` have a meaning.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{Location, RunId};

    fn failure(path: &str, message: &str) -> Failure {
        let place = Location { path: path.to_owned(), line: Some(3), column: None };
        Failure { message: message.to_owned(), locations: vec![place], ..Failure::default() }
    }

    fn rendered(kind: OutcomeKind, failures: Vec<Failure>) -> String {
        let outcome = Outcome::new(RunId::new("r".to_owned()), kind, "");
        render_annotations(&outcome, &FailureReport { failures, ..FailureReport::default() })
    }

    #[test]
    fn words_of_a_log_cannot_become_a_command_of_their_own() {
        let evil = failure("a,line=1::b.py", "100 %\r\n::add-mask::x\n::stop-commands::y");
        assert_eq!(
            rendered(OutcomeKind::NotFixed, vec![evil]),
            "::error file=a%2Cline=1%3A%3Ab.py,line=3,title=failure::100 %25%0D%0A::add-mask::x%0A::stop-commands::y\n"
        );
    }

    #[test]
    fn ten_of_a_kind_are_told_and_mended_ones_as_notices() {
        let many = || (0..30).map(|number| failure("/abs/a.py", &number.to_string())).collect();
        let lines = rendered(OutcomeKind::NotFixed, many());
        assert_eq!(lines.lines().count(), 10);
        assert!(lines.starts_with("::error title=failure::0\n"), "{lines}");
        let lines = rendered(OutcomeKind::Fixed, many());
        assert!(lines.starts_with("::notice title=failure::fixed by the patch of this run: 0\n"));
    }
}
