//! Finds one edit's place and what will stand there.

use std::ops::Range;

use super::EditStrategy;
use super::document::Document;
use super::fault::{EditProblem, FocusLines};
use super::find::{
    REACH, TextFault, TextSpan, find_text, is_word, search_region, strip_outer_newlines,
};
use super::rules::{
    has_known_signs, indent_width, inserts_lines, is_indented, text_around, unclear_bounds,
};
use super::splice::ByteChange;
use crate::domain::{Edit, EditOp, ErrorCode};

/// Returns the change that an edit makes, or why it has none.
pub(super) fn place_edit(page: &Document, edit: &Edit) -> Result<ByteChange, EditProblem> {
    has_known_signs(page, edit)?;
    match place_as_written(page, edit) {
        Err(misfit) if misfit.code == ErrorCode::EditBeforeNotFound => {
            place_without_newline(page, edit).ok_or(misfit)
        }
        placed => placed,
    }
}

/// Places a text whose first newline is no empty line but the end of the line above, if it stands so
/// just once and the new text begins so, too.
fn place_without_newline(page: &Document, edit: &Edit) -> Option<ByteChange> {
    let before = edit.before.strip_prefix('\n')?.to_owned();
    let after = match edit.op {
        EditOp::Replace => edit.after.strip_prefix('\n')?,
        _ => &edit.after,
    };
    let exact = page.views().first()?;
    if exact.text.matches(&strip_outer_newlines(&edit.before)).count() != 1 {
        return None;
    }
    let edit = Edit { before, after: after.to_owned(), ..edit.clone() };
    let change = place_as_written(page, &edit).ok()?;
    // What is left of a line would have to join the line above.
    let is_whole = edit.op != EditOp::Delete || page.text_between(0, change.end).ends_with('\n');
    (is_whole && !(edit.op == EditOp::Replace && edit.after.is_empty())).then_some(change)
}

fn place_as_written(page: &Document, edit: &Edit) -> Result<ByteChange, EditProblem> {
    let inserts = matches!(edit.op, EditOp::InsertBefore | EditOp::InsertAfter);
    let (no_anchor, no_before) = (
        strip_outer_newlines(&edit.anchor).is_empty(),
        strip_outer_newlines(&edit.before).is_empty(),
    );
    if inserts && no_anchor && no_before && page.lines.is_empty() && !edit.after.is_empty() {
        let text = whole_lines(&edit.after, "\n");
        return Ok(ByteChange {
            claim: (0, 0),
            start: 0,
            end: 0,
            text,
            strategy: EditStrategy::Exact,
        });
    }
    let all = 0..page.lines.len();
    let anchor = if no_anchor {
        None
    } else {
        Some(find_text(page, &edit.anchor, &all).map_err(|lost| lost_anchor(edit, lost, all))?)
    };
    let region = search_region(page, anchor.as_ref());
    let target = match anchor {
        Some(anchor) if inserts && no_before => anchor,
        _ if no_before => return Err(nothing_named(edit, anchor.as_ref())),
        _ => find_text(page, &edit.before, &region)
            .map_err(|lost| lost_before(page, edit, lost, region))?,
    };
    if let Some(anchor) = anchor.as_ref().filter(|anchor| is_apart(page, &target, anchor)) {
        let reason = format!(
            "its `before`, at line {}, stands above its anchor, at line {}, and may belong to another \
             definition; take an anchor above it, or one that is part of it",
            target.first + 1,
            anchor.first + 1
        );
        return Err(unclear_bounds(&reason, &target));
    }
    let mut change = match edit.op {
        EditOp::Replace | EditOp::Delete => place_replacement(page, edit, &target)?,
        EditOp::InsertBefore | EditOp::InsertAfter => place_insertion(page, edit, &target)?,
    };
    change.strategy =
        target.strategy.max(anchor.map_or(EditStrategy::Exact, |anchor| anchor.strategy));
    Ok(change)
}

/// Tells whether a text above an anchor may belong to another definition than the anchor: it is neither
/// the head of what holds the anchor nor beside it.
fn is_apart(page: &Document, target: &TextSpan, anchor: &TextSpan) -> bool {
    if target.last >= anchor.first {
        return false;
    }
    let own = (target.first..=target.last).filter_map(|line| indent_width(page.line_text(line)));
    let deepest = own.max().unwrap_or_default();
    let between = || (target.last + 1..anchor.first).map(|line| indent_width(page.line_text(line)));
    let here = indent_width(page.line_text(anchor.first)).unwrap_or_default();
    let holds = here > deepest && between().flatten().all(|deep| deep > deepest);
    // An empty line sets apart, too.
    let is_beside = deepest <= here && between().all(|deep| deep.is_some_and(|deep| deep > here));
    !holds && !is_beside
}

fn lost_anchor(edit: &Edit, lost: TextFault, all: Range<usize>) -> EditProblem {
    match lost {
        TextFault::Missing => EditProblem {
            code: ErrorCode::EditAnchorNotFound,
            reason: "its anchor is not in the file".to_owned(),
            look: FocusLines::Like(edit.anchor.clone(), all),
        },
        TextFault::Inside(line) => {
            ends_inside_line(ErrorCode::EditAnchorNotFound, "its anchor", line)
        }
        TextFault::Twice(first, second) => matches_twice("its anchor stands", first, second),
    }
}

fn lost_before(page: &Document, edit: &Edit, lost: TextFault, region: Range<usize>) -> EditProblem {
    match lost {
        TextFault::Missing => {}
        TextFault::Inside(line) => {
            return ends_inside_line(ErrorCode::EditBeforeNotFound, "its `before`", line);
        }
        TextFault::Twice(first, second) => {
            return matches_twice("its `before` stands", first, second);
        }
    }
    let anchored = !strip_outer_newlines(&edit.anchor).is_empty();
    let is_there = edit.op == EditOp::Replace
        && !strip_outer_newlines(&edit.after).is_empty()
        && matches!(find_text(page, &edit.after, &region), Ok(_) | Err(TextFault::Twice(..)));
    let reason = if is_there {
        "its `before` is not there and its `after` is: it has been made already".to_owned()
    } else if anchored {
        format!("its `before` is not within {REACH} lines of its anchor")
    } else {
        "its `before` is not in the file".to_owned()
    };
    let wanted = if is_there { &edit.after } else { &edit.before };
    let look = FocusLines::Like(wanted.clone(), region);
    EditProblem { code: ErrorCode::EditBeforeNotFound, reason, look }
}

fn ends_inside_line(code: ErrorCode, what: &str, line: usize) -> EditProblem {
    let reason = format!("{what} stands only in the middle of a word, at line {}", line + 1);
    EditProblem { code, reason, look: FocusLines::At(line) }
}

fn matches_twice(what: &str, first: usize, second: usize) -> EditProblem {
    let reason = if first == second {
        format!(
            "{what} more than once in line {}; a longer text must tell which is meant",
            first + 1
        )
    } else {
        format!(
            "{what} at line {} and at line {}; a longer text must tell which is meant",
            first + 1,
            second + 1
        )
    };
    EditProblem { code: ErrorCode::EditAmbiguous, reason, look: FocusLines::At(first) }
}

fn nothing_named(edit: &Edit, anchor: Option<&TextSpan>) -> EditProblem {
    let look = FocusLines::At(anchor.map_or(0, |anchor| anchor.first));
    let name = edit.op.name();
    match edit.op {
        EditOp::Replace | EditOp::Delete => EditProblem {
            code: ErrorCode::EditBeforeNotFound,
            reason: format!("it has no `before`, which {name} requires"),
            look,
        },
        EditOp::InsertBefore | EditOp::InsertAfter => EditProblem {
            code: ErrorCode::EditAnchorNotFound,
            reason: "it has neither `anchor` nor `before`, so its place cannot be known".to_owned(),
            look,
        },
    }
}

fn already_applied(target: &TextSpan) -> EditProblem {
    let reason = "its `after` is already there".to_owned();
    EditProblem { code: ErrorCode::EditApplyFailed, reason, look: FocusLines::At(target.first) }
}

fn place_replacement(
    page: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<ByteChange, EditProblem> {
    let (start, end) = (target.start, target.end);
    let deletes = edit.op == EditOp::Delete;
    if deletes && !strip_outer_newlines(&edit.after).is_empty() {
        return Err(unclear_bounds(
            "a delete has no `after`; use replace to put text there",
            target,
        ));
    }
    let (indent, rest) = text_around(page, target);
    let ends_line = rest.trim().is_empty();
    if deletes || edit.after.is_empty() {
        let leaves_nothing = indent.trim().is_empty() && ends_line;
        if !leaves_nothing && runs_together(page, target, "") {
            return Err(unclear_bounds(RUNS_TOGETHER, target));
        }
        let (start, end) = if leaves_nothing {
            (start - indent.len(), page.lines.get(target.last).map_or(end, |line| line.end))
        } else {
            (start, end)
        };
        return Ok(ByteChange {
            claim: (start, end),
            start,
            end,
            text: String::new(),
            strategy: target.strategy,
        });
    }
    is_indented(page, edit, target)?;
    if edit.after.ends_with('\n') && !ends_line {
        let reason = "its `after` ends a line in the middle of one; copy whole lines";
        return Err(unclear_bounds(reason, target));
    }
    let (old, new) = (strip_outer_newlines(&edit.before), strip_outer_newlines(&edit.after));
    if let Some(change) = of_last_newline(page, edit, target) {
        return Ok(change);
    }
    if target.strategy == EditStrategy::Exact
        && old != new
        && stands_around(page, target, &old, &new)
    {
        return Err(already_applied(target));
    }
    if runs_together(page, target, &new) {
        return Err(unclear_bounds(RUNS_TOGETHER, target));
    }
    let change = ByteChange::of_text(page, target, &new);
    if edit.before != edit.after && change.text == page.text_between(start, end) {
        let reason = "its `after` leaves the file as it is".to_owned();
        let look = FocusLines::At(target.first);
        return Err(EditProblem { code: ErrorCode::EditApplyFailed, reason, look });
    }
    Ok(change)
}

/// Returns the change that an edit makes which differs in the newline at the end of the file and in
/// nothing else.
fn of_last_newline(page: &Document, edit: &Edit, target: &TextSpan) -> Option<ByteChange> {
    let line = page.lines.last().filter(|_| target.last + 1 == page.lines.len())?;
    let ends = [&edit.before, &edit.after].map(|text| text.ends_with('\n'));
    let (start, text) = match (page.is_unfinished(), ends) {
        _ if strip_outer_newlines(&edit.before) != strip_outer_newlines(&edit.after) => {
            return None;
        }
        // The newline that is taken off again is another one then.
        (true, [false, true]) => (line.end, page.line_ending(target.last)),
        (false, [true, false]) => (line.text_end, ""),
        _ => return None,
    };
    // Nothing else may go behind it.
    let claim = (target.start, line.end + 1);
    Some(ByteChange {
        claim,
        start,
        end: line.end,
        text: text.to_owned(),
        strategy: target.strategy,
    })
}

const RUNS_TOGETHER: &str = "it would make one word of two; name them whole";

/// Tells whether a new text would make one word with what stands beside it.
fn runs_together(page: &Document, target: &TextSpan, new: &str) -> bool {
    let before = page.text_between(0, target.start).chars().next_back();
    let after = page.text_between(target.end, page.text.len()).chars().next();
    let (first, last) = (new.chars().next().or(after), new.chars().next_back().or(before));
    let both = |one: Option<char>, other: Option<char>| {
        one.is_some_and(is_word) && other.is_some_and(is_word)
    };
    both(before, first) || both(last, after)
}

/// Tells whether the new text, which holds the old one, stands around the old one already.
fn stands_around(page: &Document, target: &TextSpan, old: &str, new: &str) -> bool {
    let Some(view) = page.views().iter().find(|view| view.strategy == target.strategy) else {
        return false;
    };
    new.match_indices(old).any(|(at, _)| {
        let start = target.seen_at.checked_sub(at);
        let there = start.and_then(|start| view.text.get(start..start + new.len()));
        there == Some(new)
    })
}

fn place_insertion(
    page: &Document,
    edit: &Edit,
    target: &TextSpan,
) -> Result<ByteChange, EditProblem> {
    let after = edit.op == EditOp::InsertAfter;
    if edit.after.is_empty() {
        return Err(unclear_bounds("it has no `after`, which holds the lines to insert", target));
    }
    inserts_lines(page, edit, target)?;
    let new = strip_outer_newlines(&edit.after);
    let new: Vec<&str> = new.split('\n').collect();
    let says = |lines: &[&str]| lines.iter().any(|line| line.contains(char::is_alphanumeric));
    let stand_at = |first: Option<usize>| {
        first.is_some_and(|first| {
            new.iter().zip(first..).all(|(line, at)| page.line_text(at) == *line)
        })
    };
    let neighbours =
        if after { Some(target.last + 1) } else { target.first.checked_sub(new.len()) };
    if says(&new) && stand_at(neighbours) {
        return Err(already_applied(target));
    }
    let own: Vec<&str> = (target.first..=target.last).map(|line| page.line_text(line)).collect();
    if says(&own) && (if after { new.starts_with(&own) } else { new.ends_with(&own) }) {
        let reason = "its `after` repeats the lines it goes beside; give only the lines to insert";
        return Err(unclear_bounds(reason, target));
    }
    let beside = if after { target.last } else { target.first };
    let line = page.lines.get(beside);
    let at = line.map_or(0, |line| if after { line.end } else { line.start });
    let text = whole_lines(&edit.after, page.line_ending(beside));
    Ok(ByteChange { claim: (at, at), start: at, end: at, text, strategy: target.strategy })
}

fn whole_lines(text: &str, ending: &str) -> String {
    strip_outer_newlines(text).split('\n').flat_map(|line| [line, ending]).collect()
}
