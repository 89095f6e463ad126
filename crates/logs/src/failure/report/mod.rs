//! Reads machine-readable reports: whole files, and those inside a log.

mod buffer;
mod check;
mod junit;
mod lint_json;
mod sarif;
mod sarif_fix;
mod test_json;

use serde_json::Value;

use super::findings::MAX_FAILURES;
use papayu_base::domain::{Failure, Location};

pub(super) use buffer::{Buffered, ReportBuffer, begins_long_line};
pub use check::{ReportFault, check_report};

/// The longest report that is read, in bytes; a longer one is read as lines of text.
pub const MAX_REPORT_BYTES: usize = 16 * 1024 * 1024;

/// Returns the failures of a whole report; `None` if its format is unknown.
fn read_report(text: &str) -> Option<Vec<Failure>> {
    let text = text.trim();
    if text.starts_with('<') {
        return Some(junit::read_junit(text));
    }
    let report: Value = serde_json::from_str(text).ok()?;
    let mut failures = test_json::read_tests(&report)
        .or_else(|| lint_json::read_lints(&report))
        .or_else(|| sarif::read_sarif(&report))?;
    failures.truncate(MAX_FAILURES);
    Some(failures)
}

/// Returns the string at a JSON pointer.
fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}

/// Returns the number at a JSON pointer, if it has the range of `N`.
fn number_at<N: TryFrom<u64>>(value: &Value, pointer: &str) -> Option<N> {
    N::try_from(value.pointer(pointer)?.as_u64()?).ok()
}

/// Returns the items of the list at a JSON pointer; none if there is no list.
fn items_at<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns a location in a file; `line` and `column` are JSON pointers into `value`.
fn location_at(path: &str, value: &Value, line: &str, column: &str) -> Location {
    Location {
        path: path.to_owned(),
        line: number_at(value, line),
        column: number_at(value, column),
    }
}
