//! Refuses code that asks who runs it, whatever the run allows.

use super::decoded::{MAX_LISTED, decode_files, refuse_test_edit};
use crate::suspicion::find_watchers;
use papayu_patch::preview::Preview;
use papayu_patch::protocol::Refusal;

/// Refuses a change after which the product's code asks for a test runner, a CI service or a debug build.
///
/// Fails with `ERR_TEST_EDIT_NOT_ALLOWED` for the first file; up to [`MAX_LISTED`] places are named. Removed
/// files are not searched.
pub(super) fn check(preview: &Preview) -> Result<(), Refusal> {
    let mut files = decode_files(preview);
    // Only what is added counts, so a removed file is not searched.
    files.retain(|file| file.after.is_some());
    let changes: Vec<_> = files.iter().map(|file| file.as_changed_text()).collect();
    let found = find_watchers(&changes);
    let Some(first) = found.first() else { return Ok(()) };
    let lines: Vec<String> = found
        .iter()
        .take(MAX_LISTED)
        .map(|it| format!("{} line {} {}", it.path, it.line, it.message))
        .collect();
    let reason = format!(
        "may not be changed so: {}; the code must do the same for every caller",
        lines.join("; ")
    );
    Err(refuse_test_edit(&first.path, reason))
}
