//! Rules for the texts of an edit: whole lines, the file's indentation, and its line endings.

use super::document::{Document, has_lone_return};
use super::fault::{EditProblem, FocusLines};
use super::find::{TextSpan, strip_outer_newlines};
use papayu_base::domain::{Edit, EditOp, ErrorCode};
use papayu_base::text::encoding::MARK;

/// Refuses an insert next to part of a line, or next to an indented line that is quoted without its
/// indentation.
///
/// # Errors
///
/// `ERR_EDIT_AMBIGUOUS`: the model has to quote whole lines.
pub(super) fn check_insert_position(
    document: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<(), EditProblem> {
    let around = text_around(document, target);
    if !around.before.trim().is_empty() || !around.after.trim().is_empty() {
        let reason = "it inserts next to a piece of a line; copy whole lines";
        return Err(EditProblem::ambiguous(reason, target));
    }
    // The quoted line begins after its indentation, so that the new lines lack it as well.
    if !around.before.is_empty() && !edit.after.trim().is_empty() {
        return Err(EditProblem::ambiguous(NOT_INDENTED, target));
    }
    Ok(())
}

/// Refuses new text with an indentation that does not fit its place.
///
/// # Errors
///
/// `ERR_EDIT_AMBIGUOUS`, since the intended indentation cannot be known.
pub(super) fn check_indentation(
    document: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<(), EditProblem> {
    // At the beginning of a line the texts bring their own indentation.
    let indent = text_around(document, target).before;
    if indent.is_empty() {
        return Ok(());
    }
    // The texts begin after the indentation of the line, so they must not bring blanks of their own.
    let blank_start = edit.before.starts_with([' ', '\t']) || edit.after.starts_with([' ', '\t']);
    if indent.trim().is_empty() && blank_start {
        return Err(EditProblem::ambiguous(NOT_INDENTED, target));
    }
    let (old, new) = (strip_outer_newlines(&edit.before), strip_outer_newlines(&edit.after));
    let here = indent_width(document.line_text(target.first)).unwrap_or_default();
    // The first line keeps the indentation that is before the target.
    let leaves_block =
        new.split('\n').skip(1).any(|line| indent_width(line).is_some_and(|width| width < here));
    // A text of several lines shows its indentation in the later lines.
    if !old.contains('\n') && leaves_block {
        return Err(EditProblem::ambiguous(NOT_INDENTED, target));
    }
    Ok(())
}

const NOT_INDENTED: &str = "its texts are not indented as the file is; copy whole lines";

/// The text around a span on its first and last line.
/// Both are empty for a target of whole lines.
pub(super) struct TextAround<'a> {
    /// From the begin of the first line to the span.
    pub(super) before: &'a str,
    /// From the span to the end of the last line.
    pub(super) after: &'a str,
}

/// Returns what the lines of a target contain besides the target.
pub(super) fn text_around<'a>(document: &'a Document, target: &TextSpan) -> TextAround<'a> {
    // The line ending is not part of `after`.
    let start = document.lines.get(target.first).map_or(target.start, |line| line.start);
    let end = document.lines.get(target.last).map_or(target.end, |line| line.text_end);
    TextAround {
        before: document.text_between(start, target.start),
        after: document.text_between(target.end, end),
    }
}

/// Refuses a lone `\r`, which makes it uncertain where a line ends, and an added byte order mark.
///
/// Fails with `ERR_EDIT_AMBIGUOUS`. A lone `\r` of the file itself is an error only if the edit touches a line
/// end.
pub(super) fn check_characters(document: &Document, edit: &Edit) -> Result<(), EditProblem> {
    // Checked in this order, because the later messages assume a sane text.
    let reason = if adds_byte_order_mark(edit) {
        "its `after` brings a byte order mark, which belongs to no text"
    } else if has_lone_return(&edit.after) {
        "its `after` has a carriage return without a line feed, which ends no line here"
    } else if document.has_lone_return && touches_line_ends(edit) {
        "the file has carriage returns without line feeds, so its lines are not certain; only text \
         within a line can be replaced"
    } else {
        return Ok(());
    };
    let (code, reason) = (ErrorCode::EditAmbiguous, reason.to_owned());
    // The fault concerns the whole file, so that its beginning is shown.
    Err(EditProblem { code, reason, focus: FocusLines::At(0) })
}

/// Returns `true` if an edit would add a byte order mark, which only the start of a file may have.
fn adds_byte_order_mark(edit: &Edit) -> bool {
    // A replacement may keep a mark that is in the old text already.
    let kept = if edit.op == EditOp::Replace { edit.before.matches(MARK).count() } else { 0 };
    edit.after.matches(MARK).count() > kept
}

/// Returns `true` if an edit may add or remove line endings.
fn touches_line_ends(edit: &Edit) -> bool {
    let inserts = matches!(edit.op, EditOp::InsertBefore | EditOp::InsertAfter);
    let mut texts = [&edit.before, &edit.after].into_iter();
    // A final newline is stripped: it is where the line ends already.
    inserts || texts.any(|text| strip_outer_newlines(text).contains(['\n', '\r']))
}

/// Returns the width of a line's indentation in columns, with tab stops every eight; `None` for a
/// blank line.
pub(super) fn indent_width(line: &str) -> Option<usize> {
    let mut width = 0;
    for c in line.chars() {
        match c {
            // The next multiple of eight, as terminals show a tab.
            '\t' => width = (width / 8 + 1) * 8,
            c if c.is_whitespace() => width += 1,
            _ => return Some(width),
        }
    }
    None
}
