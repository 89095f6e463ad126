//! `agent-sync.json`: the state of a run for other agents in the repository.

use serde_json::{Value, json};

use papayu_base::domain::{Failure, FailureReport, Outcome, OutcomeKind, ReportedFinding};

/// Findings listed at most.
/// Other agents take the whole file into their context, so the list is bounded;
/// `findings_count` is the true number.
const MAX_FINDINGS: usize = 200;
/// Longest text of one, in characters.
const MAX_DETAILS: usize = 2_000;

/// The place of a run: commit, branch, architecture.
/// The caller supplies the time and the folder, which keeps the rendering pure.
#[derive(Clone, Copy, Debug)]
pub struct RunPlace<'a> {
    /// The repository's folder.
    pub root: &'a str,
    /// RFC 3339.
    /// The time of `updated_at`, as the clock of the run gave it.
    pub now: &'a str,
    /// A description of the code's structure; may be empty.
    pub architecture: &'a str,
}

/// Returns the object of `agent-sync.json`. Empty fields are omitted; findings of Snyk are also in
/// a list of their own.
/// One narrative line, the counts, the changed files and at most 200 findings; the `fixed` flag
/// of each finding is that of the run.
pub fn render_agent_sync(outcome: &Outcome, report: &FailureReport, place: &RunPlace<'_>) -> Value {
    let fixed = outcome.outcome == OutcomeKind::Fixed;
    let beside: Vec<Failure> = outcome.findings.iter().map(ReportedFinding::to_failure).collect();
    // Nothing is known of a finding that the command does not check.
    let all = report.failures.iter().map(|failure| (failure, fixed));
    let all = all.chain(beside.iter().map(|failure| (failure, false)));
    let listed: Vec<(&Failure, Value)> = all
        .take(MAX_FINDINGS)
        .map(|(failure, fixed)| (failure, finding_json(failure, fixed)))
        .collect();
    // A selection of the same findings, not additional ones.
    let snyk: Vec<&Value> = listed
        .iter()
        .filter(|(failure, _)| failure.toolchain == "snyk")
        .map(|(_, finding)| finding)
        .collect();
    let findings: Vec<&Value> = listed.iter().map(|(_, finding)| finding).collect();
    let mut out = json!({
        "path": place.root,
        "updated_at": place.now,
        "narrative": format!("{}: {}", outcome.outcome.name(), outcome.reason),
        "findings_count": report.failures.len() + beside.len(),
        "actions_count": outcome.changed_files.len(),
        "run_id": outcome.run_id.as_str(),
        "outcome": outcome.outcome.name(),
        "changed_files": outcome.changed_files,
        "findings": findings,
    });
    if let Some(fields) = out.as_object_mut() {
        if !snyk.is_empty() {
            fields.insert("snyk_findings".to_owned(), json!(snyk));
        }
        if !place.architecture.is_empty() {
            fields.insert("architecture_summary".to_owned(), json!(place.architecture));
        }
    }
    out
}

/// Returns a failure as a finding of the agent-sync file.
fn finding_json(failure: &Failure, fixed: bool) -> Value {
    // A test's name identifies a finding best, then the code of a rule; a message is the last
    // choice.
    let first = failure.message.lines().next().unwrap_or_default();
    let title = failure.test.as_deref().or(failure.code.as_deref()).unwrap_or(first);
    // Other agents read the file into their context.
    let details: String = failure.message.chars().take(MAX_DETAILS).collect();
    // The first location is the one that the tool put first; the others are notes on it.
    let place = failure.locations.first();
    json!({
        "title": title,
        "details": details,
        "path": place.map(|place| place.path.as_str()),
        "line": place.and_then(|place| place.line),
        "source": failure.toolchain,
        "fixed": fixed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{Location, RunId};

    #[test]
    fn a_run_is_listed_in_the_fields_that_other_agents_know() {
        let found = |toolchain: &str, code: &str, path: &str| Failure {
            toolchain: toolchain.to_owned(),
            code: Some(code.to_owned()),
            message: "first\nsecond".to_owned(),
            locations: vec![Location { path: path.to_owned(), line: Some(3), column: None }],
            ..Failure::default()
        };
        // The tool decides, whatever its rules are called.
        let failures =
            vec![found("snyk", "javascript/Sqli", "a.js"), found("sarif", "snyk-like", "b.js")];
        let report = FailureReport { failures, ..FailureReport::default() };
        let mut outcome = Outcome::new(RunId::new("r".to_owned()), OutcomeKind::NotFixed, "red");
        outcome.changed_files = vec!["a.js".to_owned()];
        outcome.findings = vec![ReportedFinding {
            source: "snyk".to_owned(),
            code: "SNYK-CODE-1".to_owned(),
            message: "SQL injection".to_owned(),
            path: Some("c.js".to_owned()),
            line: Some(7),
        }];
        let place = RunPlace { root: "/r", now: "2026-01-01T00:00:00Z", architecture: "" };
        let listed = |source: &str, title: &str, path: &str| {
            json!({
                "title": title, "details": "first\nsecond", "path": path, "line": 3,
                "source": source, "fixed": false,
            })
        };
        let first = listed("snyk", "javascript/Sqli", "a.js");
        let beside = json!({
            "title": "SNYK-CODE-1", "details": "SQL injection", "path": "c.js", "line": 7,
            "source": "snyk", "fixed": false,
        });
        let mut expected = json!({
            "path": "/r",
            "updated_at": "2026-01-01T00:00:00Z",
            "narrative": "not_fixed: red",
            "findings_count": 3,
            "actions_count": 1,
            "run_id": "r",
            "outcome": "not_fixed",
            "changed_files": ["a.js"],
            "findings": [first, listed("sarif", "snyk-like", "b.js"), beside],
            "snyk_findings": [first, beside],
        });
        assert_eq!(render_agent_sync(&outcome, &report, &place), expected);
        expected["architecture_summary"] = json!("a.js\n  f");
        let place = RunPlace { architecture: "a.js\n  f", ..place };
        assert_eq!(render_agent_sync(&outcome, &report, &place), expected);
    }
}
