//! Combination of all changes of one text.

use super::EditStrategy;
use super::document::Document;
use super::fault::{EditProblem, FocusLines};
use super::find::{TextSpan, splits_word};
use super::kept_lines::replace_changed_lines;
use papayu_base::domain::ErrorCode;

/// The change that one edit makes, in bytes of [`Document::text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByteChange {
    /// The range that no other edit may touch; empty for an insert.
    // Wider than the removed range where an edit depends on text that it keeps.
    pub(super) claim: (usize, usize),
    /// The removed range, within the claim.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The inserted text.
    pub(super) text: String,
    pub(super) strategy: EditStrategy,
}

impl ByteChange {
    /// Replaces a span by a new text. Lines that both have keep their bytes.
    pub(super) fn replace_span(document: &Document, span: &TextSpan, new: &str) -> Self {
        let (start, end) = (span.start, span.end);
        let text = replace_changed_lines(document, span, new);
        Self { claim: (start, end), start, end, text, strategy: span.strategy }
    }
}

/// A problem that prevents an edit.
#[derive(Debug)]
pub(super) struct SpliceFault {
    /// The 0-based index of the edit: the later one of two that clash.
    pub(super) edit: usize,
    pub(super) problem: EditProblem,
}

/// A position in the new text where old and new text meet, and the edit that joins them.
struct Joint {
    /// A byte of the new text.
    at: usize,
    /// The 0-based index of the edit.
    edit: usize,
    /// The byte of the old text at which the removed text begins.
    old_start: usize,
}

/// Returns the text with all changes applied. Fails if two changes touch the same text.
pub(super) fn splice_changes(
    document: &Document,
    changes: Vec<ByteChange>,
) -> Result<String, SpliceFault> {
    let mut changes: Vec<_> = changes.into_iter().enumerate().collect();
    changes.sort_by_key(|(_, change)| change.claim);
    for pair in changes.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        // Inserts at one place have no order of their own.
        let both_insert = first.claim == second.claim && first.claim.0 == first.claim.1;
        if first.claim.1 > second.claim.0 || both_insert {
            let problem = describe_clash(document, *one.min(other), second, both_insert);
            return Err(SpliceFault { edit: *one.max(other), problem });
        }
    }
    let mut after = String::with_capacity(document.text.len());
    let mut next = 0;
    let mut joints = Vec::with_capacity(2 * changes.len());
    // The changes do not overlap and ascend, so that one pass is enough.
    for (edit, change) in &changes {
        after.push_str(document.text_between(next, change.start));
        // Both ends of the new text may join words with another edit's text.
        joints.push(Joint { at: after.len(), edit: *edit, old_start: change.start });
        after.push_str(&change.text);
        joints.push(Joint { at: after.len(), edit: *edit, old_start: change.start });
        next = change.end;
    }
    after.push_str(document.text_between(next, document.text.len()));
    // Each edit alone was checked before, so that only two together can do this.
    if let Some(joint) = joints.iter().find(|joint| splits_word(&after, joint.at)) {
        let focus = FocusLines::At(document.line_at(joint.old_start));
        let reason = "with another edit it would make one word of two; name them whole".to_owned();
        let problem = EditProblem { code: ErrorCode::EditAmbiguous, reason, focus };
        return Err(SpliceFault { edit: joint.edit, problem });
    }
    // The end of the document is kept if no change reached it.
    Ok(document.restore_final_newline(after, next < document.text.len()))
}

/// Returns the error of two edits for the same text. Two insertions at one place clash too, as
/// their order would be arbitrary.
fn describe_clash(
    document: &Document,
    with: usize,
    change: &ByteChange,
    both_insert: bool,
) -> EditProblem {
    let what = if both_insert { "inserts at the place of" } else { "touches the text of" };
    let reason = format!("it {what} edit {}; make one edit of the two", with + 1);
    let focus = FocusLines::At(document.line_at(change.claim.0));
    EditProblem { code: ErrorCode::EditApplyFailed, reason, focus }
}
