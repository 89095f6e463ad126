//! Contiguous matches: byte for byte, or except for line ends, indentation, blanks, quotes and dashes.

use super::Placement;
use super::indent::IndentShift;
use super::indent_mismatch::has_indent_mismatch;
use crate::line_roles::{HunkReading, LineRole, MarkReading};
use crate::similarity::{fold_line, indentation, is_blank, is_distinctive};
use crate::source::{SourceText, exact_key, folded_key};
use crate::splice::build_splices;
use papayu_base::domain::hunk::HunkStrategy;

/// Returns `true` if the file has the `wanted` lines at `start`, byte for byte.
pub(crate) fn matches_at(source: &SourceText<'_>, wanted: &[&str], start: usize) -> bool {
    source.lines().get(start..start.saturating_add(wanted.len())) == Some(wanted)
}

/// The places of a hunk under one strategy. Placements are built on demand, because there may be
/// thousands of places.
pub(crate) struct BlockPlaces<'r, 'a> {
    reading: &'r HunkReading<'a>,
    /// Ascending.
    found: Vec<BlockPlace>,
    pub(crate) strategy: HunkStrategy,
}

struct BlockPlace {
    start: usize,
    /// The change of indentation that new lines need there.
    shift: IndentShift,
}

impl<'a> BlockPlaces<'_, 'a> {
    /// Returns the first lines of the places, ascending.
    pub(crate) fn start_lines(&self) -> Vec<usize> {
        self.found.iter().map(|place| place.start).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Keeps the places where the first line passes.
    pub(crate) fn retain_starts(&mut self, keep: impl Fn(usize) -> bool) {
        self.found.retain(|place| keep(place.start));
    }

    /// Builds the placement with this index. `None` past the last one.
    pub(crate) fn placement_at(&self, index: usize) -> Option<Placement<'a>> {
        let place = self.found.get(index)?;
        build_placement(self.reading, place.start, self.strategy, &place.shift)
    }

    /// Builds all placements, at most `max`; none if there are more.
    pub(crate) fn all_placements(&self, max: usize) -> Vec<Placement<'a>> {
        if self.found.len() > max {
            return Vec::new();
        }
        (0..self.found.len()).filter_map(|index| self.placement_at(index)).collect()
    }
}

/// Returns every place where the old lines match byte for byte.
pub(crate) fn find_exact<'r, 'a>(
    source: &SourceText<'_>,
    reading: &'r HunkReading<'a>,
) -> BlockPlaces<'r, 'a> {
    let old = reading.old_texts();
    let keys: Vec<u64> = old.iter().map(|text| exact_key(text)).collect();
    let strategy = match reading.marks {
        MarkReading::WithoutMarks => HunkStrategy::LostMarks,
        MarkReading::AsWritten | MarkReading::WithoutTail => HunkStrategy::Offset,
    };
    let starts = source.exact_index().find_blocks(&keys).into_iter();
    let found = starts
        .filter(|start| matches_at(source, &old, *start))
        .map(|start| BlockPlace { start, shift: IndentShift::None })
        .collect();
    BlockPlaces { reading, found, strategy }
}

/// Builds the placement of a hunk with old lines that match the block at the line `start`, from 0. Returns `None` if a
/// new line cannot be indented by the rule.
pub(crate) fn build_placement<'a>(
    reading: &HunkReading<'a>,
    start: usize,
    strategy: HunkStrategy,
    shift: &IndentShift,
) -> Option<Placement<'a>> {
    let map: Vec<usize> = (start..start + reading.old_texts().len()).collect();
    Some(Placement { start, strategy, splices: build_splices(reading, &map, shift)? })
}

/// A line of the hunk and the line of the file at its place.
struct LinePair<'a> {
    role: LineRole,
    hunk: &'a str,
    file: &'a str,
}

impl LinePair<'_> {
    fn has_same_indent(&self) -> bool {
        indentation(self.hunk) == indentation(self.file)
    }
}

/// Returns every place where the folded old lines match, under the strictest strategy that has any.
pub(crate) fn find_folded<'r, 'a>(
    source: &SourceText<'_>,
    reading: &'r HunkReading<'a>,
) -> BlockPlaces<'r, 'a> {
    let old = reading.old_lines();
    let mut buffer = Vec::new();
    let keys: Vec<u64> = old.iter().map(|line| folded_key(line.text, &mut buffer)).collect();
    let mut strategy = HunkStrategy::Spelling;
    let mut found = Vec::new();
    for start in source.folded_index().find_blocks(&keys) {
        let pairs: Vec<LinePair<'_>> = (start..)
            .zip(&old)
            .map(|(at, line)| LinePair { role: line.role, hunk: line.text, file: source.line(at) })
            .collect();
        let Some((own, shift)) = classify_block(&pairs) else { continue };
        let map: Vec<usize> = (start..start + old.len()).collect();
        if own > strategy
            || (own == HunkStrategy::Spelling && has_indent_mismatch(source, reading, &map))
        {
            continue;
        }
        if own < strategy {
            strategy = own;
            found.clear();
        }
        found.push(BlockPlace { start, shift });
    }
    BlockPlaces { reading, found, strategy }
}

/// Returns the strategy under which lines with equal folded forms match, and the indentation of new
/// lines; `None` if that indentation is uncertain.
fn classify_block(pairs: &[LinePair<'_>]) -> Option<(HunkStrategy, IndentShift)> {
    let texts: Vec<_> = pairs.iter().map(|pair| (pair.hunk, pair.file)).collect();
    match IndentShift::between_pairs(&texts) {
        Some(IndentShift::None) => return Some((HunkStrategy::TrailingSpace, IndentShift::None)),
        Some(shift) => return Some((HunkStrategy::Indent, shift)),
        None => {}
    }
    // Different lines may have equal hashes.
    if pairs.iter().any(|pair| fold_line(pair.hunk) != fold_line(pair.file)) {
        return None;
    }
    let pairs: Vec<&LinePair<'_>> = pairs.iter().filter(|pair| !is_blank(pair.hunk)).collect();
    let mut deleted = pairs.iter().filter(|pair| pair.role == LineRole::Delete).peekable();
    // The author saw the deleted lines as they are, so the new lines are indented as intended.
    let intended = deleted.peek().is_some() && deleted.all(|pair| pair.has_same_indent());
    let context: Vec<_> = pairs
        .iter()
        .filter(|pair| pair.role == LineRole::Context)
        .map(|pair| (pair.hunk, pair.file))
        .collect();
    let shifted = pairs.iter().filter(|pair| !pair.has_same_indent()).count();
    // A `}` or an `end` with another indentation is a different line.
    let moved_bracket =
        pairs.iter().any(|pair| !is_distinctive(pair.hunk) && !pair.has_same_indent());
    let certain = if intended {
        !moved_bracket || IndentShift::between_pairs(&context).is_some()
    } else {
        !moved_bracket && is_mostly_kept(pairs.len(), shifted)
    };
    certain.then_some((HunkStrategy::Spelling, IndentShift::None))
}

/// Returns `true` if so few lines are indented differently that new lines are indented as intended.
pub(crate) fn is_mostly_kept(all: usize, shifted: usize) -> bool {
    shifted <= 1 && all > 1 || shifted * 2 < all
}
