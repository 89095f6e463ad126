//! Refuses a change that writes the mark of a masked secret back into the file.

use papayu_base::domain::{ActionKind, ErrorCode};
use papayu_base::text::{Masker, encoding};
use papayu_patch::TreeAction;
use papayu_patch::preview::{Change, Preview};
use papayu_patch::protocol::Refusal;

/// Refuses a file whose new text has `***` where the old one has a secret. Files are shown with
/// their secrets masked, so an author who copies the mark would destroy the secret.
///
/// # Errors
///
/// Returns [`ErrorCode::EditApplyFailed`] or [`ErrorCode::PatchApplyFailed`], after which the
/// protocol repairs or falls back.
pub(super) fn check(
    preview: &Preview,
    actions: &[TreeAction],
    masker: &Masker,
) -> Result<(), Refusal> {
    // Only files that existed: a new file cannot contain a masked secret.
    for change in preview.changes() {
        let Change::WriteFile { path, before, after } = change else { continue };
        if !masker.is_copied_mark(&encoding::shown(before), &encoding::shown(after)) {
            continue;
        }
        let is_edit = actions.iter().any(|it| it.path == *path && it.kind == ActionKind::EditFile);
        // The two codes have different remedies: an edit falls back to a patch.
        let code = if is_edit { ErrorCode::EditApplyFailed } else { ErrorCode::PatchApplyFailed };
        let reason = "`***` stands for a secret that is not shown; leave its line as it is";
        return Err(Refusal::of_file(code, path, reason));
    }
    Ok(())
}
