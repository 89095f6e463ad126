//! Reads the JSON of ESLint, ruff and Biome.

use serde_json::Value;

use super::{items_at, location_at, number_at, text_at};
use crate::failure::draft::FailureDraft;
use crate::failure::quoted;
use papayu_base::domain::{Failure, FailureKind, Location};

/// The severity of an error in ESLint's JSON; 1 is a warning.
const ESLINT_ERROR: u64 = 2;

/// Returns the errors of a report of one of these tools; `None` for other JSON.
pub(super) fn read_lints(report: &Value) -> Option<Vec<Failure>> {
    let diagnostics = report.get("diagnostics").and_then(Value::as_array);
    // Other tools have a list of that name, too.
    let of_biome = |list: &&Vec<Value>| list.iter().all(|item| item.get("category").is_some());
    if let Some(found) = diagnostics.filter(of_biome) {
        return Some(found.iter().filter_map(read_biome).collect());
    }
    let items = report.as_array()?;
    let all_have = |key| items.iter().all(|item| item.get(key).is_some());
    // An empty list is a report of ESLint without findings.
    if all_have("messages") {
        return Some(items.iter().flat_map(read_eslint_file).collect());
    }
    all_have("filename").then(|| items.iter().map(read_ruff).collect())
}

/// Returns the errors of one file: `{"filePath": …, "messages": […]}`.
fn read_eslint_file(file: &Value) -> Vec<Failure> {
    let path = text_at(file, "/filePath").unwrap_or_default();
    let messages = items_at(file, "/messages").iter();
    let errors = messages.filter(|message| message["severity"] == ESLINT_ERROR);
    errors.map(|message| read_eslint(path, message)).collect()
}

/// Reads `{"ruleId": …, "severity": 2, "message": …, "line": 1, "column": 5}`.
fn read_eslint(path: &str, message: &Value) -> Failure {
    let rule = text_at(message, "/ruleId");
    // ESLint reports a file that it cannot parse without a rule.
    let kind = if rule.is_some() { FailureKind::Lint } else { FailureKind::Compile };
    let text = text_at(message, "/message").unwrap_or_default();
    let mut draft = FailureDraft::new("node", kind, text).with_code(rule);
    draft.add_location(location_at(path, message, "/line", "/column"));
    draft.finish()
}

/// Reads `{"code": "F401", "filename": …, "location": {"row": 1, "column": 8}, "message": …}`.
fn read_ruff(found: &Value) -> Failure {
    let code = text_at(found, "/code");
    let is_syntax = matches!(code, None | Some("invalid-syntax" | "E999"));
    let kind = if is_syntax { FailureKind::Compile } else { FailureKind::Lint };
    let text = text_at(found, "/message").unwrap_or_default();
    let mut draft = FailureDraft::new("python", kind, text).with_code(code);
    let path = text_at(found, "/filename").unwrap_or_default();
    draft.add_location(location_at(path, found, "/location/row", "/location/column"));
    draft.finish()
}

/// Reads an item of `diagnostics`; `None` for warnings. Older versions give the offset in bytes only.
fn read_biome(found: &Value) -> Option<Failure> {
    if !matches!(text_at(found, "/severity"), Some("error" | "fatal")) {
        return None;
    }
    let category = text_at(found, "/category").unwrap_or_default();
    let kind = if category == "parse" { FailureKind::Compile } else { FailureKind::Lint };
    // Later versions have only `message`, which was in pieces before.
    let text = text_at(found, "/message").or_else(|| text_at(found, "/description"));
    let mut draft = FailureDraft::new("node", kind, text.unwrap_or_default()).with_code(category);
    let path = text_at(found, "/location/path/file").or_else(|| text_at(found, "/location/path"));
    let source = text_at(found, "/location/sourceCode");
    let mut at = location_at(
        path.unwrap_or_default(),
        found,
        "/location/start/line",
        "/location/start/column",
    );
    if at.line.is_none()
        && let Some(source) = source
        && let Some(offset) = number_at(found, "/location/span/0")
    {
        set_position(&mut at, source, offset);
    }
    let row = at.line.and_then(|line| usize::try_from(line).ok()).unwrap_or(1);
    let line = source.and_then(|source| source.lines().nth(row.saturating_sub(1)));
    if path.is_some() {
        draft.add_location(at);
    }
    draft.add_source(line.and_then(quoted::source_text).unwrap_or_default());
    Some(draft.finish())
}

/// Sets line and column of an offset in bytes.
fn set_position(at: &mut Location, source: &str, offset: usize) {
    let Some(before) = source.get(..offset) else { return };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    at.line = u32::try_from(line).ok();
    at.column = u32::try_from(column).ok();
}
