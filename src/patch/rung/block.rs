//! All old lines one after another: to the letter, up to blanks at line ends, up to indentation, or
//! up to blanks, quotes and dashes.

use super::Fit;
use super::indent::Shift;
use crate::domain::hunk::Rung;
use crate::patch::likeness::{fold, indentation, is_blank, is_telling};
use crate::patch::reading::{How, Reading, Tag};
use crate::patch::source::{Source, exact_key, folded_key};
use crate::patch::splice::splices;

/// Tells whether the old lines stand at `start` to the letter.
pub(in crate::patch) fn stands_at(source: &Source<'_>, old: &[(Tag, &str)], start: usize) -> bool {
    let window = source.lines().get(start..start.saturating_add(old.len()));
    window.is_some_and(|window| window.iter().zip(old).all(|(line, (_, wanted))| line == wanted))
}

/// Returns every place where the old lines stand to the letter, ascending.
pub(in crate::patch) fn exact<'a>(source: &Source<'_>, reading: &Reading<'a>) -> Vec<Fit<'a>> {
    let old = reading.old();
    let keys: Vec<u64> = old.iter().map(|(_, text)| exact_key(text)).collect();
    let rung = if reading.how == How::WithoutMarks { Rung::LostMarks } else { Rung::Offset };
    let starts = source.exact().blocks(&keys).into_iter();
    starts
        .filter(|start| stands_at(source, &old, *start))
        .filter_map(|start| fit(reading, old.len(), start, (rung, Shift::None)))
        .collect()
}

/// Makes the fit of lines that stand one after another from `start` on.
pub(in crate::patch) fn fit<'a>(
    reading: &Reading<'a>,
    old: usize,
    start: usize,
    (rung, shift): (Rung, Shift),
) -> Option<Fit<'a>> {
    let map: Vec<usize> = (start..start + old).collect();
    Some(Fit { start, rung, splices: splices(reading, &map, &shift)? })
}

/// Returns every place where the old lines stand but for blanks, quotes and dashes: those of the
/// strictest rung that has any, ascending.
pub(in crate::patch) fn folded<'a>(source: &Source<'_>, reading: &Reading<'a>) -> Vec<Fit<'a>> {
    let old = reading.old();
    let mut buffer = Vec::new();
    let keys: Vec<u64> = old.iter().map(|(_, text)| folded_key(text, &mut buffer)).collect();
    let mut fits: Vec<Fit<'a>> = Vec::new();
    for start in source.folded().blocks(&keys) {
        let pairs: Vec<_> = (start..)
            .zip(&old)
            .map(|(line, (tag, text))| (*tag, *text, source.line(line)))
            .collect();
        let rule = rule(&pairs).and_then(|rule| fit(reading, old.len(), start, rule));
        fits.extend(rule);
    }
    let strictest = fits.iter().map(|fit| fit.rung).min();
    fits.retain(|fit| Some(fit.rung) == strictest);
    fits
}

/// Returns how lines differ that are alike when folded: `None` where the new lines' indentation
/// cannot be known.
fn rule(pairs: &[(Tag, &str, &str)]) -> Option<(Rung, Shift)> {
    let texts: Vec<_> = pairs.iter().map(|(_, hunk, file)| (*hunk, *file)).collect();
    match Shift::between(&texts) {
        Some(Shift::None) => return Some((Rung::TrailingSpace, Shift::None)),
        Some(shift) => return Some((Rung::Indent, shift)),
        None => {}
    }
    // The keys may be alike by chance.
    if pairs.iter().any(|(_, hunk, file)| fold(hunk) != fold(file)) {
        return None;
    }
    let told = || pairs.iter().filter(|(_, hunk, _)| !is_blank(hunk));
    let kept = |(_, hunk, file): &&(Tag, &str, &str)| indentation(hunk) == indentation(file);
    let deleted = || told().filter(|(tag, ..)| *tag == Tag::Delete);
    let context =
        told().filter(|(tag, ..)| *tag == Tag::Context).map(|(_, hunk, file)| (*hunk, *file));
    let retabbed = deleted().next().is_some()
        && deleted().all(|pair| kept(&pair))
        && Shift::between(&context.collect::<Vec<_>>()).is_some();
    if retabbed {
        return Some((Rung::Spelling, Shift::None));
    }
    // A `}` or an `end` at another depth is another one.
    if told().any(|pair| !is_telling(pair.1) && !kept(&pair)) {
        return None;
    }
    let sure = deleted().next().is_some() && deleted().all(|pair| kept(&pair));
    let most = told().filter(kept).count() * 2 >= told().count();
    (sure || most).then_some((Rung::Spelling, Shift::None))
}
