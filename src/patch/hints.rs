//! Which of several places of a hunk is meant, if that can be known.

use super::similarity::{indentation, is_telling};
use super::source::SourceText;

/// What a hunk says about its place besides its lines; lines from 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaceHints<'a> {
    /// Where the header says that it stands.
    pub(super) stated: Option<usize>,
    /// The same, moved as the hunk before it turned out to be moved.
    pub(super) moved: Option<usize>,
    /// The line of the definition that the header names.
    pub(super) section: &'a str,
    /// The number is one that models write for want of a better, so that near it means nothing.
    pub(super) vague: bool,
}

/// Which place is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceChoice {
    /// There is none.
    None,
    /// The one with this index.
    One(usize),
    /// These lines are equally good.
    Tie(usize, usize),
}

/// A line number this far off still counts, when it is the nearest by far.
const NEAR: usize = 30;
/// More places than this are not looked at for their definition.
pub(super) const MOST_PLACES: usize = 32;
/// How many times farther the next place must be.
const BY_FAR: usize = 3;

impl PlaceHints<'_> {
    /// Returns the lines that the header names.
    pub(super) fn stated_lines(&self) -> Vec<usize> {
        let moved = self.moved.filter(|moved| Some(*moved) != self.stated);
        self.stated.into_iter().chain(moved).collect()
    }

    /// Returns how far a line is from where the header says.
    pub(super) fn distance_to(&self, line: usize) -> Option<usize> {
        self.stated_lines().into_iter().map(|hint| hint.abs_diff(line)).min()
    }

    /// Chooses among places, ascending: the only one; or the one the number means, when it is there or
    /// nearer by far than any other; or the only one in the definition that the header names.
    pub(super) fn choose_place(&self, source: &SourceText<'_>, places: &[usize]) -> PlaceChoice {
        match places {
            [] => return PlaceChoice::None,
            [_] => return PlaceChoice::One(0),
            _ => {}
        }
        let mut near: Vec<(usize, usize)> = Vec::new();
        for (index, place) in places.iter().enumerate() {
            near.extend(self.distance_to(*place).map(|distance| (distance, index)));
        }
        near.sort_unstable();
        if let [(nearest, index), (second, _), ..] = *near.as_slice()
            && nearest < second
            && (nearest == 0 || (!self.vague && nearest < NEAR && second >= nearest * BY_FAR))
        {
            return PlaceChoice::One(index);
        }
        let ask = self.names_definition() && places.len() <= MOST_PLACES;
        let mut inside = places
            .iter()
            .enumerate()
            .filter(|_| ask)
            .filter(|(_, place)| self.is_inside(source, **place));
        if let (Some((index, _)), None) = (inside.next(), inside.next()) {
            return PlaceChoice::One(index);
        }
        let tied = |index: usize| {
            near.get(index)
                .and_then(|(_, index)| places.get(*index))
                .or_else(|| places.get(index))
                .copied()
        };
        let (one, two) = (tied(0).unwrap_or_default(), tied(1).unwrap_or_default());
        PlaceChoice::Tie(one.min(two), one.max(two))
    }

    /// Tells whether the header names a definition.
    pub(super) fn names_definition(&self) -> bool {
        is_telling(self.section)
    }

    /// Tells whether a place is in the definition that the header names: going up from it, nothing else
    /// is defined at that depth before that line.
    pub(super) fn is_inside(&self, source: &SourceText<'_>, place: usize) -> bool {
        let names = |line: &str| line.trim_start().starts_with(self.section);
        let Some(head) = (0..place).rev().find(|line| names(source.line(*line))) else {
            return false;
        };
        let depth = indentation(source.line(head)).len();
        (head + 1..place).all(|line| {
            let text = source.line(line);
            indentation(text).len() > depth || !text.contains(char::is_alphanumeric)
        })
    }

    /// Tells whether a place is surely not in the definition that the header names: that begins below
    /// it, or another of its kind at its depth begins in between.
    pub(super) fn is_outside(&self, source: &SourceText<'_>, place: usize) -> bool {
        let names = |line: &str| line.trim_start().starts_with(self.section);
        let Some(head) = (0..place).rev().find(|line| names(source.line(*line))) else {
            return true;
        };
        let depth = indentation(source.line(head));
        let kind = self.section.split_whitespace().next();
        (head + 1..place)
            .map(|line| source.line(line))
            .any(|line| indentation(line) == depth && line.split_whitespace().next() == kind)
    }
}
