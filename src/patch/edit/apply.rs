//! Lands a list of edits: every one, or none.

use super::document::Document;
use super::fault::{self, EditFault, EditProblem, FocusLines};
use super::{EditStrategy, place, splice};
use crate::domain::{Edit, EditOp, ErrorCode};

/// A text with every edit landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedText {
    /// The new text.
    pub after: String,
    /// How each edit found its place, in the order written.
    pub strategies: Vec<EditStrategy>,
}

/// Lands edits on the text they were made for, all or none.
pub fn apply_edits(before: &str, edits: &[Edit]) -> Result<EditedText, EditFault> {
    let page = Document::new(before);
    let mut placed = Vec::with_capacity(edits.len());
    for (index, edit) in edits.iter().enumerate() {
        let place = place::place_edit(&page, edit);
        placed.push(place.map_err(|misfit| fault::describe_misfit(&page, edits, index, misfit))?);
    }
    let strategies = placed.iter().map(|change| change.strategy).collect();
    let after = splice::splice_changes(&page, placed)
        .map_err(|(index, misfit)| fault::describe_misfit(&page, edits, index, misfit))?;
    if let Some((index, reason)) = find_unwanted(before, &after, edits) {
        let look = FocusLines::At(0);
        let misfit =
            EditProblem { code: ErrorCode::EditApplyFailed, reason: reason.to_owned(), look };
        return Err(fault::describe_misfit(&page, edits, index, misfit));
    }
    Ok(EditedText { after, strategies })
}

/// Returns what no edits may do together, with the index of the first that would change something.
fn find_unwanted(before: &str, after: &str, edits: &[Edit]) -> Option<(usize, &'static str)> {
    let changes = |edit: &Edit| edit.op != EditOp::Replace || edit.before != edit.after;
    let index = edits.iter().position(changes)?;
    let torn = |text: &str| text.matches("\r\r\n").count();
    if after == before {
        Some((index, "the edits leave the file as it is"))
    } else if torn(after) > torn(before) {
        Some((index, "a carriage return would stand before a line's end"))
    } else {
        None
    }
}
