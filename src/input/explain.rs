//! Explains a log or report to a person: what failed and where, the class of the cause, and the next step.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Log;
use papayu_base::domain::{Failure, FailureClass, FailureKind};

/// Most failures that are listed.
const MAX_FAILURES: usize = 20;
/// Most places of a failure that are listed.
const MAX_PLACES: usize = 3;

/// Returns the explanation as text.
pub fn explain_log(log: &Log) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match class_of(log) {
        Some(class) => writeln!(text, "cause: {} ({})", class.name(), describe_class(class)),
        None => writeln!(text, "cause: none (nothing failed)"),
    };
    for evidence in &log.triage.evidence {
        let _ = writeln!(text, "  {}: {}", evidence.rule, evidence.line);
    }
    let failures = &log.report.failures;
    let _ = writeln!(text, "failures: {}", failures.len());
    for failure in failures.iter().take(MAX_FAILURES) {
        write_failure(&mut text, failure);
    }
    if failures.len() > MAX_FAILURES {
        let _ = writeln!(text, "  … and {} more", failures.len() - MAX_FAILURES);
    }
    if let Some(command) = &log.report.command {
        let _ = writeln!(text, "command: {command}");
    }
    if let Some(code) = log.report.exit_code {
        let _ = writeln!(text, "exit code: {code}");
    }
    let unknown = list_unknown(log);
    if !unknown.is_empty() {
        let _ = writeln!(text, "not known: {}", unknown.join(", "));
    }
    let _ = writeln!(text, "next: {}", next_step(log));
    text
}

/// Returns the explanation as JSON.
pub fn explain_as_json(log: &Log) -> Value {
    json!({
        "class": class_of(log).map(FailureClass::name),
        "evidence": log.triage.evidence,
        "failures": log.report.failures,
        "command": log.report.command,
        "exit_code": log.report.exit_code,
        "unknown": list_unknown(log),
        "next_step": next_step(log),
    })
}

/// Returns the class of the cause; `None` if nothing failed.
fn class_of(log: &Log) -> Option<FailureClass> {
    let class = log.triage.class;
    (!log.report.passed || class != FailureClass::Unknown).then_some(class)
}

/// Writes a failure with its first line and its nearest places.
fn write_failure(text: &mut String, failure: &Failure) {
    let name = failure.test.as_deref().or(failure.code.as_deref());
    let message = failure.headline();
    let title = match name {
        Some(name) if message.is_empty() => name.to_owned(),
        Some(name) => format!("{name}: {message}"),
        None => message,
    };
    let _ = writeln!(text, "  {}: {title}", describe_kind(failure.kind));
    for at in failure.locations.iter().take(MAX_PLACES) {
        let line = at.line.map(|line| format!(":{line}")).unwrap_or_default();
        let _ = writeln!(text, "    {}{line}", at.path);
    }
}

/// Returns the parts of the picture that the log does not show.
fn list_unknown(log: &Log) -> Vec<&'static str> {
    let failures = &log.report.failures;
    let mut unknown = Vec::new();
    if class_of(log).is_none() {
        return unknown;
    }
    if failures.is_empty() {
        unknown.push("what failed");
    } else if failures.iter().all(|failure| failure.locations.is_empty()) {
        unknown.push("where");
    }
    if log.triage.class == FailureClass::Unknown {
        unknown.push("the class of the cause");
    }
    if log.report.command.is_none() {
        unknown.push("the command");
    }
    unknown
}

/// Returns what to do next.
fn next_step(log: &Log) -> String {
    if let Some(step) = &log.triage.next_step {
        return step.to_string();
    }
    if class_of(log).is_none() {
        return "nothing to do: the log ends with a success, and names no failure".to_owned();
    }
    match (&log.report.command, log.report.failures.is_empty()) {
        (Some(command), _) => format!(
            "run `{command}` in the repository, or `papayu-batch fix --log FILE --run '{command}'`"
        ),
        (None, false) => {
            "look at the first place, or run `papayu-batch fix --log FILE --run CMD`".to_owned()
        }
        (None, true) => "read the end of the log; nothing in it names a failure".to_owned(),
    }
}

fn describe_kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Test => "test",
        FailureKind::Compile => "compile",
        FailureKind::Import => "import",
        FailureKind::Lint => "lint",
        FailureKind::Crash => "crash",
        FailureKind::Unknown => "found by its form",
    }
}

fn describe_class(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Code => "the code has to change",
        FailureClass::Formatting => "a formatter has to run",
        FailureClass::Dependency => "the versions of packages do not fit",
        FailureClass::Environment => "the job lacks something",
        FailureClass::Infrastructure => "a machine or a service failed",
        FailureClass::TestFlake => "a test fails now and then",
        FailureClass::RedOnBase => "the base of the change fails too",
        FailureClass::Unknown => "nothing in the log shows it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::Location;

    #[test]
    fn a_log_is_explained_with_what_is_not_known() {
        let mut log = Log::default();
        assert!(
            explain_log(&log)
                .contains("not known: what failed, the class of the cause, the command")
        );
        log.report.passed = true;
        assert!(explain_log(&log).starts_with("cause: none (nothing failed)\n"));
        assert_eq!(explain_as_json(&log)["class"], Value::Null);
        log.report.passed = false;
        log.report.failures.push(Failure {
            kind: FailureKind::Test,
            test: Some("adds".into()),
            message: "3 != 4".into(),
            locations: vec![Location { path: "a.py".into(), line: Some(3), column: None }],
            ..Failure::default()
        });
        log.triage.class = FailureClass::Code;
        let text = explain_log(&log);
        assert!(text.contains("failures: 1\n  test: adds: 3 != 4\n    a.py:3\n"), "{text}");
        assert_eq!(explain_as_json(&log)["failures"][0]["test"], "adds");
    }
}
