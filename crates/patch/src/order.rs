//! Choice among several places per hunk, using that the hunks of a diff are in file order.

use super::strategy::Placement;

/// The ways to reach one place of a hunk from the places of the hunks before it.
#[derive(Clone, Copy)]
struct Reach {
    /// Counted up to two, because only uniqueness matters.
    ways: usize,
    /// A place of the previous hunk from which it is reached.
    from: usize,
}

/// Returns one place for each hunk so that every place is below the one before.
///
/// Returns `None` when there is no such choice, or more than one.
pub(super) fn choose_ascending<'a>(places: &[Vec<Placement<'a>>]) -> Option<Vec<Placement<'a>>> {
    let mut reaches: Vec<Vec<Reach>> = Vec::new();
    for (index, candidates) in places.iter().enumerate() {
        let previous =
            index.checked_sub(1).and_then(|index| places.get(index).zip(reaches.get(index)));
        let reached = candidates.iter().map(|placement| match previous {
            None => Reach { ways: 1, from: 0 },
            Some((above, ways)) => reach_from(placement, above, ways),
        });
        reaches.push(reached.collect());
    }
    let mut ends = reaches.last()?.iter().enumerate().filter(|(_, reach)| reach.ways > 0);
    let (mut at, reach) = ends.next()?;
    if reach.ways != 1 || ends.next().is_some() {
        return None;
    }
    let mut chosen = Vec::new();
    for (candidates, reach) in places.iter().zip(&reaches).rev() {
        chosen.push(candidates.get(at)?.clone());
        at = reach.get(at)?.from;
    }
    chosen.reverse();
    Some(chosen)
}

/// Returns how many chains end in a placement: sums the ways of all placements of the hunk before
/// that are above it. More than two count as two, because only "exactly one" matters.
fn reach_from(placement: &Placement<'_>, above: &[Placement<'_>], reaches: &[Reach]) -> Reach {
    let mut total = Reach { ways: 0, from: 0 };
    for (index, (other, reach)) in above.iter().zip(reaches).enumerate() {
        if reach.ways > 0 && is_below(placement, other) {
            total = Reach { ways: (total.ways + reach.ways).min(2), from: index };
        }
    }
    total
}

/// Returns `true` if a placement begins after another ends. Pure insertions may touch at the same
/// line.
fn is_below(placement: &Placement<'_>, above: &Placement<'_>) -> bool {
    let (first, last) = (placement.splices.first(), above.splices.last());
    let disjoint = first.zip(last).is_some_and(|(first, last)| last.at.end <= first.at.start);
    disjoint && placement.start > above.start
}
