//! Puts changes of one text together.

use super::EditStrategy;
use super::document::Document;
use super::fault::{EditProblem, FocusLines};
use super::find::{TextSpan, splits_word};
use super::kept_lines::replace_changed_lines;
use crate::domain::ErrorCode;

/// What one edit does to the page, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByteChange {
    /// What no other edit may touch; empty for an insert.
    pub(super) claim: (usize, usize),
    /// What goes: within the claim.
    pub(super) start: usize,
    pub(super) end: usize,
    /// What comes.
    pub(super) text: String,
    pub(super) strategy: EditStrategy,
}

impl ByteChange {
    /// Puts a text in the place of a span. Lines that both have stay as they are.
    pub(super) fn of_text(page: &Document, span: &TextSpan, new: &str) -> Self {
        let (start, end) = (span.start, span.end);
        let text = replace_changed_lines(page, span, new);
        Self { claim: (start, end), start, end, text, strategy: span.strategy }
    }
}

/// Returns the page's text with every change made. Fails with the index of a change that touches what
/// an earlier one touches.
pub(super) fn splice_changes(
    page: &Document,
    changes: Vec<ByteChange>,
) -> Result<String, (usize, EditProblem)> {
    let mut changes: Vec<_> = changes.into_iter().enumerate().collect();
    changes.sort_by_key(|(_, change)| change.claim);
    for pair in changes.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        let both_insert = first.claim == second.claim && first.claim.0 == first.claim.1;
        if first.claim.1 > second.claim.0 || both_insert {
            return Err((
                *one.max(other),
                describe_clash(page, *one.min(other), second, both_insert),
            ));
        }
    }
    let mut after = String::with_capacity(page.text.len());
    let mut next = 0;
    // Where old and new text meet, with the edit that made them.
    let mut seams = Vec::with_capacity(2 * changes.len());
    for (index, change) in &changes {
        after.push_str(page.text_between(next, change.start));
        seams.push((after.len(), index, change));
        after.push_str(&change.text);
        seams.push((after.len(), index, change));
        next = change.end;
    }
    after.push_str(page.text_between(next, page.text.len()));
    if let Some((_, index, change)) = seams.iter().find(|(at, ..)| splits_word(&after, *at)) {
        let line = page.lines.partition_point(|line| line.end <= change.start);
        let reason = "with another edit it would make one word of two; name them whole".to_owned();
        let (code, look) = (ErrorCode::EditAmbiguous, FocusLines::At(line));
        return Err((**index, EditProblem { code, reason, look }));
    }
    Ok(page.match_final_newline(after, next < page.text.len()))
}

fn describe_clash(
    page: &Document,
    with: usize,
    change: &ByteChange,
    both_insert: bool,
) -> EditProblem {
    let line = page.lines.partition_point(|line| line.end <= change.claim.0);
    let what = if both_insert { "inserts at the place of" } else { "touches the text of" };
    let reason = format!("it {what} edit {}; make one edit of the two", with + 1);
    EditProblem { code: ErrorCode::EditApplyFailed, reason, look: FocusLines::At(line) }
}
