//! A step's outputs, as later steps and jobs read them.

use crate::domain::Outcome;

/// Returns the lines for the file that `GITHUB_OUTPUT` names. Names are kebab-case; a value of several
/// lines ends with a mark that names the run, so that none of them can pass for another output.
pub fn render(outcome: &Outcome, outcome_path: &str, report_path: &str) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<u64>| value.map(|it| it.to_string()).unwrap_or_default();
    let tokens = &outcome.tokens;
    let values = [
        ("outcome", outcome.outcome.name().to_owned()),
        ("exit-code", outcome.exit_code.to_string()),
        ("reason", outcome.reason.clone()),
        ("patch-path", text(&outcome.patch_path)),
        ("outcome-path", outcome_path.to_owned()),
        ("report-path", report_path.to_owned()),
        ("changed-files", outcome.changed_files.join("\n")),
        ("verified", outcome.verified.to_string()),
        ("failure-class", text(&outcome.failure_class)),
        ("fingerprint", text(&outcome.fingerprint)),
        ("cost-usd", outcome.cost_usd.map(|cost| cost.to_string()).unwrap_or_default()),
        ("tokens", (tokens.input + tokens.output).to_string()),
        ("tokens-in", tokens.input.to_string()),
        ("tokens-out", tokens.output.to_string()),
        ("tokens-cached", tokens.cached.to_string()),
        ("trace-path", outcome.trace_paths.join("\n")),
        ("bundle-path", text(&outcome.bundle_path)),
        ("bundle-digest", text(&outcome.bundle_digest)),
        ("branch", text(&outcome.branch)),
        ("pr-number", number(outcome.pr_number)),
        ("pr-url", text(&outcome.pr_url)),
    ];
    let mark = format!("papayu-{}", outcome.run_id);
    let line = |(name, value): &(&str, String)| {
        let value = value.replace('\r', "").replace(&mark, "");
        if value.contains('\n') {
            format!("{name}<<{mark}\n{value}\n{mark}\n")
        } else {
            format!("{name}={value}\n")
        }
    };
    values.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{OutcomeKind, RunId};

    #[test]
    fn a_value_cannot_bring_an_output_of_its_own() {
        let mut outcome = Outcome::new(RunId::new("r1".to_owned()), OutcomeKind::Fixed, "");
        outcome.reason = "red\npapayu-r1\npr-url=https://evil.example\n".to_owned();
        outcome.changed_files = vec!["a".to_owned(), "b".to_owned()];
        let text = render(&outcome, "out/outcome.json", "out/report.md");
        let reason = "reason<<papayu-r1\nred\n\npr-url=https://evil.example\n\npapayu-r1\n";
        assert!(text.contains(reason), "{text}");
        assert!(text.contains("changed-files<<papayu-r1\na\nb\npapayu-r1\n"), "{text}");
        assert!(text.starts_with("outcome=fixed\nexit-code=0\n"), "{text}");
        assert!(text.contains("\nreport-path=out/report.md\n"), "{text}");
        assert!(text.ends_with("pr-number=\npr-url=\n"), "{text}");
    }
}
