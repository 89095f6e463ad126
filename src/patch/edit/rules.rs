//! Which texts may go where they are said to: whole lines, indented as the file is, with line ends that it has.

use super::document::Document;
use super::fault::{EditProblem, FocusLines};
use super::find::{TextSpan, strip_outer_newlines};
use crate::domain::{Edit, EditOp, ErrorCode};
use crate::text::encoding::MARK;

/// Refuses what can be read in more than one way.
pub(super) fn unclear_bounds(reason: &str, target: &TextSpan) -> EditProblem {
    let look = FocusLines::At(target.first);
    EditProblem { code: ErrorCode::EditAmbiguous, reason: reason.to_owned(), look }
}

/// Refuses an insert beside a piece of a line, or beside an indented line that is named without its
/// indentation.
pub(super) fn inserts_lines(
    page: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<(), EditProblem> {
    let (indent, rest) = text_around(page, target);
    if !indent.trim().is_empty() || !rest.trim().is_empty() {
        let reason = "it inserts beside a piece of a line; copy whole lines";
        return Err(unclear_bounds(reason, target));
    }
    if !indent.is_empty() && !edit.after.trim().is_empty() {
        return Err(unclear_bounds(NOT_INDENTED, target));
    }
    Ok(())
}

/// Refuses new text whose indentation cannot be that of its place.
pub(super) fn is_indented(
    page: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<(), EditProblem> {
    let (indent, _) = text_around(page, target);
    if indent.is_empty() {
        return Ok(());
    }
    let spaced = |text: &str| text.starts_with([' ', '\t']);
    if indent.trim().is_empty() && (spaced(&edit.before) || spaced(&edit.after)) {
        return Err(unclear_bounds(NOT_INDENTED, target));
    }
    let (old, new) = (strip_outer_newlines(&edit.before), strip_outer_newlines(&edit.after));
    let here = indent_width(page.line_text(target.first)).unwrap_or_default();
    let is_less = |line| indent_width(line).is_some_and(|deep| deep < here);
    if !old.contains('\n') && new.split('\n').skip(1).any(is_less) {
        return Err(unclear_bounds(NOT_INDENTED, target));
    }
    Ok(())
}

const NOT_INDENTED: &str = "its texts are not indented as the file is; copy whole lines";

/// Returns what stands before and after a text on its first and last line.
pub(super) fn text_around<'a>(page: &'a Document, target: &TextSpan) -> (&'a str, &'a str) {
    let start = page.lines.get(target.first).map_or(target.start, |line| line.start);
    let end = page.lines.get(target.last).map_or(target.end, |line| line.text_end);
    (page.text_between(start, target.start), page.text_between(target.end, end))
}

/// Refuses line ends that are a lone `\r`, as what is a line is not certain then, and a byte order mark
/// that the file has not.
pub(super) fn has_known_signs(page: &Document, edit: &Edit) -> Result<(), EditProblem> {
    let reason = if brings_mark(edit) {
        "its `after` brings a byte order mark, which belongs to no text"
    } else if lone_return(&edit.after) {
        "its `after` holds a carriage return without a line feed, which ends no line here"
    } else if page.lone_return && touches_lines(edit) {
        "the file holds carriage returns without line feeds, so its lines are not certain; only text \
         within a line can be replaced"
    } else {
        return Ok(());
    };
    let (code, reason) = (ErrorCode::EditAmbiguous, reason.to_owned());
    Err(EditProblem { code, reason, look: FocusLines::At(0) })
}

fn brings_mark(edit: &Edit) -> bool {
    let stays = if edit.op == EditOp::Replace { edit.before.matches(MARK).count() } else { 0 };
    edit.after.matches(MARK).count() > stays
}

fn touches_lines(edit: &Edit) -> bool {
    let inserts = matches!(edit.op, EditOp::InsertBefore | EditOp::InsertAfter);
    inserts
        || [&edit.before, &edit.after]
            .iter()
            .any(|text| strip_outer_newlines(text).contains(['\n', '\r']))
}

/// Tells whether a text holds a `\r` that no `\n` follows.
pub(super) fn lone_return(text: &str) -> bool {
    let mut parts = text.split('\r');
    parts.next();
    parts.any(|rest| !rest.starts_with('\n'))
}

/// Returns how deep a line is indented, a tab to the next eighth column; `None` for an empty one.
pub(super) fn indent_width(line: &str) -> Option<usize> {
    let mut width = 0;
    for c in line.chars() {
        match c {
            '\t' => width = (width / 8 + 1) * 8,
            c if c.is_whitespace() => width += 1,
            _ => return Some(width),
        }
    }
    None
}
