//! The SARIF 2.1.0 report of a run, for code scanning: findings with their place, and fixes.

use serde_json::{Map, Value, json};

use crate::domain::{
    Failure, FailureReport, Fingerprint, Outcome, OutcomeKind, RepoPath, Severity,
};
use crate::patch::{Change, Preview};
use crate::text::encoding;

/// Results written at the most; GitHub takes 5,000 of a run.
const MAX_RESULTS: usize = 1_000;

/// Returns the report. A fixed finding has the change of its file as a `fix`.
pub fn render_sarif(outcome: &Outcome, report: &FailureReport, change: Option<&Preview>) -> Value {
    let mended = outcome.outcome == OutcomeKind::Fixed;
    let fixes: Vec<(String, Value)> = change.filter(|_| mended).map(file_fixes).unwrap_or_default();
    let results = report.failures.iter().take(MAX_RESULTS);
    let results: Vec<Value> = results.map(|failure| result_json(failure, mended, &fixes)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "papayu-batch",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": list_rules(report),
            } },
            "columnKind": "unicodeCodePoints",
            "automationDetails": { "id": "papayu-batch/" },
            "properties": {
                "runId": outcome.run_id.as_str(),
                "outcome": outcome.outcome.name(),
                "fingerprint": outcome.fingerprint,
                "pullRequest": outcome.pr_url,
            },
            "results": results,
        }],
    })
}

/// Returns the rule of a failure, `rust/E0425`.
fn rule_id(failure: &Failure) -> String {
    let what =
        failure.code.as_deref().unwrap_or(if failure.test.is_some() { "test" } else { "failure" });
    let tool = if failure.toolchain.is_empty() { "build" } else { failure.toolchain.as_str() };
    format!("{tool}/{what}")
}

/// Returns the rules of the results, each once.
fn list_rules(report: &FailureReport) -> Vec<Value> {
    let mut names: Vec<String> = report.failures.iter().take(MAX_RESULTS).map(rule_id).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| json!({ "id": name })).collect()
}

fn result_json(failure: &Failure, mended: bool, fixes: &[(String, Value)]) -> Value {
    let level = match failure.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let text = if failure.message.trim().is_empty() { "failed" } else { &failure.message };
    let text = match &failure.test {
        Some(test) => format!("{test}: {text}"),
        None => text.to_owned(),
    };
    let one = FailureReport { failures: vec![failure.clone()], ..FailureReport::default() };
    let mut out = Map::new();
    out.insert("ruleId".into(), json!(rule_id(failure)));
    out.insert("level".into(), json!(level));
    out.insert("message".into(), json!({ "text": text }));
    out.insert("properties".into(), json!({ "fixed": mended }));
    let print = Fingerprint::of(&one, "", None);
    out.insert("partialFingerprints".into(), json!({ "papayuFailure/v1": print.as_str() }));
    let place = failure.locations.first().filter(|place| RepoPath::parse(&place.path).is_ok());
    if let Some(place) = place {
        let mut region = Map::new();
        region.insert("startLine".into(), json!(place.line.unwrap_or(1).max(1)));
        region.extend(place.column.map(|column| ("startColumn".into(), json!(column.max(1)))));
        let artifact = json!({ "uri": relative_uri(&place.path), "uriBaseId": "%SRCROOT%" });
        let physical = json!({ "artifactLocation": artifact, "region": region });
        out.insert("locations".into(), json!([{ "physicalLocation": physical }]));
    }
    if !fixes.is_empty() {
        let here = fixes.iter().filter(|(path, _)| place.is_some_and(|place| place.path == *path));
        let mut changes: Vec<&Value> = here.map(|(_, change)| change).collect();
        if changes.is_empty() {
            changes = fixes.iter().map(|(_, change)| change).collect();
        }
        let said = json!({ "text": "the change that made the command pass" });
        out.insert("fixes".into(), json!([{ "description": said, "artifactChanges": changes }]));
    }
    Value::Object(out)
}

/// Returns each changed file with its change as one replaced range of lines; SARIF cannot remove
/// files.
fn file_fixes(preview: &Preview) -> Vec<(String, Value)> {
    let none: &[u8] = &[];
    let sides = preview.changes().iter().filter_map(|change| match change {
        Change::CreateFile { path, after } => Some((path, none, after.as_slice())),
        Change::WriteFile { path, before, after } => {
            Some((path, before.as_slice(), after.as_slice()))
        }
        Change::RemoveFile { .. } | Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
    });
    sides.map(|(path, before, after)| fix_of_file(path, before, after)).collect()
}

/// Returns a file and its change as SARIF's `artifactChange`.
fn fix_of_file(path: &RepoPath, before: &[u8], after: &[u8]) -> (String, Value) {
    let (before, after) = (encoding::shown(before), encoding::shown(after));
    let (first, end, text) = changed_lines(&before, &after);
    let region = json!({ "startLine": first, "startColumn": 1, "endLine": end, "endColumn": 1 });
    let replacement = json!({ "deletedRegion": region, "insertedContent": { "text": text } });
    let artifact = json!({ "uri": relative_uri(path.as_str()), "uriBaseId": "%SRCROOT%" });
    let value = json!({ "artifactLocation": artifact, "replacements": [replacement] });
    (path.to_string(), value)
}

/// Returns the lines that differ: the first, the one after the last (1-based), and what takes their
/// place.
fn changed_lines(before: &str, after: &str) -> (usize, usize, String) {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    // One region for each file: viewers apply several replacements unreliably.
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = tail.take_while(|(old, new)| old == new).count();
    let text: String = new.iter().skip(head).take(new.len() - head - tail).copied().collect();
    (head + 1, old.len() - tail + 1, text)
}

/// Returns a path as a relative reference; what is not plain is escaped byte by byte.
fn relative_uri(path: &str) -> String {
    path.bytes().map(escape_byte).collect()
}

/// Percent-encodes a byte of a URI (RFC 3986).
fn escape_byte(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_replaced_lines_are_all_that_differs() {
        for (before, after, expected) in [
            ("a\nb\nc\n", "a\nX\nY\nc\n", (2, 3, "X\nY\n")),
            ("a\na\na\n", "a\na\n", (3, 4, "")),
            ("", "new\n", (1, 1, "new\n")),
            ("a", "a\n", (1, 2, "a\n")),
            ("a\n", "a\n", (2, 2, "")),
        ] {
            let (first, end, text) = changed_lines(before, after);
            assert_eq!((first, end, text.as_str()), expected, "{before:?}");
            // Done as the report says, it makes the one of the other.
            let old: Vec<&str> = before.split_inclusive('\n').collect();
            let made = [old[..first - 1].concat(), text, old[end - 1..].concat()].concat();
            assert_eq!(made, after);
        }
        assert_eq!(relative_uri("a b/ж#%.py"), "a%20b/%D0%B6%23%25.py");
    }
}
