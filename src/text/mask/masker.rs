//! Finds secrets by form and by value and replaces them with `***`.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::rules::{MIN_CHARS, Rule, all_rules, replace_places};
use crate::text::Finder;

/// The replacement of every secret.
pub const MASK: &str = "***";

/// One replacement can complete another secret (a known value next to a mask); more rounds than this
/// are never needed by text that was not made for it.
const MAX_ROUNDS: usize = 8;

/// The rules, the words near which they are tried, and each word's rule.
struct Forms {
    rules: Vec<Rule>,
    finder: Finder,
    owners: Vec<usize>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let rules = all_rules();
    let owned = rules.iter().enumerate();
    let owned =
        owned.flat_map(|(owner, rule)| rule.cues.iter().map(move |cue| (owner, cue.clone())));
    let (owners, cues): (_, Vec<String>) = owned.unzip();
    let finder = Finder::new(cues).in_any_case();
    Forms { rules, finder, owners }
});

/// Masks secrets that are known by their form: keys with a vendor's prefix, bearer tokens, JWTs, private
/// key blocks, passwords in URLs, values of `password=`, `token:` and their like. Digests and commit
/// hashes stay. Masking twice changes nothing more.
pub fn mask(text: &str) -> Cow<'_, str> {
    repeat_until_stable(text, mask_once)
}

/// Masks secrets by form, and secrets with known values.
pub struct Masker {
    /// The known values; `None` if there are none.
    known: Option<AhoCorasick>,
}

impl Masker {
    /// Takes values that are secret whatever they look like; those under six characters and those
    /// that are not valid as search words are left out.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> =
            known.into_iter().filter(|value| value.chars().count() >= MIN_CHARS).collect();
        known.sort();
        known.dedup();
        let mut finder = AhoCorasick::builder();
        // The longest value wins, so that no part of a secret stays visible.
        finder.kind(Some(AhoCorasickKind::ContiguousNFA)).match_kind(MatchKind::LeftmostLongest);
        let finder = finder.build(&known);
        Self { known: finder.ok().filter(|_| !known.is_empty()) }
    }

    /// Returns the text with every secret replaced by `***`. Masking twice changes nothing more.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(known) = &self.known else { return mask(text) };
        repeat_until_stable(text, |text| {
            if !known.is_match(text) {
                return mask_once(text);
            }
            let mut out = String::with_capacity(text.len());
            known.replace_all_with(text, &mut out, |_, _, out| {
                out.push_str(MASK);
                true
            });
            Cow::Owned(mask_once(&out).into_owned())
        })
    }

    /// Returns `true` if `new` has `***` in the place of a secret of `old`: a model that saw the
    /// masked text copied the mask.
    pub fn is_copied_mark(&self, old: &str, new: &str) -> bool {
        let marks = |text: &str| text.matches(MASK).count();
        marks(new) > marks(old) && marks(&self.mask(old)) > marks(old)
    }
}

/// Masks until nothing changes, at most [`MAX_ROUNDS`] times.
fn repeat_until_stable(text: &str, once: impl Fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        match once(&current) {
            Cow::Owned(next) if next != *current => current = Cow::Owned(next),
            _ => break,
        }
    }
    current
}

/// Masks the secrets at the cues of the text.
fn mask_once(text: &str) -> Cow<'_, str> {
    let forms = &*FORMS;
    let Some(finder) = forms.finder.for_text(text) else { return Cow::Borrowed(text) };
    let mut places: Vec<Range<usize>> = Vec::new();
    // A secret is not searched for more of its own form.
    let mut done = vec![0; forms.rules.len()];
    for cue in finder.find_overlapping_iter(text) {
        let Some(&owner) = forms.owners.get(cue.pattern().as_usize()) else { continue };
        let (Some(rule), Some(done)) = (forms.rules.get(owner), done.get_mut(owner)) else {
            continue;
        };
        if cue.start() < *done {
            continue;
        }
        if let Some(place) = rule.secret_at(text, cue.range()) {
            *done = place.end;
            places.push(place);
        }
    }
    replace_places(text, places, MASK)
}
