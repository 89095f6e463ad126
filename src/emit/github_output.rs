//! A step's outputs, as later steps and jobs read them.

use papayu_base::domain::Outcome;

/// Returns the lines for the file that `GITHUB_OUTPUT` names. Names are kebab-case; a value of several
/// lines ends with a mark that names the run, so that none of them can pass for another output.
/// The keys are part of the interface of the action: a rename breaks workflows that read them.
pub fn render_outputs(outcome: &Outcome, outcome_path: &str, report_path: &str) -> String {
    let tokens = &outcome.tokens;
    // Every output is written even if it is empty, so that a workflow never reads an earlier
    // step's value.
    let values = [
        ("outcome", outcome.outcome.name().to_owned()),
        ("exit-code", outcome.exit_code.to_string()),
        ("reason", outcome.reason.clone()),
        ("patch-path", text_or_empty(outcome.patch_path.as_ref())),
        ("outcome-path", outcome_path.to_owned()),
        ("report-path", report_path.to_owned()),
        // Paths are one on each line, which `split` in a workflow expression can read.
        ("changed-files", outcome.changed_files.join("\n")),
        ("verified", outcome.verified.to_string()),
        ("failure-class", text_or_empty(outcome.failure_class.as_ref())),
        ("fingerprint", text_or_empty(outcome.fingerprint.as_ref())),
        ("cost-usd", outcome.cost_usd.map(|cost| cost.to_string()).unwrap_or_default()),
        ("tokens", (tokens.input + tokens.output).to_string()),
        ("tokens-in", tokens.input.to_string()),
        ("tokens-out", tokens.output.to_string()),
        ("tokens-cached", tokens.cached.to_string()),
        ("trace-path", outcome.trace_paths.join("\n")),
        ("bundle-path", text_or_empty(outcome.bundle_path.as_ref())),
        ("bundle-digest", text_or_empty(outcome.bundle_digest.as_ref())),
        ("branch", text_or_empty(outcome.branch.as_ref())),
        ("pr-number", outcome.pr_number.map(|number| number.to_string()).unwrap_or_default()),
        ("pr-url", text_or_empty(outcome.pr_url.as_ref())),
    ];
    // The identifier of the run is random, so that a log cannot contain it by accident.
    let mark = format!("papayu-{}", outcome.run_id);
    values.iter().map(|(name, value)| format_output(name, value, &mark)).collect()
}

/// Returns a text, or an empty one.
/// GitHub's expressions know no null: an absent value is the empty string.
fn text_or_empty(value: Option<&String>) -> String {
    value.cloned().unwrap_or_default()
}

/// Returns an output in the form of `$GITHUB_OUTPUT`: `name=value`, or with a delimiter where the
/// value has several lines.
fn format_output(name: &str, value: &str, mark: &str) -> String {
    // A value that contained the mark could end its own block and add outputs of its own.
    // A carriage return could pass for the end of a line.
    let value = value.replace('\r', "").replace(mark, "");
    if value.contains('\n') {
        format!("{name}<<{mark}\n{value}\n{mark}\n")
    } else {
        format!("{name}={value}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{OutcomeKind, RunId};

    #[test]
    fn a_value_cannot_bring_an_output_of_its_own() {
        let mut outcome = Outcome::new(RunId::new("r1".to_owned()), OutcomeKind::Fixed, "");
        outcome.reason = "red\npapayu-r1\npr-url=https://evil.example\n".to_owned();
        outcome.changed_files = vec!["a".to_owned(), "b".to_owned()];
        let text = render_outputs(&outcome, "out/outcome.json", "out/report.md");
        let reason = "reason<<papayu-r1\nred\n\npr-url=https://evil.example\n\npapayu-r1\n";
        assert!(text.contains(reason), "{text}");
        assert!(text.contains("changed-files<<papayu-r1\na\nb\npapayu-r1\n"), "{text}");
        assert!(text.starts_with("outcome=fixed\nexit-code=0\n"), "{text}");
        assert!(text.contains("\nreport-path=out/report.md\n"), "{text}");
        assert!(text.ends_with("pr-number=\npr-url=\n"), "{text}");
    }
}
