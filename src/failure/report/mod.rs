//! Reads reports that are made for programs, whole or in the midst of a log.

mod held;
mod json;
mod junit;
mod lint_json;
mod sarif;
mod sarif_fix;
mod test_json;

use crate::domain::Failure;

pub(super) use held::{Held, Taken, begins_long_line};

/// Longest report that is read, in bytes; a longer one is read as lines of text.
pub(super) const MAX_REPORT_BYTES: usize = 16 * 1024 * 1024;

/// Returns the failures of a whole report; `None` when it is none of the known ones.
fn read(text: &str) -> Option<Vec<Failure>> {
    let text = text.trim();
    if text.starts_with('<') { Some(junit::read(text)) } else { json::read(text) }
}
