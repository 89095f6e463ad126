//! Reads SARIF 2.1, which many analysers write.

use serde_json::Value;

use super::{items_at, location_at, sarif_fix, text_at};
use crate::failure::draft::FailureDraft;
use papayu_base::domain::{ColumnUnit, Failure, FailureKind};

/// Returns the errors of a report; `None` for other JSON.
pub(super) fn read_sarif(report: &Value) -> Option<Vec<Failure>> {
    let mut failures = Vec::new();
    for run in report.get("runs")?.as_array()? {
        let unit = match text_at(run, "/columnKind") {
            Some("utf16CodeUnits") => ColumnUnit::Utf16,
            Some("unicodeCodePoints") => ColumnUnit::CodePoint,
            _ => ColumnUnit::Unsaid,
        };
        failures.extend(items_at(run, "/results").iter().filter_map(|it| read_result(it, unit)));
    }
    Some(failures)
}

/// Reads one result; `None` below the level `error`.
fn read_result(result: &Value, unit: ColumnUnit) -> Option<Failure> {
    // The default level is "warning".
    if text_at(result, "/level") != Some("error") {
        return None;
    }
    let message = text_at(result, "/message/text").unwrap_or_default();
    let rule = text_at(result, "/ruleId");
    let mut draft = FailureDraft::new("sarif", FailureKind::Lint, message).with_code(rule);
    // The fix belongs to the location that the tool names first, before runtimes are left out.
    let mut first = None;
    for at in items_at(result, "/locations") {
        let Some(path) = text_at(at, "/physicalLocation/artifactLocation/uri") else { continue };
        let region = at.pointer("/physicalLocation/region").unwrap_or(&Value::Null);
        let location = location_at(path, region, "/startLine", "/startColumn");
        first.get_or_insert_with(|| location.clone());
        draft.add_location(location);
    }
    let mut failure = draft.finish();
    let fixes = items_at(result, "/fixes");
    failure.fixes.extend(first.and_then(|at| sarif_fix::read_fix(fixes, &at, unit)));
    Some(failure)
}
