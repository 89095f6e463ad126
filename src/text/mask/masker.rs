//! Finds secrets by form and by value and replaces them with `***`.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::Captures;

use super::rules::{MIN_CHARS, SECRET_FORMS, SecretForm, secret_part};
use crate::text::{Finder, Pattern};

/// The replacement of every secret.
pub const MASK: &str = "***";

/// One replacement can complete another secret (a known value next to a mask); more rounds than this
/// are never needed by text that was not made for it.
const MAX_ROUNDS: usize = 8;

static CUES: LazyLock<(Finder, Vec<usize>)> = LazyLock::new(|| {
    let mut cues = Vec::new();
    let mut owners = Vec::new();
    for (owner, rule) in SECRET_FORMS.iter().enumerate() {
        for cue in rule.cues {
            cues.push(*cue);
            owners.push(owner);
        }
    }
    (Finder::new(cues).in_any_case(), owners)
});

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| SECRET_FORMS.iter().map(|rule| Pattern::new(rule.pattern)).collect());

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

/// Applies every form whose cue is in the text.
fn mask_once(text: &str) -> Cow<'_, str> {
    let (finder, owners) = &*CUES;
    let Some(finder) = finder.for_text(text) else { return Cow::Borrowed(text) };
    let mut wanted = [false; SECRET_FORMS.len()];
    for found in finder.find_overlapping_iter(text) {
        if let Some(flag) = owners.get(found.pattern().as_usize()).and_then(|o| wanted.get_mut(*o))
        {
            *flag = true;
        }
    }
    let mut current = Cow::Borrowed(text);
    let rules = SECRET_FORMS.iter().zip(&*PATTERNS).zip(wanted).filter(|(_, wanted)| *wanted);
    for ((rule, pattern), _) in rules {
        if let Cow::Owned(next) =
            pattern.replace_all(&current, |found: &Captures<'_>| replace_secret(found, rule))
        {
            current = Cow::Owned(next);
        }
    }
    current
}

/// Returns a match with its secret replaced; the text around the secret stays.
fn replace_secret(found: &Captures<'_>, rule: &SecretForm) -> String {
    let whole = found.get(0).map_or("", |all| all.as_str());
    let (Some(all), Some(secret)) = (found.get(0), secret_part(found)) else {
        return whole.to_owned();
    };
    if !(rule.accepts)(found) {
        return whole.to_owned();
    }
    let before = whole.get(..secret.start() - all.start()).unwrap_or_default();
    let after = whole.get(secret.end() - all.start()..).unwrap_or_default();
    format!("{before}{MASK}{after}")
}
