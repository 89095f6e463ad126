//! Lands a patch on a text: every hunk finds its place in the text as it was, then all are made, or none.

use super::PatchFault;
use super::fault::describe_fault;
use super::hints::PlaceHints;
use super::order::choose_ascending;
use super::parse::{FileSection, Hunk, ParsedPatch, parse_patch};
use super::search::{PlaceFault, as_written, find_place};
use super::source::SourceText;
use super::splice::{Splice, end_as, render_splices};
use super::strategy::{Placement, escape};
use crate::domain::hunk::HunkStrategy;

/// A text with every hunk landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedText {
    /// The new text.
    pub after: String,
    /// How each hunk landed, in order.
    pub strategies: Vec<HunkStrategy>,
    /// Files that the patch also changes, by the names it gives them; nothing of theirs is in `after`.
    pub others: Vec<String>,
}

/// Lands the hunks that a unified diff has for `path` on the text it was made for, all or none.
///
/// The same input always gives the same result. Line ends and a missing last newline are the text's
/// own. The fault names the first hunk, in the order of the patch, that has no place.
pub fn apply_patch(before: &str, patch: &str, path: &str) -> Result<PatchedText, PatchFault> {
    let source = SourceText::new(before);
    let ParsedPatch { section, others } = parse_patch(patch, path)?;
    let mut landed = match escape::unescape_patch(patch, &section, &source) {
        Some(patch) => {
            let mut landed = place_hunks(&source, &parse_patch(&patch, path)?.section)?;
            landed
                .strategies
                .iter_mut()
                .for_each(|strategy| *strategy = HunkStrategy::Unescaped.max(*strategy));
            landed
        }
        None => place_hunks(&source, &section)?,
    };
    landed.others = others;
    Ok(landed)
}

fn place_hunks(
    source: &SourceText<'_>,
    section: &FileSection<'_>,
) -> Result<PatchedText, PatchFault> {
    if section.creates && source.len() > 0 {
        return Err(PatchFault::CreatesFile);
    }
    let hunks = &section.hunks;
    let fits = place_all(source, hunks)?;
    let strategies = fits.iter().map(|(_, fit)| fit.strategy).collect();
    let made = in_order(hunks, fits)
        .map_err(|(index, other)| hunk_fault(source, hunks, index, &PlaceFault::Overlaps(other)))?;
    let splices: Vec<Splice<'_>> = made.iter().map(|(_, splice)| splice.clone()).collect();
    let mut after = render_splices(source, &splices);
    let hunk = made.last().and_then(|(index, _)| hunks.get(*index));
    end_as(&mut after, source, splices.last(), ends_line(source, hunk));
    if after == source.text() {
        return Err(PatchFault::ChangesNothing);
    }
    Ok(PatchedText { after, strategies, others: Vec::new() })
}

fn hunk_fault(
    source: &SourceText<'_>,
    hunks: &[Hunk<'_>],
    index: usize,
    why: &PlaceFault<'_>,
) -> PatchFault {
    let hunk = hunks.get(index).cloned().unwrap_or_default();
    PatchFault::Hunk(Box::new(describe_fault(source, &hunk, index, why)))
}

/// A hunk's index with its place.
type Placed<'a> = (usize, Placement<'a>);

/// Finds the place of every hunk that changes something.
fn place_all<'a>(
    source: &SourceText<'_>,
    hunks: &[Hunk<'a>],
) -> Result<Vec<Placed<'a>>, PatchFault> {
    let mut places: Vec<(usize, Vec<Placement<'a>>)> = Vec::with_capacity(hunks.len());
    let mut tie = None;
    let mut moved = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let fault = |why: PlaceFault<'_>| hunk_fault(source, hunks, index, &why);
        if !as_written(source, hunk).map_err(fault)?.changes_text() {
            continue;
        }
        let stated = hunk.stated.map(|line| line.saturating_sub(1));
        let drifted = stated.and_then(|line| line.checked_add_signed(moved));
        let hints = PlaceHints {
            stated,
            moved: drifted,
            section: hunk.section,
            vague: has_vague_numbers(hunks, hunk),
        };
        match find_place(source, hunk, &hints) {
            Ok(fit) => {
                // Lines that only come are numbered by the line above them.
                if let Some(stated) = stated.filter(|_| hunk.count_sides().0 > 0) {
                    moved = fit.start.cast_signed() - stated.cast_signed();
                }
                let at_stated = Some(fit.start) == stated && fit.strategy == HunkStrategy::Offset;
                let strategy = if at_stated { HunkStrategy::Exact } else { fit.strategy };
                places.push((index, vec![Placement { strategy, ..fit }]));
            }
            Err(PlaceFault::Ambiguous { lines, fits })
                if !fits.is_empty() && hunks.iter().all(|hunk| hunk.stated.is_none()) =>
            {
                tie = tie.or(Some((index, lines)));
                places.push((index, fits));
            }
            Err(why) => return Err(fault(why)),
        }
    }
    find_misplaced(source, hunks, &places)?;
    let (indexes, fits): (Vec<usize>, Vec<Vec<Placement<'a>>>) = places.into_iter().unzip();
    let chosen = match tie {
        None => fits.into_iter().flatten().collect(),
        Some((index, lines)) => choose_ascending(&fits).ok_or_else(|| {
            hunk_fault(source, hunks, index, &PlaceFault::Ambiguous { lines, fits: Vec::new() })
        })?,
    };
    if indexes.is_empty() {
        return Err(PatchFault::ChangesNothing);
    }
    Ok(indexes.into_iter().zip::<Vec<_>>(chosen).collect())
}

/// Tells whether a hunk's number is one that models write for want of a better: 0 or 1, or that of
/// every hunk.
fn has_vague_numbers(hunks: &[Hunk<'_>], hunk: &Hunk<'_>) -> bool {
    let same = hunks.len() > 1 && hunks.iter().all(|other| other.stated == hunk.stated);
    same || hunk.stated.is_some_and(|line| line < 2)
}

/// Refuses new lines put at a number alone, where the number of another hunk is wrong.
fn find_misplaced(
    source: &SourceText<'_>,
    hunks: &[Hunk<'_>],
    places: &[(usize, Vec<Placement<'_>>)],
) -> Result<(), PatchFault> {
    let bare = |index: usize| hunks.get(index).is_some_and(|hunk| hunk.count_sides().0 == 0);
    let Some((alone, _)) = places.iter().find(|(index, _)| bare(*index)) else { return Ok(()) };
    let wrong = |(index, fits): &(usize, Vec<Placement<'_>>)| {
        let stated = hunks.get(*index).and_then(|hunk| hunk.stated);
        let start = fits.first().map(|fit| fit.start + 1);
        !bare(*index) && stated.zip(start).is_some_and(|(stated, start)| stated != start)
    };
    if source.len() > 0 && places.iter().any(wrong) {
        return Err(hunk_fault(source, hunks, *alone, &PlaceFault::NoContext));
    }
    Ok(())
}

/// A splice with the hunk it is of.
type Made<'a> = (usize, Splice<'a>);

/// Puts all splices in the order of the text; the error names two hunks that overlap.
fn in_order<'a>(
    hunks: &[Hunk<'_>],
    fits: Vec<Placed<'a>>,
) -> Result<Vec<Made<'a>>, (usize, usize)> {
    let mut splices: Vec<Made<'a>> = Vec::new();
    for (index, fit) in fits {
        splices.extend(fit.splices.into_iter().map(|splice| (index, splice)));
    }
    splices.sort_by_key(|(index, splice)| (splice.at.start, splice.at.end, *index));
    let rows = |index: usize| hunks.get(index).map(|hunk| &hunk.rows);
    // A hunk that is written twice is made once.
    splices.dedup_by(|(one, splice), (other, kept)| {
        splice == kept && one != other && rows(*one) == rows(*other)
    });
    for pair in splices.windows(2) {
        let [(one, first), (two, second)] = pair else { continue };
        let same_point = first.at.is_empty() && second.at == first.at;
        if first.at.end > second.at.start || same_point {
            return Err((*one.max(two), *one.min(two)));
        }
    }
    Ok(splices)
}

/// Tells whether the new text ends its last line: as the file does, unless the hunk there says in so
/// many words that it adds or removes that end.
fn ends_line(source: &SourceText<'_>, hunk: Option<&Hunk<'_>>) -> bool {
    match hunk.map(|hunk| (hunk.old_no_newline, hunk.new_no_newline)) {
        Some((true, false)) => true,
        Some((false, true)) => false,
        _ => source.ends_line(),
    }
}
