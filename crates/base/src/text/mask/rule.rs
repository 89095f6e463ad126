//! One form of secret, and how it is found at its cue.

use std::ops::Range;

use regex::{Captures, Match};

use super::judge::is_no_word;
use crate::text::Pattern;

/// The longest secret that is looked for, in bytes: a private key with its chain.
const MAX_BYTES: usize = 64 * 1024;

/// The bytes in which most secrets end; a longer text is searched only for a secret that does not end in them.
const USUAL_BYTES: usize = 256;

/// The same for a rule of which many cues were no secret's: a text of nothing but cues is read in linear time.
const FEW_BYTES: usize = 160;

/// The bytes that the cues of a rule without a secret may cost, and how many more for each byte of the text.
const FREE_BYTES: usize = 256 << 10;
const BYTES_PER_BYTE: usize = 8;

/// The work of one rule on one text.
#[derive(Clone, Copy, Default)]
pub(super) struct RuleWork {
    /// The end of the last secret: a secret is not searched for more of its own form.
    pub(super) done: usize,
    /// Bytes that were read for nothing.
    spent: usize,
}

/// The place at which a pattern is tried, seen from the cue.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// At the cue.
    Anywhere,
    /// At the cue, if it begins a word.
    Word,
    /// Somewhere in the run of visible characters around the cue.
    Near,
}

/// One form of secret.
pub(super) struct SecretRule {
    /// A secret of this form appears only in a text with one of these cues, in any ASCII case.
    pub(super) cues: Vec<String>,
    pub(super) start: Start,
    /// The secret is the group `secret` or else the whole match.
    pub(super) pattern: Pattern,
    /// The least Shannon entropy of the secret, in bits a character.
    pub(super) entropy: f64,
    /// A word is no secret.
    pub(super) is_no_word: bool,
}

impl SecretRule {
    /// Returns the bytes of the secret at a cue, which is a range of bytes too; `None` if there is none.
    pub(super) fn secret_at(
        &self,
        text: &str,
        cue: Range<usize>,
        work: &mut RuleWork,
    ) -> Option<Range<usize>> {
        let start = match self.start {
            Start::Anywhere => cue.start,
            Start::Word if begins_word(text, cue.start) => cue.start,
            Start::Word => return None,
            Start::Near => start_of_run(text, cue.start, 128, |byte| !byte.is_ascii_whitespace()),
        };
        let is_spent = work.spent > FREE_BYTES + text.len().saturating_mul(BYTES_PER_BYTE);
        let most = if is_spent { FEW_BYTES } else { USUAL_BYTES };
        let end = text.floor_char_boundary(cue.end + most);
        let found = self.find_in(text, start..end).and_then(|place| {
            // The secret may go on after the part that was read.
            if place.end < end || end == text.len() {
                return Some(place);
            }
            self.find_in(text, start..text.floor_char_boundary(cue.start + MAX_BYTES))
        });
        match &found {
            Some(place) => work.done = place.end,
            None => work.spent += end - start,
        }
        found
    }

    /// Returns the place of the secret at the start of the area.
    fn find_in(&self, text: &str, area: Range<usize>) -> Option<Range<usize>> {
        let slice = text.get(area.clone())?;
        // Most cues are no secret's; that is found without groups.
        if !self.pattern.is_match(slice) {
            return None;
        }
        let found = self.pattern.captures(slice)?;
        let secret = secret_part(&found)?;
        let is_secret = (self.entropy <= 0.0 || entropy(secret.as_str()) >= self.entropy)
            && (!self.is_no_word || is_no_word(secret.as_str()));
        is_secret.then(|| area.start + secret.start()..area.start + secret.end())
    }
}

/// Returns the part of a match that is the secret.
fn secret_part<'t>(found: &Captures<'t>) -> Option<Match<'t>> {
    found.name("secret").or_else(|| found.get(0))
}

/// Returns the start of the run of at most `most` such ASCII characters before `end`.
fn start_of_run(text: &str, end: usize, most: usize, is_of_run: fn(u8) -> bool) -> usize {
    let before = text.as_bytes().get(end.saturating_sub(most)..end).unwrap_or_default();
    let run = before.iter().rev().take_while(|byte| byte.is_ascii() && is_of_run(**byte));
    end - run.count()
}

/// Returns `true` unless a letter or digit of the same word is before `at`; one that is part of an escape is not of the word.
fn begins_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let Some(last) = before.chars().next_back().filter(char::is_ascii_alphanumeric) else {
        return true;
    };
    let tail = before.as_bytes().get(at.saturating_sub(16)..).unwrap_or_default();
    let nth_last = |n: usize| tail.len().checked_sub(n).and_then(|at| tail.get(at)).copied();
    let is_escaped = nth_last(2) == Some(b'\\') && "nrtbf".contains(last);
    let is_percent = nth_last(3) == Some(b'%') && last.is_ascii_hexdigit();
    let is_unicode = nth_last(6) == Some(b'\\') && matches!(nth_last(5), Some(b'u' | b'U'));
    let is_colour = last == 'm'
        && tail.iter().rev().skip(1).find(|byte| !byte.is_ascii_digit() && **byte != b';')
            == Some(&b'[');
    is_escaped || is_percent || is_unicode || is_colour
}

/// Returns the Shannon entropy in bits a byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let used = counts.iter().filter(|count| **count > 0);
    used.map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum()
}
