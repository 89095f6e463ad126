//! All old lines one after another: to the letter, up to blanks at line ends, up to indentation, or
//! up to blanks, quotes and dashes.

use super::Placement;
use super::indent::IndentShift;
use super::indent_mismatch::is_astray;
use crate::domain::hunk::HunkStrategy;
use crate::patch::line_roles::{HunkReading, LineRole, MarkReading};
use crate::patch::similarity::{fold_line, indentation, is_blank, is_telling};
use crate::patch::source::{SourceText, exact_key, folded_key};
use crate::patch::splice::build_splices;

/// Tells whether the old lines stand at `start` to the letter.
pub(in crate::patch) fn stands_at(
    source: &SourceText<'_>,
    old: &[(LineRole, &str)],
    start: usize,
) -> bool {
    let window = source.lines().get(start..start.saturating_add(old.len()));
    window.is_some_and(|window| window.iter().zip(old).all(|(line, (_, wanted))| line == wanted))
}

/// Places of a hunk on one strategy, not yet worked out.
pub(in crate::patch) struct BlockPlaces<'r, 'a> {
    reading: &'r HunkReading<'a>,
    /// The file's lines, ascending, with what has to be done to new lines there.
    found: Vec<(usize, IndentShift)>,
    pub(in crate::patch) strategy: HunkStrategy,
}

impl<'a> BlockPlaces<'_, 'a> {
    /// Returns the lines of the places, ascending.
    pub(in crate::patch) fn start_lines(&self) -> Vec<usize> {
        self.found.iter().map(|(start, _)| *start).collect()
    }

    pub(in crate::patch) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Keeps the places at lines that pass.
    pub(in crate::patch) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        self.found.retain(|(start, _)| keep(*start));
    }

    /// Works out the place with this index.
    pub(in crate::patch) fn fit_at(&self, index: usize) -> Option<Placement<'a>> {
        let (start, shift) = self.found.get(index)?;
        build_fit(self.reading, *start, (self.strategy, shift))
    }

    /// Works out all places, or none of more than `most`.
    pub(in crate::patch) fn first_fits(&self, most: usize) -> Vec<Placement<'a>> {
        if self.found.len() > most {
            return Vec::new();
        }
        (0..self.found.len()).filter_map(|index| self.fit_at(index)).collect()
    }
}

/// Returns every place where the old lines stand to the letter.
pub(in crate::patch) fn find_exact<'r, 'a>(
    source: &SourceText<'_>,
    reading: &'r HunkReading<'a>,
) -> BlockPlaces<'r, 'a> {
    let old = reading.old_lines();
    let keys: Vec<u64> = old.iter().map(|(_, text)| exact_key(text)).collect();
    let strategy = if reading.how == MarkReading::WithoutMarks {
        HunkStrategy::LostMarks
    } else {
        HunkStrategy::Offset
    };
    let starts = source.exact_index().find_blocks(&keys).into_iter();
    let found = starts.filter(|start| stands_at(source, &old, *start));
    BlockPlaces {
        reading,
        found: found.map(|start| (start, IndentShift::None)).collect(),
        strategy,
    }
}

/// Makes the fit of lines that stand one after another from `start` on.
pub(in crate::patch) fn build_fit<'a>(
    reading: &HunkReading<'a>,
    start: usize,
    (strategy, shift): (HunkStrategy, &IndentShift),
) -> Option<Placement<'a>> {
    let map: Vec<usize> = (start..start + reading.old_lines().len()).collect();
    Some(Placement { start, strategy, splices: build_splices(reading, &map, shift)? })
}

/// Returns every place where the old lines stand but for blanks, quotes and dashes: those of the
/// strictest strategy that has any.
pub(in crate::patch) fn find_folded<'r, 'a>(
    source: &SourceText<'_>,
    reading: &'r HunkReading<'a>,
) -> BlockPlaces<'r, 'a> {
    let old = reading.old_lines();
    let mut buffer = Vec::new();
    let keys: Vec<u64> = old.iter().map(|(_, text)| folded_key(text, &mut buffer)).collect();
    let mut ruled: Vec<(usize, (HunkStrategy, IndentShift))> = Vec::new();
    for start in source.folded_index().find_blocks(&keys) {
        let pairs: Vec<_> = (start..)
            .zip(&old)
            .map(|(line, (tag, text))| (*tag, *text, source.line(line)))
            .collect();
        let map: Vec<usize> = (start..start + old.len()).collect();
        let known = |(strategy, _): &(HunkStrategy, IndentShift)| {
            *strategy != HunkStrategy::Spelling || !is_astray(source, reading, &map)
        };
        ruled.extend(shared_rule(&pairs).filter(known).map(|rule| (start, rule)));
    }
    let strategy =
        ruled.iter().map(|(_, (strategy, _))| *strategy).min().unwrap_or(HunkStrategy::Spelling);
    ruled.retain(|(_, (own, _))| *own == strategy);
    BlockPlaces {
        reading,
        found: ruled.into_iter().map(|(start, (_, shift))| (start, shift)).collect(),
        strategy,
    }
}

/// Returns how lines differ that are alike when folded: `None` where the new lines' indentation
/// cannot be known.
fn shared_rule(pairs: &[(LineRole, &str, &str)]) -> Option<(HunkStrategy, IndentShift)> {
    let texts: Vec<_> = pairs.iter().map(|(_, hunk, file)| (*hunk, *file)).collect();
    match IndentShift::between_pairs(&texts) {
        Some(IndentShift::None) => return Some((HunkStrategy::TrailingSpace, IndentShift::None)),
        Some(shift) => return Some((HunkStrategy::Indent, shift)),
        None => {}
    }
    // The keys may be alike by chance.
    if pairs.iter().any(|(_, hunk, file)| fold_line(hunk) != fold_line(file)) {
        return None;
    }
    let told = || pairs.iter().filter(|(_, hunk, _)| !is_blank(hunk));
    let kept = |(_, hunk, file): &&(LineRole, &str, &str)| indentation(hunk) == indentation(file);
    let deleted = || told().filter(|(tag, ..)| *tag == LineRole::Delete);
    let context =
        told().filter(|(tag, ..)| *tag == LineRole::Context).map(|(_, hunk, file)| (*hunk, *file));
    let retabbed = deleted().next().is_some()
        && deleted().all(|pair| kept(&pair))
        && IndentShift::between_pairs(&context.collect::<Vec<_>>()).is_some();
    if retabbed {
        return Some((HunkStrategy::Spelling, IndentShift::None));
    }
    // A `}` or an `end` at another depth is another one.
    if told().any(|pair| !is_telling(pair.1) && !kept(&pair)) {
        return None;
    }
    let sure = deleted().next().is_some() && deleted().all(|pair| kept(&pair));
    let (all, shifted) = (told().count(), told().filter(|pair| !kept(pair)).count());
    (sure || mostly_kept(all, shifted)).then_some((HunkStrategy::Spelling, IndentShift::None))
}

/// Tells whether so few lines are indented otherwise that it is a slip, and new lines are as meant.
pub(in crate::patch) fn mostly_kept(all: usize, shifted: usize) -> bool {
    shifted <= 1 && all > 1 || shifted * 2 < all
}
