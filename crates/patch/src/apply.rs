//! Application of a unified diff to one text: all hunks are placed in the old text, or none is applied.

use super::PatchFault;
use super::fault::describe_fault;
use super::hints::PlaceHints;
use super::hunk::Hunk;
use super::order::choose_ascending;
use super::parse::{FileSection, ParsedPatch, parse_patch};
use super::search::{PlaceFault, find_place, read_as_written};
use super::source::SourceText;
use super::splice::{Splice, render_splices, set_final_newline};
use super::strategy::{Placement, escape};
use papayu_base::domain::hunk::{HunkFault, HunkStrategy};

/// A text with a patch applied.
/// Returned by [`apply_patch`] only if every hunk has a certain place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedText {
    /// The new text.
    pub after: String,
    /// The strategy that placed each hunk, in the order of the patch. Hunks without a change have none.
    pub strategies: Vec<HunkStrategy>,
    /// Other files of the patch, by the names it gives them. Their hunks are not applied.
    pub others: Vec<String>,
}

/// Applies the hunks of a unified diff for `path` to the text `before`.
///
/// Line numbers and counts in the headers are hints only. The text keeps its line endings and its
/// final newline, unless the patch has a `\ No newline at end of file` line. The same input always gives
/// the same result.
///
/// # Errors
///
/// Fails if the patch is not a unified diff of this file, or with [`PatchFault::Hunk`] for the
/// hunks that have no certain place. No hunk is applied then.
///
/// # Examples
///
/// ```
/// use papayu_patch::apply_patch;
///
/// let patch = "@@ -7,2 +7,2 @@\n fn add(a: i32) {\n-    a - 1\n+    a + 1\n";
/// let patched = apply_patch("fn add(a: i32) {\n    a - 1\n}\n", patch, "src/lib.rs")?;
/// assert_eq!(patched.after, "fn add(a: i32) {\n    a + 1\n}\n");
/// assert_eq!(patched.strategies[0].name(), "offset");
/// # Ok::<(), papayu_patch::PatchFault>(())
/// ```
pub fn apply_patch(before: &str, patch: &str, path: &str) -> Result<PatchedText, PatchFault> {
    // The lines are split once for all hunks.
    let source = SourceText::new(before);
    let ParsedPatch { section, others } = parse_patch(patch, path)?;
    // Some models escape the text of a patch twice; the unescaped patch is parsed as a whole.
    let mut patched = match escape::unescape_patch(patch, &section, &source) {
        Some(patch) => {
            let mut patched = apply_section(&source, &parse_patch(&patch, path)?.section)?;
            for strategy in &mut patched.strategies {
                // The trace names the loosest step that was needed.
                *strategy = HunkStrategy::Unescaped.max(*strategy);
            }
            patched
        }
        None => apply_section(&source, &section)?,
    };
    patched.others = others;
    Ok(patched)
}

/// Applies the hunks of one file to a text: all hunks are placed on the original text first, then
/// spliced in one pass.
///
/// No hunk sees the result of another, so the line numbers of later hunks need no correction.
fn apply_section(
    source: &SourceText<'_>,
    section: &FileSection<'_>,
) -> Result<PatchedText, PatchFault> {
    // A patch from `/dev/null` must not replace a file.
    if section.creates && source.len() > 0 {
        return Err(PatchFault::CreatesFile);
    }
    let hunks = &section.hunks;
    let placed = place_hunks(source, hunks)?;
    let strategies = placed.iter().map(|placed| placed.placement.strategy).collect();
    let sorted = sort_splices(hunks, placed).map_err(|overlap| {
        hunk_fault(source, hunks, overlap.hunk, &PlaceFault::Overlaps(overlap.other))
    })?;
    // The last hunk in the file and not in the patch: hunks may be in any order.
    let last_hunk = sorted.last().and_then(|last| hunks.get(last.hunk));
    let splices: Vec<Splice<'_>> = sorted.iter().map(|sorted| sorted.splice.clone()).collect();
    let mut after = render_splices(source, &splices);
    let newline = wants_final_newline(source, last_hunk);
    set_final_newline(&mut after, source, splices.last(), newline);
    // A patch that only repeats the file is an error, so that it does not count as an attempt.
    if after == source.text() {
        return Err(PatchFault::ChangesNothing);
    }
    Ok(PatchedText { after, strategies, others: Vec::new() })
}

/// Returns the error of one hunk with the lines that the model needs to correct it.
fn hunk_fault(
    source: &SourceText<'_>,
    hunks: &[Hunk<'_>],
    index: usize,
    fault: &PlaceFault<'_>,
) -> PatchFault {
    PatchFault::Hunk(Box::new(describe_hunk(source, hunks, index, fault)), Vec::new())
}

fn describe_hunk(
    source: &SourceText<'_>,
    hunks: &[Hunk<'_>],
    index: usize,
    fault: &PlaceFault<'_>,
) -> HunkFault {
    // An index out of range is impossible; the empty hunk keeps the function total.
    let hunk = hunks.get(index).cloned().unwrap_or_default();
    describe_fault(source, &hunk, index, fault)
}

/// A hunk, by its index, and its place.
struct PlacedHunk<'a> {
    hunk: usize,
    placement: Placement<'a>,
}

/// A hunk, by its index, and its possible places.
/// More than one only in a patch without line numbers.
struct HunkCandidates<'a> {
    hunk: usize,
    placements: Vec<Placement<'a>>,
}

/// The first hunk with several places, and two of their lines.
/// Reported if no order of the hunks resolves it.
struct FirstTie {
    hunk: usize,
    first: usize,
    second: usize,
}

/// Finds the place of every hunk that changes something.
///
/// # Errors
///
/// [`PatchFault::Hunk`] for all hunks without a place, and [`PatchFault::ChangesNothing`]
/// if no hunk changes a line.
fn place_hunks<'a>(
    source: &SourceText<'_>,
    hunks: &[Hunk<'a>],
) -> Result<Vec<PlacedHunk<'a>>, PatchFault> {
    let mut candidates: Vec<HunkCandidates<'a>> = Vec::with_capacity(hunks.len());
    let mut tie = None;
    // All are collected, so that one repair corrects them all.
    let mut faults = Vec::new();
    // The error in the line number of the previous hunk.
    let mut moved = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let written = match read_as_written(source, hunk) {
            Ok(written) => written,
            Err(fault) => {
                faults.push(describe_hunk(source, hunks, index, &fault));
                continue;
            }
        };
        // A hunk of context only is an anchor for its reader.
        if !written.changes_text() {
            continue;
        }
        // Headers count lines from 1, the code from 0.
        let stated = hunk.stated.map(|line| line.saturating_sub(1));
        // The error of the previous hunk predicts that of the next one: models add up lost
        // lines.
        let hints = PlaceHints {
            stated,
            moved: stated.and_then(|line| line.checked_add_signed(moved)),
            section: hunk.section,
            vague: has_vague_number(hunks, hunk),
        };
        match find_place(source, hunk, &hints) {
            Ok(mut placement) => {
                // A pure insertion is numbered by the line above it, so its number does not describe the error.
                if let Some(stated) = stated.filter(|_| hunk.count_sides().old > 0) {
                    moved = placement.start.cast_signed() - stated.cast_signed();
                }
                // The strategy is a statistic of the trace: an offset of zero is exact.
                if Some(placement.start) == stated && placement.strategy == HunkStrategy::Offset {
                    placement.strategy = HunkStrategy::Exact;
                }
                candidates.push(HunkCandidates { hunk: index, placements: vec![placement] });
            }
            // Without any line numbers, the order of the hunks may leave one place for each.
            Err(PlaceFault::Ambiguous { first, second, placements })
                if !placements.is_empty() && hunks.iter().all(|hunk| hunk.stated.is_none()) =>
            {
                tie = tie.or(Some(FirstTie { hunk: index, first, second }));
                candidates.push(HunkCandidates { hunk: index, placements });
            }
            Err(fault) => faults.push(describe_hunk(source, hunks, index, &fault)),
        }
    }
    if !faults.is_empty() {
        let first = faults.remove(0);
        return Err(PatchFault::Hunk(Box::new(first), faults));
    }
    // Only now, because one wrong number makes the numbers of all hunks doubtful.
    refuse_misplaced(source, hunks, &candidates)?;
    if candidates.is_empty() {
        return Err(PatchFault::ChangesNothing);
    }
    choose_candidates(source, hunks, candidates, tie.as_ref())
}

/// Chooses one place for each hunk that has several, so that the hunks are in the order of the
/// patch and do not overlap. Exactly one such choice must exist.
fn choose_candidates<'a>(
    source: &SourceText<'_>,
    hunks: &[Hunk<'_>],
    candidates: Vec<HunkCandidates<'a>>,
    tie: Option<&FirstTie>,
) -> Result<Vec<PlacedHunk<'a>>, PatchFault> {
    let indexes: Vec<usize> = candidates.iter().map(|candidates| candidates.hunk).collect();
    // Indexes and places are separated, because the choice consumes the places.
    let places: Vec<Vec<Placement<'a>>> =
        candidates.into_iter().map(|candidates| candidates.placements).collect();
    let chosen = match tie {
        None => places.into_iter().flatten().collect(),
        // The tie is still unresolved if no choice or more than one is possible.
        Some(&FirstTie { hunk, first, second }) => choose_ascending(&places).ok_or_else(|| {
            let placements = Vec::new();
            hunk_fault(source, hunks, hunk, &PlaceFault::Ambiguous { first, second, placements })
        })?,
    };
    let placed = indexes.into_iter().zip(chosen);
    Ok(placed.map(|(hunk, placement)| PlacedHunk { hunk, placement }).collect())
}

/// Returns `true` if the line number of a hunk is a placeholder: 0, 1, or the same for every hunk.
fn has_vague_number(hunks: &[Hunk<'_>], hunk: &Hunk<'_>) -> bool {
    let same = hunks.len() > 1 && hunks.iter().all(|other| other.stated == hunk.stated);
    // Lines 0 and 1 are the defaults of models that do not count.
    same || hunk.stated.is_some_and(|line| line < 2)
}

/// Refuses an insertion placed by its line number alone if the number of another hunk is wrong.
fn refuse_misplaced(
    source: &SourceText<'_>,
    hunks: &[Hunk<'_>],
    candidates: &[HunkCandidates<'_>],
) -> Result<(), PatchFault> {
    let is_insertion =
        |index: usize| hunks.get(index).is_some_and(|hunk| hunk.count_sides().old == 0);
    let insertion = candidates.iter().find(|candidates| is_insertion(candidates.hunk));
    // In an empty file every place is line 1.
    let Some(insertion) = insertion.filter(|_| source.len() > 0) else { return Ok(()) };
    for HunkCandidates { hunk, placements } in candidates {
        let stated = hunks.get(*hunk).and_then(|hunk| hunk.stated);
        // Only hunks with one place reach this in a patch with numbers.
        let found = placements.first().map(|placement| placement.start + 1);
        if !is_insertion(*hunk) && stated.is_some() && found.is_some() && stated != found {
            return Err(hunk_fault(source, hunks, insertion.hunk, &PlaceFault::NoContext));
        }
    }
    Ok(())
}

/// A splice and the index of its hunk.
struct HunkSplice<'a> {
    hunk: usize,
    splice: Splice<'a>,
}

/// Two hunks, by their indexes, that change the same lines; `hunk` is the later one.
struct Overlap {
    hunk: usize,
    other: usize,
}

/// Returns all splices in file order.
fn sort_splices<'a>(
    hunks: &[Hunk<'_>],
    placed: Vec<PlacedHunk<'a>>,
) -> Result<Vec<HunkSplice<'a>>, Overlap> {
    let mut splices: Vec<HunkSplice<'a>> = Vec::new();
    for PlacedHunk { hunk, placement } in placed {
        // A hunk has a splice for each run of changed lines.
        splices.extend(placement.splices.into_iter().map(|splice| HunkSplice { hunk, splice }));
    }
    // The index decides between equal ranges, so that the result does not depend on the sort.
    splices.sort_by_key(|one| (one.splice.at.start, one.splice.at.end, one.hunk));
    // A hunk that the patch repeats is applied once.
    splices.dedup_by(|one, kept| {
        one.splice == kept.splice
            && one.hunk != kept.hunk
            && hunks.get(one.hunk).map(|hunk| &hunk.rows)
                == hunks.get(kept.hunk).map(|hunk| &hunk.rows)
    });
    // Sorted by their starts, so that only neighbours can overlap.
    for pair in splices.windows(2) {
        let [one, two] = pair else { continue };
        let (first, second) = (&one.splice.at, &two.splice.at);
        // Two insertions at one line have no order.
        if first.end > second.start || (first.is_empty() && first == second) {
            return Err(Overlap { hunk: one.hunk.max(two.hunk), other: one.hunk.min(two.hunk) });
        }
    }
    Ok(splices)
}

/// Returns `true` if the new text ends with a newline: as the file does, unless the last hunk adds or
/// removes it explicitly.
fn wants_final_newline(source: &SourceText<'_>, hunk: Option<&Hunk<'_>>) -> bool {
    // `\ No newline at end of file` on one side only is an explicit change.
    match hunk.map(|hunk| (hunk.old_no_newline, hunk.new_no_newline)) {
        Some((true, false)) => true,
        Some((false, true)) => false,
        _ => source.ends_with_newline(),
    }
}
