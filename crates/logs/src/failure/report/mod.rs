//! Reads machine-readable reports: whole files, and those inside a log.

mod buffer;
mod checkstyle;
mod dotnet_xml;
mod failed_test;
mod fault;
mod json_findings;
mod junit;
mod lint_json;
mod more_tests;
mod more_xml;
mod sarif;
mod sarif_fix;
mod tap;
mod test_json;
mod whole;
mod xml;

use serde_json::Value;

use papayu_base::domain::{Failure, Location};

pub(super) use buffer::{Buffered, ReportBuffer, begins_long_line};
pub use fault::ReportFault;
pub(super) use whole::read_whole;

/// The longest report that is read, in bytes; a longer one is read as lines of text.
pub const MAX_REPORT_BYTES: usize = 16 * 1024 * 1024;

/// The failures of a report, and what was not read as one.
#[derive(Debug, Default)]
pub(in crate::failure) struct Found {
    /// In the order of the report.
    pub(in crate::failure) failures: Vec<Failure>,
    /// The reasons why entries were skipped, and the number of each.
    skipped: Vec<(&'static str, usize)>,
    /// Why the report was read only in part.
    pub(in crate::failure) fault: Option<String>,
}

impl Found {
    /// Returns the failures of a report that has nothing else.
    fn of(failures: Vec<Failure>) -> Self {
        Self { failures, ..Self::default() }
    }

    /// Counts an entry that is not read as a failure.
    fn skip(&mut self, why: &'static str) {
        match self.skipped.iter_mut().find(|(known, _)| *known == why) {
            Some((_, times)) => *times += 1,
            None => self.skipped.push((why, 1)),
        }
    }

    /// Returns a sentence for each reason of skipping.
    pub(in crate::failure) fn notes(&self) -> Vec<String> {
        let note = |(why, times): &(&str, usize)| match times {
            1 => format!("1 result {why} was skipped"),
            _ => format!("{times} results {why} were skipped"),
        };
        self.skipped.iter().map(note).collect()
    }
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
