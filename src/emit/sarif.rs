//! The SARIF 2.1.0 report of a run, for code scanning: findings with their place, and fixes.

use serde_json::{Map, Value, json};

use papayu_base::domain::{Failure, FailureReport, Fingerprint, Outcome, OutcomeKind, RepoPath};
use papayu_base::text::encoding;
use papayu_patch::{Change, Preview};

/// Results written at the most; GitHub takes 5,000 of a run.
/// The findings of a run come in the order of the log, so the first ones are the most useful.
const MAX_RESULTS: usize = 1_000;

/// Returns the report. A fixed finding has the change of its file as a `fix`.
/// The report is valid for SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0). `change` is
/// used only for a fixed outcome: the fix of a failed attempt would mislead its reader.
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
            // The columns of toolchains count characters, not UTF-16 units.
            "columnKind": "unicodeCodePoints",
            // The identifier separates these results from those of other tools in the same
            // commit.
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
/// Without a code it is `pytest/test` for a test and `build/failure` for a failure of no known
/// tool.
fn rule_id(failure: &Failure) -> String {
    let what =
        failure.code.as_deref().unwrap_or(if failure.test.is_some() { "test" } else { "failure" });
    let tool = if failure.toolchain.is_empty() { "build" } else { failure.toolchain.as_str() };
    format!("{tool}/{what}")
}

/// Returns the rules of the results, each once.
/// Code scanning shows a result only if its rule is listed, in `tool.driver.rules`.
fn list_rules(report: &FailureReport) -> Vec<Value> {
    let mut names: Vec<String> = report.failures.iter().take(MAX_RESULTS).map(rule_id).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| json!({ "id": name })).collect()
}
// Failures without a location inside the repository have none in the report either.

/// Returns the result of one failure (SARIF 2.1.0, section 3.27). One outside the repository has no location.
fn result_json(failure: &Failure, mended: bool, fixes: &[(String, Value)]) -> Value {
    let level = failure.severity.name();
    let text = if failure.message.trim().is_empty() { "failed" } else { &failure.message };
    let text = match &failure.test {
        Some(test) => format!("{test}: {text}"),
        None => text.to_owned(),
    };
    // The fingerprint of the one failure, not of the run: code scanning follows each alert by
    // it.
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
        // SARIF counts lines and columns from 1; some tools write 0 for "the whole file".
        region.insert("startLine".into(), json!(place.line.unwrap_or(1).max(1)));
        region.extend(place.column.map(|column| ("startColumn".into(), json!(column.max(1)))));
        let artifact = json!({ "uri": relative_uri(&place.path), "uriBaseId": "%SRCROOT%" });
        let physical = json!({ "artifactLocation": artifact, "region": region });
        out.insert("locations".into(), json!([{ "physicalLocation": physical }]));
    }
    // A finding gets the change of its own file; if that file was not changed, the cause was in
    // the others.
    if !fixes.is_empty() {
        let here = fixes.iter().filter(|(path, _)| place.is_some_and(|place| place.path == *path));
        let mut changes: Vec<&Value> = here.map(|(_, change)| change).collect();
        if changes.is_empty() {
            changes = fixes.iter().map(|(_, change)| change).collect();
        }
        let description = json!({ "text": "the change that made the command pass" });
        out.insert(
            "fixes".into(),
            json!([{ "description": description, "artifactChanges": changes }]),
        );
    }
    Value::Object(out)
}

/// Returns each changed file with its change as one replaced range of lines; SARIF cannot remove
/// files.
/// Ranges end before column 1 of the line after the last one, so that the line feed belongs to
/// them.
fn file_fixes(preview: &Preview) -> Vec<(String, Value)> {
    let none: &[u8] = &[];
    let sides = preview.changes().iter().filter_map(|change| match change {
        Change::CreateFile { path, after } => Some((path, none, after.as_slice())),
        Change::WriteFile { path, before, after } => {
            Some((path, before.as_slice(), after.as_slice()))
        }
        // A removed file has no text to replace, and folders are not files.
        Change::RemoveFile { .. } | Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
    });
    sides.map(|(path, before, after)| fix_of_file(path, before, after)).collect()
}

/// Returns a file and its change as SARIF's `artifactChange`.
/// Text is decoded as the repository shows it: SARIF carries Unicode, whatever the file's
/// encoding.
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
/// An insertion has an empty range: both line numbers are equal.
fn changed_lines(before: &str, after: &str) -> (usize, usize, String) {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    // One region for each file: viewers apply several replacements unreliably.
    // The common start is counted first, so that the end cannot overlap with it.
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = tail.take_while(|(old, new)| old == new).count();
    let text: String = new.iter().skip(head).take(new.len() - head - tail).copied().collect();
    (head + 1, old.len() - tail + 1, text)
}

/// Returns a path as a relative reference; what is not plain is escaped byte by byte.
/// The slashes remain: they separate the parts of a URI's path as well.
fn relative_uri(path: &str) -> String {
    path.bytes().map(escape_byte).collect()
}

/// Percent-encodes a byte of a URI (RFC 3986).
/// Only the unreserved characters and `/` remain as they are.
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
