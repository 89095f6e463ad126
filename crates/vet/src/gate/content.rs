//! Gates `content`, `patch form` and `text`: actions bring text, and change files that are text.

use super::{LocatedAction, NamedAction};
use papayu_base::domain::{ErrorCode, Op};
use papayu_base::text::encoding;
use papayu_patch::protocol::Refusal;

/// Refuses a missing `content`, NUL, and more than a tenth of non-printable characters.
///
/// Fails with `ERR_CONTENT_REQUIRED` for the missing text and `ERR_PSEUDO_BINARY` for the others (protocol
/// section 4).
pub(super) fn check_text(actions: &[NamedAction]) -> Result<(), Refusal> {
    for action in actions {
        if requires_content(&action.op) && action.text().is_none() {
            return Err(missing_content(action));
        }
        if action.texts().any(|text| text.contains('\0')) {
            let reason = "has a NUL character in its content";
            return Err(action.refuse(ErrorCode::PseudoBinary, reason));
        }
        // A tenth leaves space for files that quote control characters, such as terminal output.
        let (mut all, mut odd) = (0, 0);
        for c in action.texts().flat_map(str::chars) {
            all += 1;
            odd += usize::from(!is_printable(c));
        }
        if odd * 10 > all {
            let reason = "is not text: over a tenth of its characters cannot be printed";
            return Err(action.refuse(ErrorCode::PseudoBinary, reason));
        }
    }
    Ok(())
}

/// Refuses a missing or blank patch and one that is no unified diff; whether it applies is judged
/// by the patch engine.
///
/// Fails with `ERR_PATCH_REQUIRED` without a patch and `ERR_PATCH_NOT_UNIFIED` without `@@` lines.
pub(super) fn check_patch_form(actions: &[LocatedAction]) -> Result<(), Refusal> {
    for LocatedAction { named, .. } in actions {
        let Op::PatchFile { patch, .. } = &named.op else { continue };
        let patch = patch.as_deref().unwrap_or_default();
        if patch.trim().is_empty() {
            return Err(missing_patch(named));
        }
        if !looks_unified(patch) {
            let reason = "has a patch without `@@` lines: a unified diff is expected";
            return Err(named.refuse(ErrorCode::PatchNotUnified, reason));
        }
    }
    Ok(())
}

/// Refuses patches of files that are binary or in an encoding that is not certain: their other
/// lines could not be written back byte for byte.
///
/// Fails with `ERR_NON_UTF8_FILE`. A file in another known encoding, such as UTF-16, passes.
pub(super) fn check_encoding(actions: &[LocatedAction]) -> Result<(), Refusal> {
    for action in actions.iter().filter(|action| action.named.has_base()) {
        let bytes = action.fact.file().unwrap_or_default();
        if let Err(fault) = encoding::decode(bytes) {
            let reason = format!("{fault}, so it cannot be patched");
            return Err(action.named.refuse(ErrorCode::NonUtf8File, reason));
        }
    }
    Ok(())
}

/// Returns the refusal of an action without the `content` it needs.
pub(super) fn missing_content(action: &NamedAction) -> Refusal {
    let reason = format!("has no `content`, which {} requires", action.kind.name());
    action.refuse(ErrorCode::ContentRequired, reason)
}

/// Returns the refusal of a `PATCH_FILE` without a patch.
pub(super) fn missing_patch(action: &NamedAction) -> Refusal {
    action.refuse(ErrorCode::PatchRequired, "has no `patch`, which PATCH_FILE requires")
}

/// Returns `true` for an operation that needs a text.
fn requires_content(op: &Op) -> bool {
    matches!(op, Op::CreateFile { .. } | Op::UpdateFile { .. } | Op::ReplaceRange { .. })
}

/// Returns true for characters of source files. Line ends, tabs and form feeds occur in them; the
/// replacement character is what decoders leave of bytes that were not text.
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{c}')
        || !(c.is_control() || c == char::REPLACEMENT_CHARACTER)
}

/// Returns `true` if a patch has the marks of a unified diff.
fn looks_unified(patch: &str) -> bool {
    let has = |mark: &str| patch.lines().any(|line| line.starts_with(mark));
    has("@@") || (has("--- ") && has("+++ "))
}
