//! Application of a list of edits to one text.

use super::EditStrategy;
use super::document::Document;
use super::fault::{EditFault, EditProblem, FocusLines, describe_problem};
use super::place::place_edit;
use super::splice::splice_changes;
use papayu_base::domain::{Edit, EditOp, ErrorCode};

/// A text with all edits applied.
/// Returned by [`apply_edits`] only if every edit has a certain place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedText {
    /// The new text.
    pub after: String,
    /// The strategy that placed each edit, in the order of the edits.
    pub strategies: Vec<EditStrategy>,
}

/// Applies edits to the text `before`.
///
/// # Errors
///
/// [`EditFault`] of the first edit that has no certain place or breaks a rule of this module, with those of the
/// edits after it; no edit is applied then.
///
/// # Examples
///
/// ```
/// use papayu_base::domain::{Edit, EditOp};
/// use papayu_patch::edit::apply_edits;
///
/// let edit = Edit {
///     op: EditOp::Replace,
///     anchor: "def total(items):".to_owned(),
///     before: "return 0".to_owned(),
///     after: "return sum(items)".to_owned(),
/// };
/// let edited = apply_edits("def total(items):\n    return 0\n", &[edit]).unwrap();
/// assert_eq!(edited.after, "def total(items):\n    return sum(items)\n");
/// ```
pub fn apply_edits(before: &str, edits: &[Edit]) -> Result<EditedText, EditFault> {
    // Every edit is placed in the old text: the order of the edits has no meaning.
    let document = Document::new(before);
    let mut changes = Vec::with_capacity(edits.len());
    let mut faults = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        match place_edit(&document, edit) {
            Ok(change) => changes.push(change),
            // All are collected, so that one repair corrects them all.
            Err(problem) => faults.push(describe_problem(&document, edits, index, problem)),
        }
    }
    if !faults.is_empty() {
        let first = faults.remove(0);
        let others = faults.into_iter().map(|other| other.fault).collect();
        return Err(EditFault { others, ..first });
    }
    let strategies = changes.iter().map(|change| change.strategy).collect();
    // Overlaps of edits become visible only here.
    let after = splice_changes(&document, changes)
        .map_err(|fault| describe_problem(&document, edits, fault.edit, fault.problem))?;
    if let Some(reason) = find_bad_result(before, &after, edits) {
        let reason = reason.to_owned();
        // The whole file is concerned, so that the message shows its beginning.
        let focus = FocusLines::At(0);
        let problem = EditProblem { code: ErrorCode::EditApplyFailed, reason, focus };
        let index = edits.iter().position(changes_text).unwrap_or_default();
        return Err(describe_problem(&document, edits, index, problem));
    }
    Ok(EditedText { after, strategies })
}

/// Returns `false` for a replacement by the same text.
fn changes_text(edit: &Edit) -> bool {
    edit.op != EditOp::Replace || edit.before != edit.after
}

/// Returns the reason why the result of all edits together is not allowed.
fn find_bad_result(before: &str, after: &str, edits: &[Edit]) -> Option<&'static str> {
    // Edits that repeat the text are allowed as long as they are the only ones: they are
    // assertions.
    if !edits.iter().any(changes_text) {
        return None;
    }
    if after == before {
        Some("the edits leave the file as it is")
    // Compared with the old text, because the file may have had such lines already.
    } else if after.matches("\r\r\n").count() > before.matches("\r\r\n").count() {
        Some("a carriage return would be before a line's end")
    } else {
        None
    }
}
