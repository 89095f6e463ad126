//! Hunks without numbers that have several places each: a diff goes down the file, and that may leave one.

use super::strategy::Placement;

/// Chooses one place for every hunk so that each lies below the one before; `None` when there is no
/// such choice, or more than one.
pub(super) fn choose_ascending<'a>(places: &[Vec<Placement<'a>>]) -> Option<Vec<Placement<'a>>> {
    // For every place: how many ways lead to it, at most two, and from which place before.
    let mut ways: Vec<Vec<(usize, usize)>> = Vec::new();
    for (index, fits) in places.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| places.get(index).zip(ways.get(index)));
        let reached = fits.iter().map(|fit| match before {
            None => (1, 0),
            Some((above, ways)) => {
                let mut all = above.iter().zip(ways).enumerate();
                let mut count = 0;
                let mut from = 0;
                for (index, (other, (way, _))) in all.by_ref() {
                    if *way > 0 && is_below(fit, other) {
                        (count, from) = (count + way, index);
                    }
                }
                (count.min(2), from)
            }
        });
        ways.push(reached.collect());
    }
    let last = ways.last()?;
    let mut ends = last.iter().enumerate().filter(|(_, (ways, _))| *ways > 0);
    let (mut at, (count, _)) = ends.next()?;
    if *count != 1 || ends.next().is_some() {
        return None;
    }
    let mut chosen = Vec::new();
    for (fits, ways) in places.iter().zip(&ways).rev() {
        chosen.push(fits.get(at)?.clone());
        at = ways.get(at)?.1;
    }
    chosen.reverse();
    Some(chosen)
}

fn is_below(fit: &Placement<'_>, above: &Placement<'_>) -> bool {
    let (first, last) = (fit.splices.first(), above.splices.last());
    let apart = first.zip(last).is_some_and(|(first, last)| last.at.end <= first.at.start);
    apart && fit.start > above.start
}
