//! Finds each hunk's place in a text and puts the new lines there.
//!
//! A hunk lands where its old lines stand exactly: at the line its header states, or else at the only
//! other place that has them. Line endings are the file's own, so they take no part in the match.

use super::PatchFault;
use super::parse::{Hunk, Tag, parse};
use crate::domain::hunk::{HunkFault, Rung};
use crate::text::lines::{Line, dominant_ending, split};

/// A text with every hunk landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landed {
    /// The new text.
    pub after: String,
    /// How each hunk landed, in order.
    pub rungs: Vec<Rung>,
}

/// Lands a unified diff on the text it was made for, all hunks or none.
pub fn apply(before: &str, patch: &str) -> Result<Landed, PatchFault> {
    let hunks = parse(patch)?;
    let lines = split(before);
    let ending = dominant_ending(before);
    let mut after = String::with_capacity(before.len() + patch.len());
    let mut rungs = Vec::with_capacity(hunks.len());
    let mut next = 0;
    let mut shift = 0_isize;
    for (index, hunk) in hunks.iter().enumerate() {
        let (at, rung) = place(&lines, hunk, next, shift)
            .map_err(|why| PatchFault::Hunk(Box::new(describe(&lines, hunk, index, next, why))))?;
        push_lines(&mut after, lines.get(next..at).unwrap_or_default());
        push_hunk(&mut after, &lines, hunk, at, ending);
        next = at + hunk.old_side().len();
        if let Some(stated) = hunk.old_start {
            shift = at.cast_signed() - (stated.max(1) - 1).cast_signed();
        }
        rungs.push(rung);
    }
    push_lines(&mut after, lines.get(next..).unwrap_or_default());
    settle_last_newline(&mut after, before, &hunks, next == lines.len());
    Ok(Landed { after, rungs })
}

/// Why a hunk has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoPlace {
    Missing,
    Ambiguous(usize, usize),
}

fn place(
    lines: &[Line<'_>],
    hunk: &Hunk,
    from: usize,
    shift: isize,
) -> Result<(usize, Rung), NoPlace> {
    let old = hunk.old_side();
    if old.is_empty() {
        // Without a line to hold on to, only the empty file is a sure place.
        return if lines.is_empty() { Ok((0, Rung::Exact)) } else { Err(NoPlace::Missing) };
    }
    let matches = |at: usize| {
        lines.get(at..at + old.len()).is_some_and(|window| {
            window.iter().zip(&old).all(|(line, wanted)| line.text == *wanted)
        })
    };
    if let Some(stated) = hunk.old_start.filter(|start| *start > 0).map(|start| start - 1) {
        let drifted = stated.checked_add_signed(shift);
        for at in [Some(stated), drifted].into_iter().flatten() {
            if at >= from && matches(at) {
                return Ok((at, if at == stated { Rung::Exact } else { Rung::Offset }));
            }
        }
    }
    let mut places = (from..=lines.len().saturating_sub(old.len())).filter(|at| matches(*at));
    match (places.next(), places.next()) {
        (Some(only), None) => Ok((only, Rung::Offset)),
        (Some(first), Some(second)) => Err(NoPlace::Ambiguous(first, second)),
        (None, _) => Err(NoPlace::Missing),
    }
}

fn push_lines(out: &mut String, lines: &[Line<'_>]) {
    for line in lines {
        out.push_str(line.text);
        out.push_str(line.ending);
    }
}

/// Writes the hunk's new side; kept lines keep their own ending, new ones take their neighbour's.
fn push_hunk(out: &mut String, lines: &[Line<'_>], hunk: &Hunk, at: usize, dominant: &str) {
    let mut here = at;
    let ending_of =
        |index: usize| lines.get(index).map(|line| line.ending).filter(|ending| !ending.is_empty());
    for (tag, text) in &hunk.lines {
        match tag {
            Tag::Context => {
                ensure_newline(out, dominant);
                push_lines(out, lines.get(here..=here).unwrap_or_default());
                here += 1;
            }
            Tag::Delete => here += 1,
            Tag::Insert => {
                let ending = ending_of(here.saturating_sub(1))
                    .or_else(|| ending_of(here))
                    .unwrap_or(dominant);
                ensure_newline(out, ending);
                out.push_str(text);
                out.push_str(ending);
            }
        }
    }
}

/// A last line without a newline gets one when lines follow it.
fn ensure_newline(out: &mut String, ending: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(ending);
    }
}

/// A missing newline at the end of the file is the file's own, unless the patch says in so many
/// words that it adds or removes it.
fn settle_last_newline(after: &mut String, before: &str, hunks: &[Hunk], touches_end: bool) {
    let had_newline = before.is_empty() || before.ends_with('\n');
    let Some(last) = hunks.last().filter(|_| touches_end) else { return };
    let wanted = match (last.old_no_newline, last.new_no_newline) {
        (true, false) if !had_newline => true,
        (false, true) if had_newline => false,
        _ => had_newline,
    };
    if !wanted && after.ends_with('\n') {
        after.pop();
        if after.ends_with('\r') {
            after.pop();
        }
    } else if wanted {
        ensure_newline(after, dominant_ending(before));
    }
}

/// At most this many hunk lines take part in the search for the nearest real lines.
const NEAREST_LINES: usize = 60;

fn describe(lines: &[Line<'_>], hunk: &Hunk, index: usize, from: usize, why: NoPlace) -> HunkFault {
    let old = hunk.old_side();
    let new = hunk.new_side();
    let already = !new.is_empty()
        && lines
            .windows(new.len())
            .any(|window| window.iter().map(|line| line.text).eq(new.iter().copied()));
    let reason = match why {
        NoPlace::Ambiguous(first, second) => format!(
            "its lines stand at line {} and at line {}; more context must tell which is meant",
            first + 1,
            second + 1
        ),
        NoPlace::Missing if old.is_empty() => {
            "it has no context line, so its place cannot be known".to_owned()
        }
        NoPlace::Missing if already => "its new lines are already there".to_owned(),
        NoPlace::Missing if from > 0 => {
            format!("its context and deleted lines are not in the file after line {from}")
        }
        NoPlace::Missing => "its context and deleted lines are not in the file".to_owned(),
    };
    let (first_line, real) = nearest(lines, &old, hunk.old_start);
    HunkFault { hunk: index + 1, reason, body: hunk.body(), first_line, real }
}

/// Returns the window most like the old side, and its 1-based first line.
fn nearest(lines: &[Line<'_>], old: &[&str], stated: Option<usize>) -> (usize, Vec<String>) {
    let wanted: Vec<&str> = old.iter().take(NEAREST_LINES).map(|line| line.trim()).collect();
    let stated = stated.unwrap_or(1).max(1) - 1;
    let score = |at: usize| {
        let window = lines.get(at..).unwrap_or_default();
        wanted
            .iter()
            .zip(window)
            .filter(|(want, line)| !want.is_empty() && **want == line.text.trim())
            .count()
    };
    let best =
        (0..lines.len()).max_by_key(|at| (score(*at), std::cmp::Reverse(at.abs_diff(stated))));
    let at = best.unwrap_or(0).saturating_sub(3);
    let end = (at + old.len().min(NEAREST_LINES) + 6).min(lines.len());
    let real = lines.get(at..end).unwrap_or_default();
    (at + 1, real.iter().map(|line| line.text.to_owned()).collect())
}
