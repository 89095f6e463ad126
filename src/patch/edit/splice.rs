//! Puts changes of one text together.

use super::EditRung;
use super::fault::{Look, Misfit};
use super::find::Span;
use super::page::Page;
use crate::domain::ErrorCode;

/// What one edit does to the page, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// What no other edit may touch; empty for an insert.
    pub(super) claim: (usize, usize),
    /// What goes: within the claim.
    pub(super) start: usize,
    pub(super) end: usize,
    /// What comes.
    pub(super) text: String,
    pub(super) rung: EditRung,
}

impl Change {
    /// Puts a text in the place of a span. Lines that both begin or end with stay as they are.
    pub(super) fn of_text(page: &Page, span: &Span, new: &str) -> Self {
        let raw: Vec<&str> = page.piece(span.start, span.end).split('\n').collect();
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
        let mut old = raw.clone();
        if let [lines @ .., _] = old.as_mut_slice() {
            for line in lines {
                *line = line.strip_suffix('\r').unwrap_or(line);
            }
        }
        let new: Vec<&str> = new.split('\n').collect();
        let same = |old: &str, new: &str| {
            old == new || (span.rung == EditRung::TrailingSpace && old.trim_end() == new.trim_end())
        };
        let shorter = old.len().min(new.len());
        let pairs = || old.iter().zip(&new);
        let head = pairs().take(shorter - 1).take_while(|(old, new)| same(old, new)).count();
        // The first line of each is kept only as a whole, so never as the last of both.
        let room = if head == 0 { shorter - 1 } else { shorter - head };
        let ends = || old.iter().rev().zip(new.iter().rev());
        let tail = ends().take(room).take_while(|(old, new)| same(old, new)).count();
        let start = span.start + bytes(raw.get(..head).unwrap_or_default());
        let kept = raw.get(raw.len() - tail..).unwrap_or_default();
        let end = if tail == 0 { span.end } else { span.end + 1 - bytes(kept) };
        let ending = page.ending(span.first);
        let middle = new.get(head..new.len() - tail).unwrap_or_default();
        let mut text = middle.join(ending);
        if tail > 0 && !middle.is_empty() {
            text.push_str(ending);
        }
        Self { claim: (span.start, span.end), start, end, text, rung: span.rung }
    }
}

/// Returns the page's text with every change made. Fails with the index of a change that touches what
/// an earlier one touches.
pub(super) fn splice(page: &Page, changes: Vec<Change>) -> Result<String, (usize, Misfit)> {
    let mut changes: Vec<_> = changes.into_iter().enumerate().collect();
    changes.sort_by_key(|(_, change)| change.claim);
    for pair in changes.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        let both_insert = first.claim == second.claim && first.claim.0 == first.claim.1;
        if first.claim.1 > second.claim.0 || both_insert {
            return Err((*one.max(other), clash(page, *one.min(other), second, both_insert)));
        }
    }
    let mut after = String::with_capacity(page.text.len());
    let mut next = 0;
    for (_, change) in &changes {
        after.push_str(page.piece(next, change.start));
        after.push_str(&change.text);
        next = change.end;
    }
    after.push_str(page.piece(next, page.text.len()));
    Ok(page.unfinished(after, next < page.text.len()))
}

fn clash(page: &Page, with: usize, change: &Change, both_insert: bool) -> Misfit {
    let line = page.lines.partition_point(|line| line.end <= change.claim.0);
    let what = if both_insert { "inserts at the place of" } else { "touches the text of" };
    let reason = format!("it {what} edit {}; make one edit of the two", with + 1);
    Misfit { code: ErrorCode::EditApplyFailed, reason, look: Look::At(line) }
}
