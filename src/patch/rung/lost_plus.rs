//! A new line inside a run of new lines that lost its `+`: the file does not have it.

use crate::patch::likeness::is_blank;
use crate::patch::reading::{Reading, Tag};
use crate::patch::source::Source;

/// Returns the hunk with such lines marked as new; `None` when there are none.
pub(in crate::patch) fn mended<'a>(
    source: &Source<'_>,
    reading: &Reading<'a>,
) -> Option<Reading<'a>> {
    let mut lines = reading.lines.clone();
    let mut mended = false;
    let mut inside = false;
    for index in 0..lines.len() {
        let (tag, text) = *lines.get(index)?;
        if tag == Tag::Context && inside && !is_blank(text) && !source.has(text) {
            let rest = lines.get(index + 1..).unwrap_or_default();
            let next = rest.iter().find(|(tag, text)| *tag != Tag::Context || source.has(text));
            if matches!(next, Some((Tag::Insert, _))) {
                lines.get_mut(index)?.0 = Tag::Insert;
                mended = true;
                continue;
            }
        }
        inside = tag == Tag::Insert;
    }
    mended.then_some(Reading { how: reading.how, lines })
}
