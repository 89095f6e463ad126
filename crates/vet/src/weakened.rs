//! Refuses a change that makes the check pass by weakening tests or linters.

use super::Policy;
use super::decoded::{DecodedFile, MAX_LISTED, decode_files, refuse_test_edit};
use crate::weakening;
use papayu_lang::{ChangedText, PathClass};
use papayu_patch::preview::Preview;
use papayu_patch::protocol::Refusal;

/// Refuses weakened tests, linters and their settings, unless the run allows test edits. The texts before and
/// after the whole change are compared, so moved code is not counted as removed.
///
/// Fails with `ERR_TEST_EDIT_NOT_ALLOWED` for the first file; up to [`MAX_LISTED`] places are named.
pub(super) fn check(preview: &Preview, policy: &Policy) -> Result<(), Refusal> {
    if policy.allow_test_edits {
        return Ok(());
    }
    let files = decode_files(preview);
    let found = weakening::judge(&judged_texts(&files));
    let Some(first) = found.first() else { return Ok(()) };
    let mut lines = Vec::new();
    for it in found.iter().take(MAX_LISTED) {
        // A removed test is shown by its old line.
        let side = if it.is_before { "old line" } else { "line" };
        lines.push(format!("{} {side} {} {}", it.path, it.line, it.rule));
    }
    let reason = format!(
        "may not be changed so: {}; fix the code instead, and leave tests and checks as strict as they were",
        lines.join("; ")
    );
    Err(refuse_test_edit(&first.path, reason))
}

/// Returns the files that are checked line by line; settings are compared key by key in
/// `proof_basis`.
pub(super) fn judged_texts<'a>(files: &'a [DecodedFile<'_>]) -> Vec<ChangedText<'a>> {
    use PathClass::{Build, Configuration, Manifest};
    let is_judged = |file: &ChangedText<'_>| {
        !matches!(PathClass::of_path(file.path), Configuration | Build | Manifest)
    };
    files.iter().map(|file| file.as_changed_text()).filter(is_judged).collect()
}
