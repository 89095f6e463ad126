//! Finds the findings of linters in JSON of any form: objects with a message and a place, or below an object with the path.

use papayu_base::domain::{Failure, FailureKind, Location};
use serde_json::{Map, Value};

use crate::failure::draft::FailureDraft;

/// Most levels of JSON that are read.
const MAX_DEPTH: usize = 12;
/// Most levels of objects about the place of a finding.
const MAX_PLACE_DEPTH: usize = 4;
/// The longest path, in bytes.
const MAX_PATH: usize = 400;

/// Names of members, in lower case and without signs; the first one that is there counts.
const MESSAGES: [&str; 11] = [
    "message", "msg", "text", "description", "problemmessage", "reason", "issuetext", "title",
    "failure", "markdown", "descr",
];
const PATHS: [&str; 7] = ["path", "file", "filename", "filepath", "uri", "source", "sourcefile"];
const LINES: [&str; 8] =
    ["line", "linenumber", "startline", "row", "lineno", "linefrom", "beginline", "begin"];
const COLUMNS: [&str; 6] =
    ["column", "col", "columnnumber", "startcolumn", "character", "columnfrom"];
const CODES: [&str; 9] =
    ["code", "ruleid", "rule", "checkname", "checkid", "testid", "fromlinter", "symbol", "value"];
const SEVERITIES: [&str; 4] = ["severity", "level", "issueseverity", "type"];
/// Members with the place of a finding inside.
const PLACES: [&str; 13] = [
    "location", "locations", "position", "positions", "pos", "range", "start", "begin", "span",
    "labels", "lines", "physicallocation", "artifactlocation",
];

/// Words for a severity that fails no build by itself.
const MILD: [&str; 16] = [
    "warning", "warn", "info", "information", "informational", "note", "hint", "style", "minor",
    "low", "medium", "convention", "refactor", "suggestion", "notice", "debug",
];
/// Words for a severity that fails one.
const SEVERE: [&str; 7] = ["error", "fatal", "major", "critical", "blocker", "high", "failure"];

/// A finding, and its severity in lower case.
struct JsonFinding {
    failure: Failure,
    severity: String,
}

/// Returns the errors of a report in JSON; its milder findings if it has no errors; empty for other JSON.
pub(super) fn read_findings(report: &Value) -> Vec<Failure> {
    let mut found = Vec::new();
    read_value(report, None, 0, &mut found);
    let is_mild = |finding: &JsonFinding| MILD.contains(&finding.severity.as_str());
    if !found.iter().all(is_mild) {
        found.retain(|finding| !is_mild(finding));
    }
    found.into_iter().map(|finding| finding.failure).collect()
}

/// Returns the errors of one line of a log that is JSON: others may be those of any program that logs.
pub(super) fn read_logged(line: &Value) -> Vec<Failure> {
    let mut found = Vec::new();
    read_value(line, None, 0, &mut found);
    found.retain(|finding| SEVERE.contains(&finding.severity.as_str()));
    found.into_iter().map(|finding| finding.failure).collect()
}

/// Adds the findings of a value; `path` is that of the object around it.
fn read_value(value: &Value, path: Option<&str>, depth: usize, found: &mut Vec<JsonFinding>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                read_value(item, path, depth + 1, found);
            }
        }
        Value::Object(members) => {
            if let Some(finding) = read_finding(members, path) {
                return found.push(finding);
            }
            let own = text_of(members, &PATHS).filter(|own| is_path(own));
            for (name, inner) in members {
                let named = Some(name.as_str()).filter(|name| is_path(name));
                read_value(inner, own.or(named).or(path), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// Reads an object with a message, a line and a path, its own or that of an object around it.
fn read_finding(members: &Map<String, Value>, around: Option<&str>) -> Option<JsonFinding> {
    let message = text_of(members, &MESSAGES)?;
    let mut at = Location { path: String::new(), line: None, column: None };
    read_place(members, &mut at, 0);
    if at.path.is_empty() {
        around?.clone_into(&mut at.path);
    }
    at.line?;
    let severity = text_of(members, &SEVERITIES).unwrap_or_default().to_lowercase();
    let mut draft = FailureDraft::new("generic", FailureKind::Lint, message);
    draft = draft.with_code(text_of(members, &CODES));
    draft.add_location(at);
    Some(JsonFinding { failure: draft.finish(), severity })
}

/// Reads the path, the line and the column of an object, and of the objects about its place.
fn read_place(members: &Map<String, Value>, at: &mut Location, depth: usize) {
    if let Some(path) = text_of(members, &PATHS).filter(|path| at.path.is_empty() && is_path(path))
    {
        path.trim_start_matches("file://").clone_into(&mut at.path);
    }
    at.line = at.line.or_else(|| number_of(members, &LINES));
    at.column = at.column.or_else(|| number_of(members, &COLUMNS));
    for (name, inner) in members.iter().filter(|_| depth < MAX_PLACE_DEPTH) {
        let inner = inner.as_array().and_then(|items| items.first()).unwrap_or(inner);
        if let Some(inner) = inner.as_object().filter(|_| is_one_of(name, &PLACES)) {
            read_place(inner, at, depth + 1);
        }
    }
}

/// Returns the text of the first member that is there, or the one inside it.
fn text_of<'v>(members: &'v Map<String, Value>, names: &[&str]) -> Option<&'v str> {
    member_of(members, names, &|value| match value {
        Value::String(text) => Some(text.as_str()).filter(|text| !text.trim().is_empty()),
        Value::Object(inner) => {
            let inner = inner.iter().find(|(name, _)| is_one_of(name, names));
            inner.and_then(|(_, value)| value.as_str())
        }
        _ => None,
    })
}

/// Returns the number of the first member that is there.
fn number_of(members: &Map<String, Value>, names: &[&str]) -> Option<u32> {
    member_of(members, names, &|value| {
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
        u32::try_from(number).ok()
    })
}

/// Returns what `read` finds in the first member with one of the names.
fn member_of<'v, T>(
    members: &'v Map<String, Value>,
    names: &[&str],
    read: &dyn Fn(&'v Value) -> Option<T>,
) -> Option<T> {
    names.iter().find_map(|wanted| {
        members.iter().filter(|(name, _)| is_named(name, wanted)).find_map(|(_, value)| read(value))
    })
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|wanted| is_named(name, wanted))
}

/// Returns `true` if a member has the wanted name but for case and signs: `line_number` and `lineNumber` are the same.
fn is_named(name: &str, wanted: &str) -> bool {
    let plain = name.bytes().filter(u8::is_ascii_alphanumeric);
    plain.map(|byte| byte.to_ascii_lowercase()).eq(wanted.bytes())
}

/// Returns `true` for the text of a path, and `false` for sources and names.
fn is_path(text: &str) -> bool {
    text.len() <= MAX_PATH && !text.contains(['\n', '{', ';']) && text.contains(['.', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the code, the message and the place of each finding.
    fn read(report: &str) -> Vec<String> {
        let found = read_findings(&serde_json::from_str(report).unwrap());
        let line = |failure: Failure| {
            let place = &failure.locations[0];
            let (code, line) = (failure.code.unwrap_or_default(), place.line.unwrap_or_default());
            format!(
                "{code} {} {}:{line}:{}",
                failure.message,
                place.path,
                place.column.unwrap_or_default()
            )
        };
        found.into_iter().map(line).collect()
    }

    #[test]
    fn objects_with_a_message_and_a_place_are_findings_in_any_form() {
        for report in [
            // GitLab's code quality, with both of its places.
            r#"[{"check_name":"E1","description":"m","severity":"major","location":{"path":"a.x","lines":{"begin":3}}}]"#,
            r#"[{"check_name":"E1","description":"m","location":{"path":"a.x","positions":{"begin":{"line":3}}}}]"#,
            // reviewdog
            r#"{"diagnostics":[{"code":{"url":"https://e.org/x","value":"E1"},"message":"m","severity":"ERROR","location":{"path":"a.x","range":{"end":{"line":4},"start":{"line":3}}}}]}"#,
            // golangci-lint, Semgrep, Bandit, Psalm
            r#"{"Issues":[{"FromLinter":"E1","Text":"m","Pos":{"Filename":"a.x","Line":3}}]}"#,
            r#"{"results":[{"issue_severity":"HIGH","test_id":"E1","issue_text":"m","filename":"a.x","line_number":3}]}"#,
            r#"[{"severity":"error","line_from":3,"type":"E1","rule":"E1","message":"m","file_name":"a.x"}]"#,
            // A path above, as of stylelint and RuboCop, or as a name, as of PHPStan.
            r#"[{"source":"a.x","warnings":[{"line":3,"rule":"E1","severity":"error","text":"m"}]}]"#,
            r#"{"files":{"a.x":{"errors":1,"messages":[{"message":"m","line":3,"code":"E1"}]}}}"#,
            r#"{"files":[{"path":"a.x","offenses":[{"message":"m","code":"E1","location":{"start_line":3}}]}]}"#,
        ] {
            assert_eq!(read(report), ["E1 m a.x:3:0"], "{report}");
        }
    }

    #[test]
    fn milder_findings_count_without_errors_only_and_other_json_has_none() {
        let finding = |severity| {
            format!(r#"{{"file":"a.x","line":3,"message":"{severity}","level":"{severity}"}}"#)
        };
        let (error, warning) = (finding("error"), finding("warning"));
        assert_eq!(read(&format!("[{error},{warning}]")), [" error a.x:3:0"]);
        assert_eq!(read(&format!("[{warning}]")), [" warning a.x:3:0"]);
        for other in [r#"{"name":"x","version":"1.0"}"#, r#"[{"message":"m","line":3}]"#, "[1]"] {
            assert_eq!(read(other), [""; 0], "{other}");
        }
        let logged = |text: &str| read_logged(&serde_json::from_str(text).unwrap()).len();
        assert_eq!((logged(&error), logged(&warning)), (1, 0));
    }
}
