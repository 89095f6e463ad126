//! Tells the JSON reports apart.

use crate::domain::Failure;
use crate::failure::findings::MAX_FAILURES;

use super::{lint_json, sarif, test_json};

/// Returns the failures of a report of any known form; `None` for other JSON.
pub(super) fn read(text: &str) -> Option<Vec<Failure>> {
    let mut failures =
        test_json::read(text).or_else(|| lint_json::read(text)).or_else(|| sarif::read(text))?;
    failures.truncate(MAX_FAILURES);
    Some(failures)
}
