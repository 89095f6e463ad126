//! Finds secrets by form and by value and replaces them with `***`.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use super::forms::find_forms;
use super::known::KnownValues;

/// The replacement of every secret.
pub const MASK: &str = "***";

/// One replacement can complete another secret (a known value next to a mask); more rounds than this
/// are never needed by text that was not made for it.
const MAX_ROUNDS: usize = 8;

/// The bytes on both sides of a mark in which a further secret is looked for.
const NEAR_BYTES: usize = 16 * 1024;

/// Masks secrets that are known by their form: what is assigned to a name such as `password`, in the syntaxes of settings, sources,
/// markup and commands; keys with a service's prefix, private keys, passwords in addresses, and random tokens near a word for
/// a secret; also where they are escaped, encoded or coloured. Digests and commit hashes stay. Masking twice changes nothing more.
///
/// ```
/// use papayu_base::text::mask;
///
/// assert_eq!(mask("https://ci:hunter2secret@host/x"), "https://ci:***@host/x");
/// assert_eq!(mask("the password is asked for"), "the password is asked for");
/// ```
pub fn mask(text: &str) -> Cow<'_, str> {
    mask_places(text, find_in_area)
}

/// Returns the secrets in a text that are known by their form.
pub fn secrets_in(text: &str) -> Vec<String> {
    let places = merged(find_forms(text));
    places.into_iter().filter_map(|place| Some(text.get(place)?.to_owned())).collect()
}

/// Masks secrets by form, and secrets with known values.
pub struct Masker {
    known: RwLock<KnownValues>,
}

impl Masker {
    /// Takes values that are secret whatever they look like.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut values = KnownValues::default();
        for value in known {
            values.add(&value);
        }
        Self { known: RwLock::new(values) }
    }

    /// Takes more values that are secret, such as those that the mask commands of a log name.
    pub fn learn(&self, values: &[String]) {
        if !values.is_empty() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            for value in values {
                known.add(value);
            }
        }
    }

    /// Returns the text with every secret replaced by `***`. Masking twice changes nothing more.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        mask_places(text, |text, area| {
            let mut places = find_in_area(text, area.clone());
            places.extend(known.find(text, area));
            places
        })
    }

    /// Returns the text with every known value replaced by `***`, and what only has the form of a secret as it is.
    pub fn mask_known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        mask_places(text, |text, area| known.find(text, area))
    }

    /// Returns `true` if `new` has `***` in the place of a secret of `old`: a model that saw the
    /// masked text copied the mask.
    pub fn is_copied_mark(&self, old: &str, new: &str) -> bool {
        let marks = |text: &str| text.matches(MASK).count();
        marks(new) > marks(old) && marks(&self.mask(old)) > marks(old)
    }
}

/// Replaces what `find` finds until nothing is left to find, at most [`MAX_ROUNDS`] times.
fn mask_places(text: &str, find: impl Fn(&str, Range<usize>) -> Vec<Range<usize>>) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    let mut areas: Vec<_> = iter::once(0..text.len()).collect();
    for _ in 0..MAX_ROUNDS {
        let places = areas.into_iter().flat_map(|area| find(&current, area)).collect();
        let places = merged(places);
        if places.is_empty() {
            break;
        }
        let (next, marks) = replaced(&current, &places);
        if next == *current {
            break;
        }
        current = Cow::Owned(next);
        // A mark can complete a secret only near itself.
        let near = |mark: &Range<usize>| {
            let start = current.floor_char_boundary(mark.start.saturating_sub(NEAR_BYTES));
            start..current.floor_char_boundary(mark.end + NEAR_BYTES)
        };
        areas = merged(marks.iter().map(near).collect());
    }
    current
}

/// Returns the places of the secrets in the area that are known by their form.
fn find_in_area(text: &str, area: Range<usize>) -> Vec<Range<usize>> {
    let mut places = find_forms(text.get(area.clone()).unwrap_or_default());
    for place in &mut places {
        *place = area.start + place.start..area.start + place.end;
    }
    places
}

/// Returns the places in order, those that overlap as one.
fn merged(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_by_key(|place| place.start);
    places.dedup_by(|next, place| {
        let is_same = next.start < place.end;
        if is_same {
            place.end = place.end.max(next.end);
        }
        is_same
    });
    places
}

/// Returns the text with a mark in each of the places, and the places of the marks.
fn replaced(text: &str, places: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let mut out = String::with_capacity(text.len());
    let (mut done, mut marks) = (0, Vec::with_capacity(places.len()));
    for place in places {
        out.push_str(text.get(done..place.start).unwrap_or_default());
        marks.push(out.len()..out.len() + MASK.len());
        out.push_str(MASK);
        done = place.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    (out, marks)
}
