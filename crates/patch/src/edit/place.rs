//! Placement of one edit: its target, and the change it makes there.

use std::ops::Range;

use super::EditStrategy;
use super::document::Document;
use super::fault::{EditProblem, FocusLines};
use super::find::{
    REACH, TextFault, TextSpan, find_text, is_word_char, search_region, strip_outer_newlines,
};
use super::rules::{
    check_characters, check_indentation, check_insert_position, indent_width, text_around,
};
use super::splice::ByteChange;
use papayu_base::domain::{Edit, EditOp, ErrorCode};

/// Returns the change that an edit makes.
///
/// # Errors
///
/// The first problem of the edit, with the lines that help to correct it.
pub(super) fn place_edit(document: &Document, edit: &Edit) -> Result<ByteChange, EditProblem> {
    check_characters(document, edit)?;
    match place_as_written(document, edit) {
        // Only this problem may come from a newline that was read wrongly.
        Err(problem) if problem.code == ErrorCode::EditBeforeNotFound => {
            place_without_newline(document, edit).ok_or(problem)
        }
        placed => placed,
    }
}

/// Places an edit whose leading newline is the end of the line above, not an empty line.
///
/// The text must match exactly once that way, and the new text must begin with a newline, too.
fn place_without_newline(document: &Document, edit: &Edit) -> Option<ByteChange> {
    // Without the newline the text is searched from the beginning of a line.
    let before = edit.before.strip_prefix('\n')?.to_owned();
    let after = match edit.op {
        EditOp::Replace => edit.after.strip_prefix('\n')?,
        _ => &edit.after,
    };
    let exact = document.views().first()?;
    // With the newline the text must not match anywhere else, or the reading would be a guess.
    if exact.text.matches(&strip_outer_newlines(&edit.before)).count() != 1 {
        return None;
    }
    let edit = Edit { before, after: after.to_owned(), ..edit.clone() };
    let change = place_as_written(document, &edit).ok()?;
    // The rest of a partly deleted line would have to join the line above.
    let is_whole =
        edit.op != EditOp::Delete || document.text_between(0, change.end).ends_with('\n');
    (is_whole && !(edit.op == EditOp::Replace && edit.after.is_empty())).then_some(change)
}

/// Places an edit in the fields that the reply used. An insertion into an empty file needs no
/// anchor.
fn place_as_written(document: &Document, edit: &Edit) -> Result<ByteChange, EditProblem> {
    // A newline alone identifies nothing, so that it counts as no text.
    let inserts = matches!(edit.op, EditOp::InsertBefore | EditOp::InsertAfter);
    let no_anchor = strip_outer_newlines(&edit.anchor).is_empty();
    let no_before = strip_outer_newlines(&edit.before).is_empty();
    // An empty file has no line that an anchor could name.
    if inserts && no_anchor && no_before && document.lines.is_empty() && !edit.after.is_empty() {
        let text = to_whole_lines(&edit.after, "\n");
        let strategy = EditStrategy::Exact;
        return Ok(ByteChange { claim: (0, 0), start: 0, end: 0, text, strategy });
    }
    let anchor = if no_anchor { None } else { Some(find_anchor(document, edit)?) };
    let target = match anchor {
        // An insert without `before` goes next to the anchor itself.
        Some(anchor) if inserts && no_before => anchor,
        _ if no_before => return Err(describe_empty_edit(edit, anchor.as_ref())),
        _ => find_before(document, edit, anchor.as_ref())?,
    };
    let mut change = match edit.op {
        EditOp::Replace | EditOp::Delete => place_replacement(document, edit, &target)?,
        EditOp::InsertBefore | EditOp::InsertAfter => place_insertion(document, edit, &target)?,
    };
    // The trace names the looser strategy of both texts.
    change.strategy = target.strategy.max(anchor.map_or(EditStrategy::Exact, |a| a.strategy));
    Ok(change)
}

/// Finds the anchor in the whole file.
fn find_anchor(document: &Document, edit: &Edit) -> Result<TextSpan, EditProblem> {
    // The anchor must be unique in the file, not only near a place.
    let all = 0..document.lines.len();
    find_text(document, &edit.anchor, &all).map_err(|fault| match fault {
        TextFault::Missing => EditProblem {
            code: ErrorCode::EditAnchorNotFound,
            reason: "its anchor is not in the file".to_owned(),
            focus: FocusLines::SimilarTo(edit.anchor.clone(), all.clone()),
        },
        TextFault::InsideWord(line) => {
            describe_inside_word(ErrorCode::EditAnchorNotFound, "its anchor", line)
        }
        TextFault::Twice(first, second) => describe_twice("its anchor occurs", first, second),
    })
}

/// Finds the `before` text of an edit in the region of its anchor.
fn find_before(
    document: &Document,
    edit: &Edit,
    anchor: Option<&TextSpan>,
) -> Result<TextSpan, EditProblem> {
    let region = search_region(document, anchor);
    let target = find_text(document, &edit.before, &region).map_err(|fault| match fault {
        TextFault::Missing => describe_missing_before(document, edit, region),
        TextFault::InsideWord(line) => {
            describe_inside_word(ErrorCode::EditBeforeNotFound, "its `before`", line)
        }
        TextFault::Twice(first, second) => describe_twice("its `before` occurs", first, second),
    })?;
    // A text above the anchor is often part of the definition before it.
    if let Some(anchor) = anchor.filter(|anchor| is_unrelated(document, &target, anchor)) {
        let reason = format!(
            "its `before`, at line {}, is above its anchor, at line {}, and may belong to another \
             definition; take an anchor above it, or one that is part of it",
            target.first + 1,
            anchor.first + 1
        );
        return Err(EditProblem::ambiguous(&reason, &target));
    }
    Ok(target)
}

/// Returns `true` if a text above an anchor may belong to another definition: it is neither the head of
/// the block that contains the anchor nor adjacent to the anchor.
fn is_unrelated(document: &Document, target: &TextSpan, anchor: &TextSpan) -> bool {
    if target.last >= anchor.first {
        return false;
    }
    // Blank lines have no width.
    let width_of = |line: usize| indent_width(document.line_text(line));
    let deepest = (target.first..=target.last).filter_map(width_of).max().unwrap_or_default();
    // An anchor in a blank line counts as not indented.
    let here = width_of(anchor.first).unwrap_or_default();
    let between: Vec<Option<usize>> = (target.last + 1..anchor.first).map(width_of).collect();
    let is_head = here > deepest && between.iter().flatten().all(|width| *width > deepest);
    // An empty line separates, too.
    let is_adjacent =
        deepest <= here && between.iter().all(|width| width.is_some_and(|width| width > here));
    !is_head && !is_adjacent
}

/// Returns the error of a `before` that is not there, and reports whether the `after` is: then the
/// edit was made already and must not be repeated.
fn describe_missing_before(document: &Document, edit: &Edit, region: Range<usize>) -> EditProblem {
    let anchored = !strip_outer_newlines(&edit.anchor).is_empty();
    // Only a replacement has a text that proves it was made.
    let is_applied = edit.op == EditOp::Replace
        && !strip_outer_newlines(&edit.after).is_empty()
        // Twice is proof as well: the edit is not to be made a third time.
        && matches!(find_text(document, &edit.after, &region), Ok(_) | Err(TextFault::Twice(..)));
    let reason = if is_applied {
        "its `before` is not there and its `after` is: it has been made already".to_owned()
    } else if anchored {
        format!("its `before` is not within {REACH} lines of its anchor")
    } else {
        "its `before` is not in the file".to_owned()
    };
    let wanted = if is_applied { &edit.after } else { &edit.before };
    let focus = FocusLines::SimilarTo(wanted.clone(), region);
    EditProblem { code: ErrorCode::EditBeforeNotFound, reason, focus }
}

/// Returns the error of a text that occurs only inside words. `id` must not match in `width`.
fn describe_inside_word(code: ErrorCode, what: &str, line: usize) -> EditProblem {
    let reason = format!("{what} occurs only in the middle of a word, at line {}", line + 1);
    EditProblem { code, reason, focus: FocusLines::At(line) }
}

/// Returns the error of a text that occurs at several places.
fn describe_twice(what: &str, first: usize, second: usize) -> EditProblem {
    let places = if first == second {
        format!("more than once in line {}", first + 1)
    } else {
        format!("at line {} and at line {}", first + 1, second + 1)
    };
    let reason = format!("{what} {places}; a longer text must show which is meant");
    EditProblem { code: ErrorCode::EditAmbiguous, reason, focus: FocusLines::At(first) }
}

/// Describes an edit that has neither of the texts it needs.
fn describe_empty_edit(edit: &Edit, anchor: Option<&TextSpan>) -> EditProblem {
    let focus = FocusLines::At(anchor.map_or(0, |anchor| anchor.first));
    let name = edit.op.name();
    match edit.op {
        EditOp::Replace | EditOp::Delete => EditProblem {
            code: ErrorCode::EditBeforeNotFound,
            reason: format!("it has no `before`, which {name} requires"),
            focus,
        },
        EditOp::InsertBefore | EditOp::InsertAfter => EditProblem {
            code: ErrorCode::EditAnchorNotFound,
            reason: "it has neither `anchor` nor `before`, so its place cannot be known".to_owned(),
            focus,
        },
    }
}

/// Returns the error of an insertion that the file has already.
fn describe_applied(target: &TextSpan) -> EditProblem {
    let reason = "its `after` is already there".to_owned();
    let focus = FocusLines::At(target.first);
    EditProblem { code: ErrorCode::EditApplyFailed, reason, focus }
}

/// Places a `replace` or `delete` on the text that was found.
fn place_replacement(
    document: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<ByteChange, EditProblem> {
    // A model that fills in `after` meant a replacement.
    if edit.op == EditOp::Delete && !strip_outer_newlines(&edit.after).is_empty() {
        let reason = "a delete has no `after`; use replace to put text there";
        return Err(EditProblem::ambiguous(reason, target));
    }
    // An empty replacement is a deletion, and leaves no empty line behind.
    if edit.op == EditOp::Delete || edit.after.is_empty() {
        return place_deletion(document, target);
    }
    check_indentation(document, edit, target)?;
    // The rest of the last line after the target.
    let ends_line = text_around(document, target).after.trim().is_empty();
    if edit.after.ends_with('\n') && !ends_line {
        let reason = "its `after` ends a line in the middle of one; copy whole lines";
        return Err(EditProblem::ambiguous(reason, target));
    }
    if let Some(change) = change_final_newline(document, edit, target) {
        return Ok(change);
    }
    let (old, new) = (strip_outer_newlines(&edit.before), strip_outer_newlines(&edit.after));
    let exact = target.strategy == EditStrategy::Exact;
    // `foo` to `foo + bar` was made already if the file has `foo + bar` around the match.
    if exact && old != new && is_already_around(document, target, &old, &new) {
        return Err(describe_applied(target));
    }
    if joins_words(document, target, &new) {
        return Err(EditProblem::ambiguous(JOINS_WORDS, target));
    }
    let change = ByteChange::replace_span(document, target, &new);
    // A looser match may restore exactly the bytes that are there.
    let unchanged = change.text == document.text_between(target.start, target.end);
    if edit.before != edit.after && unchanged {
        let reason = "its `after` leaves the file as it is".to_owned();
        let focus = FocusLines::At(target.first);
        return Err(EditProblem { code: ErrorCode::EditApplyFailed, reason, focus });
    }
    Ok(change)
}

/// Deletes a span, and the whole lines if only white space of them is left.
fn place_deletion(document: &Document, target: &TextSpan) -> Result<ByteChange, EditProblem> {
    let around = text_around(document, target);
    // Nothing but blanks of the first and the last line would be left.
    let whole_lines = around.before.trim().is_empty() && around.after.trim().is_empty();
    if !whole_lines && joins_words(document, target, "") {
        return Err(EditProblem::ambiguous(JOINS_WORDS, target));
    }
    let (mut start, mut end) = (target.start, target.end);
    if whole_lines {
        // The indentation and the line ending are deleted as well.
        start -= around.before.len();
        end = document.lines.get(target.last).map_or(end, |line| line.end);
    }
    let strategy = target.strategy;
    Ok(ByteChange { claim: (start, end), start, end, text: String::new(), strategy })
}

/// Returns the change of an edit with texts that differ only in the newline at the end of the file.
fn change_final_newline(document: &Document, edit: &Edit, target: &TextSpan) -> Option<ByteChange> {
    // Only the last line of the file has this newline.
    let line = document.lines.last().filter(|_| target.last + 1 == document.lines.len())?;
    if strip_outer_newlines(&edit.before) != strip_outer_newlines(&edit.after) {
        return None;
    }
    let (before_ends, after_ends) = (edit.before.ends_with('\n'), edit.after.ends_with('\n'));
    // The file's state, then whether the old and the new text end with a newline.
    let (start, text) = match (document.lacks_final_newline(), before_ends, after_ends) {
        // `restore_final_newline` removes one newline, so the text needs a second one.
        (true, false, true) => (line.end, document.line_ending(target.last)),
        (false, true, false) => (line.text_end, ""),
        _ => return None,
    };
    // One past the end, so that no other edit can insert after it.
    let claim = (target.start, line.end + 1);
    let strategy = target.strategy;
    Some(ByteChange { claim, start, end: line.end, text: text.to_owned(), strategy })
}

const JOINS_WORDS: &str = "it would make one word of two; name them whole";

/// Returns `true` if a new text would form one word with the text before or after it.
fn joins_words(document: &Document, target: &TextSpan, new: &str) -> bool {
    let before = document.text_between(0, target.start).chars().next_back();
    let after = document.text_between(target.end, document.text.len()).chars().next();
    // A text of nothing connects both neighbours directly.
    let (first, last) = (new.chars().next().or(after), new.chars().next_back().or(before));
    let is_word = |c: Option<char>| c.is_some_and(is_word_char);
    (is_word(before) && is_word(first)) || (is_word(last) && is_word(after))
}

/// Returns `true` if the new text contains the old one and is already in the file around it.
fn is_already_around(document: &Document, target: &TextSpan, old: &str, new: &str) -> bool {
    let Some(view) = document.views().iter().find(|view| view.strategy == target.strategy) else {
        return false;
    };
    new.match_indices(old).any(|(at, _)| {
        // The offsets are those of the view, where endings are uniform.
        let start = target.view_start.checked_sub(at);
        start.and_then(|start| view.text.get(start..start + new.len())) == Some(new)
    })
}

/// Places an `insert_before` or `insert_after`: whole lines before or after the lines of the
/// anchor.
fn place_insertion(
    document: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<ByteChange, EditProblem> {
    if edit.after.is_empty() {
        let reason = "it has no `after`, the lines to insert";
        return Err(EditProblem::ambiguous(reason, target));
    }
    // Checked before the duplicate: a wrong place makes every other message misleading.
    check_insert_position(document, edit, target)?;
    let goes_after = edit.op == EditOp::InsertAfter;
    let new = strip_outer_newlines(&edit.after);
    let new: Vec<&str> = new.split('\n').collect();
    let neighbours =
        // The lines where the text would be if it had been inserted before.
        if goes_after { Some(target.last + 1) } else { target.first.checked_sub(new.len()) };
    if has_letters(&new) && neighbours.is_some_and(|first| has_lines_at(document, first, &new)) {
        return Err(describe_applied(target));
    }
    let own: Vec<&str> =
        (target.first..=target.last).map(|line| document.line_text(line)).collect();
    // Models often repeat the anchor in `after`.
    let repeats = if goes_after { new.starts_with(&own) } else { new.ends_with(&own) };
    if has_letters(&own) && repeats {
        let reason = "its `after` repeats the lines next to it; give only the lines to insert";
        return Err(EditProblem::ambiguous(reason, target));
    }
    let neighbour = if goes_after { target.last } else { target.first };
    let line = document.lines.get(neighbour);
    // In an empty document the offset is 0.
    let at = line.map_or(0, |line| if goes_after { line.end } else { line.start });
    // The new lines end as the neighbouring line does.
    let text = to_whole_lines(&edit.after, document.line_ending(neighbour));
    Ok(ByteChange { claim: (at, at), start: at, end: at, text, strategy: target.strategy })
}

/// Returns `true` if any line has a letter or digit; others repeat by chance.
fn has_letters(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.contains(char::is_alphanumeric))
}

/// Returns `true` if the lines are in the document from `first` on, whatever their endings.
fn has_lines_at(document: &Document, first: usize, lines: &[&str]) -> bool {
    lines.iter().zip(first..).all(|(line, at)| document.line_text(at) == *line)
}

/// Returns a text as whole lines with this ending.
fn to_whole_lines(text: &str, ending: &str) -> String {
    strip_outer_newlines(text).split('\n').flat_map(|line| [line, ending]).collect()
}
