//! Choice of the intended place among several, by line number and by the named definition.

use super::similarity::{indentation, is_distinctive};
use super::source::SourceText;

/// The information of a hunk header about its place. Line numbers are 0-based.
/// All of it may be wrong: models count lines badly.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaceHints<'a> {
    /// The line of the header.
    pub(super) stated: Option<usize>,
    /// The same line, shifted by the error in the line of the previous hunk.
    pub(super) moved: Option<usize>,
    /// The line of the definition that the header names; may be empty.
    pub(super) section: &'a str,
    /// The number is a placeholder that models write, so being near it means nothing.
    pub(super) vague: bool,
}

/// The result of [`PlaceHints::choose_place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceChoice {
    /// There is no place.
    None,
    /// The place with this index.
    One(usize),
    /// The places at these two lines are equally likely.
    Tie(usize, usize),
}

/// The largest distance in lines at which the nearest place is chosen.
const NEAR: usize = 30;
// Each comparison reads the lines above the place.
/// More places than this are not compared with the named definition.
pub(super) const MAX_PLACES: usize = 32;
/// The next place must be at least this many times farther away than the nearest.
const DISTANCE_RATIO: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    lines: usize,
    index: usize,
}

impl PlaceHints<'_> {
    /// Returns the lines that the header may mean.
    pub(super) fn stated_lines(&self) -> Vec<usize> {
        // Without an error of the previous hunk both are the same line.
        let moved = self.moved.filter(|moved| Some(*moved) != self.stated);
        self.stated.into_iter().chain(moved).collect()
    }

    /// Returns the distance in lines from the stated line; `None` without a stated line.
    pub(super) fn distance_to(&self, line: usize) -> Option<usize> {
        self.stated_lines().into_iter().map(|hint| hint.abs_diff(line)).min()
    }

    /// Chooses among places, given in ascending order.
    ///
    /// A single place is chosen as it is. Of several, the place at the stated line is chosen, then one
    /// that is much nearer to it than all others, then the only one in the named definition.
    pub(super) fn choose_place(&self, source: &SourceText<'_>, places: &[usize]) -> PlaceChoice {
        match places {
            [] => return PlaceChoice::None,
            [_] => return PlaceChoice::One(0),
            _ => {}
        }
        // The list is empty if the header has no number.
        let near = self.sort_by_distance(places);
        if let [nearest, second, ..] = *near.as_slice()
            // Numbers of models are wrong by some lines, so the stated line decides only if one place is
            // much nearer than all others.
            && nearest.lines < second.lines
            && (nearest.lines == 0
                || (!self.vague
                    && nearest.lines < NEAR
                    && second.lines >= nearest.lines * DISTANCE_RATIO))
        {
            return PlaceChoice::One(nearest.index);
        }
        if let Some(index) = self.only_place_inside(source, places) {
            return PlaceChoice::One(index);
        }
        // Without a stated line the first two places are named.
        let (first, second) = match *near.as_slice() {
            [first, second, ..] => (first.index, second.index),
            _ => (0, 1),
        };
        let first = places.get(first).copied().unwrap_or_default();
        let second = places.get(second).copied().unwrap_or_default();
        PlaceChoice::Tie(first.min(second), first.max(second))
    }

    /// Returns the places that the line numbers or the text after `@@` permit, the nearest first.
    fn sort_by_distance(&self, places: &[usize]) -> Vec<Distance> {
        let mut near: Vec<Distance> = Vec::new();
        for (index, place) in places.iter().enumerate() {
            // The index breaks ties, which keeps the order deterministic.
            near.extend(self.distance_to(*place).map(|lines| Distance { lines, index }));
        }
        near.sort_unstable();
        near
    }

    /// Returns the only place inside the definition that the text after `@@` names; `None` if there
    /// are several.
    fn only_place_inside(&self, source: &SourceText<'_>, places: &[usize]) -> Option<usize> {
        if !self.names_definition() || places.len() > MAX_PLACES {
            return None;
        }
        let mut inside = (0..places.len())
            .filter(|index| places.get(*index).is_some_and(|place| self.is_inside(source, *place)));
        let only = inside.next()?;
        // Two places in one definition leave the choice open.
        if inside.next().is_some() { None } else { Some(only) }
    }

    /// Returns `true` if the header names a definition.
    pub(super) fn names_definition(&self) -> bool {
        // A name such as `}` is none.
        is_distinctive(self.section)
    }

    /// Returns `true` if a place is in the named definition: every line with a letter or digit
    /// between the definition and the place is indented deeper than the definition.
    pub(super) fn is_inside(&self, source: &SourceText<'_>, place: usize) -> bool {
        // Without the definition in the file nothing is inside of it.
        let Some(head) = self.find_definition(source, place) else { return false };
        let depth = indentation(source.line(head)).len();
        (head + 1..place)
            .map(|line| source.line(line))
            // Lines of marks only, such as a brace in the first column, end no definition.
            .all(|line| indentation(line).len() > depth || !line.contains(char::is_alphanumeric))
    }

    /// Returns `true` if a line (from 0) is certainly not in the named definition: the definition begins below
    /// it, or a definition of the same kind and indentation begins in between.
    pub(super) fn is_outside(&self, source: &SourceText<'_>, place: usize) -> bool {
        let Some(head) = self.find_definition(source, place) else { return true };
        let depth = indentation(source.line(head));
        // `fn`, `def` or `class`: the next definition of the same kind ends this one.
        let keyword = self.section.split_whitespace().next();
        (head + 1..place)
            .map(|line| source.line(line))
            .any(|line| indentation(line) == depth && line.split_whitespace().next() == keyword)
    }

    /// Returns the last line before a place that begins with the named definition.
    fn find_definition(&self, source: &SourceText<'_>, place: usize) -> Option<usize> {
        // The nearest one above, as git writes the text after `@@`.
        (0..place).rev().find(|line| source.line(*line).trim_start().starts_with(self.section))
    }
}
