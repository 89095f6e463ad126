//! Finds keys in the long runs of letters and digits of a text: by the prefix of a service, by their length, and random ones near a word
//! for a secret.

use std::ops::Range;
use std::sync::LazyLock;

use super::chance::{is_hex, is_random};
use super::decode::begins_as_text;
use super::names::{is_context, is_identifier_prefix, is_plain_key};

/// The least length of a run.
pub(super) const MIN_RUN: usize = 10;

/// The least length of letters and digits that can be random by themselves.
const MIN_PIECE: usize = 10;

/// The least length of encoded text, and the length of the start by which long pieces are known.
const MIN_ENCODED: usize = 16;
const MAX_HEAD: usize = 32;

/// The length of the last part of a UUID.
const UUID_TAIL: usize = 12;

/// Longer runs are data.
const MAX_TOKEN: usize = 2_048;

/// The bytes before and after a token in which a word gives it its meaning, within two lines.
const BEFORE: usize = 240;
const AFTER: usize = 160;

/// The kind of the signs in runs, and of their letters and digits.
const RUN: u8 = 1;
const PIECE: u8 = 2;

/// The kind of each byte; 0 for those that are not of runs.
static KINDS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut kinds = [0; 256];
    for (kind, byte) in kinds.iter_mut().zip(0..=u8::MAX) {
        *kind = match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => PIECE,
            b'+' | b'/' | b'=' | b'_' | b'-' => RUN,
            _ => 0,
        };
    }
    kinds
});

/// The runs of a text that have a part of letters and digits without order.
pub(super) struct Runs<'t> {
    kinds: &'static [u8; 256],
    bytes: &'t [u8],
    done: usize,
}

impl<'t> Runs<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { kinds: &KINDS, bytes: text.as_bytes(), done: 0 }
    }

    fn kind_of(&self, byte: u8) -> u8 {
        self.kinds.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// Returns the bytes of at least this kind around a place.
    fn piece_at(&self, at: usize, least: u8) -> Range<usize> {
        let before = self.bytes.get(self.done..at).unwrap_or_default();
        let after = self.bytes.get(at..).unwrap_or_default();
        let start =
            at - before.iter().rev().take_while(|byte| self.kind_of(**byte) >= least).count();
        start..at + after.iter().take_while(|byte| self.kind_of(**byte) >= least).count()
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        // A long piece has a byte at every such step.
        let mut at = self.done + MIN_PIECE - 1;
        loop {
            if self.kind_of(*self.bytes.get(at)?) != PIECE {
                at += MIN_PIECE;
                continue;
            }
            let piece = self.piece_at(at, PIECE);
            at = piece.end + MIN_PIECE;
            let bytes = self.bytes.get(piece.clone()).unwrap_or_default();
            // The start of a long one is enough, and most are words.
            let head = bytes.get(..MAX_HEAD).unwrap_or(bytes);
            let is_of_interest = is_random(head)
                || bytes.len() >= MIN_ENCODED && (begins_as_text(bytes) || is_hex(head))
                || bytes.len() == UUID_TAIL && is_hex(bytes);
            if bytes.len() < MIN_PIECE || !is_of_interest {
                continue;
            }
            let run = self.piece_at(piece.start, RUN);
            self.done = run.end;
            if run.len() >= MIN_RUN {
                return Some(run);
            }
            at = run.end + MIN_PIECE - 1;
        }
    }
}

/// Adds the tokens of a run.
pub(super) fn find_tokens(text: &str, run: &Range<usize>, places: &mut Vec<Range<usize>>) {
    let Some(bytes) = text.as_bytes().get(run.clone()) else { return };
    let mut start = run.start;
    for part in bytes.split_inclusive(|byte| *byte == b'=') {
        let place = start..start + part.len() - usize::from(part.ends_with(b"="));
        start += part.len();
        if (MIN_RUN..MAX_TOKEN).contains(&place.len()) {
            find_in_part(text, place, run.end, places);
        }
    }
}

/// Adds the part if it is random, or else those between its signs.
fn find_in_part(text: &str, part: Range<usize>, run_end: usize, places: &mut Vec<Range<usize>>) {
    let Some(bytes) = text.as_bytes().get(part.clone()) else { return };
    if let Some(end) = end_of_three_parts(text, &part) {
        places.push(part.start..end);
        return;
    }
    if is_prefixed_key(bytes) && !is_digest(text, part.start) {
        places.push(part);
        return;
    }
    let pieces = pieces_of(bytes);
    let pieces: Vec<_> =
        pieces.filter(|piece| bytes.get(piece.clone()).is_some_and(is_token)).collect();
    let random: usize = pieces.iter().map(Range::len).sum();
    if random == 0 {
        if is_hex(bytes) && bytes.len() >= 32 && is_after_word(text, part.start) {
            places.push(part);
        }
        return;
    }
    // The signs of base64 are few.
    if random * 2 >= bytes.len() && is_token(bytes) && !begins_as_path(bytes) {
        let padding = text.as_bytes().get(part.end..run_end).unwrap_or_default();
        let padding = padding.iter().take_while(|byte| **byte == b'=').count();
        let is_bare = is_bare_key(bytes, padding) && !is_digest(text, part.start);
        if is_bare || is_near_word(text, &part) {
            places.push(with_symbols(text, part.start..part.end + padding));
        }
        return;
    }
    for piece in pieces {
        let place = part.start + piece.start..part.start + piece.end;
        if !is_of_path(text, &place) && is_near_word(text, &place) {
            places.push(with_symbols(text, place));
        }
    }
}

/// The lengths of the name of a service before `_` in its keys.
const PREFIX: std::ops::RangeInclusive<usize> = 2..=10;
/// The least lengths of the rest of a key: of all characters, and of letters of one case with digits.
const MIN_KEY: usize = 12;
const MIN_PLAIN_KEY: usize = 24;

/// Returns `true` for the form in which services write their keys, whatever the service: a short word in lower case, `_`, and letters and
/// digits without order, as in `npg_a8Kd02LfQz3T`.
fn is_prefixed_key(bytes: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'_', bytes) else { return false };
    let (prefix, tail) =
        (bytes.get(..at).unwrap_or_default(), bytes.get(at + 1..).unwrap_or_default());
    let is_word = prefix.first().is_some_and(u8::is_ascii_lowercase)
        && prefix.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if !PREFIX.contains(&prefix.len()) || !is_word || is_identifier_prefix(prefix) {
        return false;
    }
    let last = tail.rsplit(|byte| *byte == b'_').next().unwrap_or_default();
    let is_plain = last.len() >= MIN_PLAIN_KEY
        && last.iter().all(u8::is_ascii_alphanumeric)
        && last.iter().any(u8::is_ascii_digit);
    let is_mixed = tail.len() >= MIN_KEY && is_of_all_kinds(tail);
    let random = if is_mixed { tail } else { last };
    (is_mixed || is_plain) && !tail.contains(&b'/') && is_token(random)
}

/// Returns `true` if there are letters of both cases and digits.
fn is_of_all_kinds(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_lowercase)
        && bytes.iter().any(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_digit)
}

/// The least lengths of the three parts of a token: who it is for, when it was made, and the signature.
const THREE_PARTS: [usize; 3] = [16, 4, 20];

/// Returns the end of a token of three parts with points between them of which this part is the first: signed tokens are written so.
fn end_of_three_parts(text: &str, first: &Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let part_at = |start: usize| {
        let rest = bytes.get(start..)?;
        let is_inside = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let length = rest.iter().take(MAX_TOKEN).take_while(is_inside).count();
        Some(start..start + length)
    };
    let next_part = |before: &Range<usize>| {
        let point = bytes.get(before.end).filter(|byte| **byte == b'.');
        point.and_then(|_| part_at(before.end + 1))
    };
    let second = next_part(first)?;
    let third = next_part(&second)?;
    let [least_first, least_second, least_third] = THREE_PARTS;
    let signature = bytes.get(third.clone())?;
    let is_signed =
        third.len() >= least_third && is_of_all_kinds(signature) && is_random(signature);
    let begin = bytes.get(first.clone())?;
    let is_encoded = begin.iter().any(u8::is_ascii_lowercase)
        && begin.iter().any(u8::is_ascii_uppercase)
        && (is_random(begin) || begins_as_text(begin));
    (first.len() >= least_first && second.len() >= least_second && is_encoded && is_signed)
        .then_some(third.end)
}

/// Returns the token with what signs of passwords join to it, as in `hedI8GU~EdWjXtNE1gu`.
fn with_symbols(text: &str, token: Range<usize>) -> Range<usize> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"~!^$%#_-".contains(byte);
    let is_joint = |byte: Option<&u8>| byte.is_some_and(|byte| b"~!^$%#".contains(byte));
    let bytes = text.as_bytes();
    let (before, after) = (bytes.get(..token.start), bytes.get(token.end..));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let (mut start, mut end) = (token.start, token.end);
    if is_joint(before.last()) {
        start -= before.iter().rev().take(MAX_HEAD).take_while(|byte| is_inside(byte)).count();
    }
    if is_joint(after.first()) {
        end += after.iter().take(MAX_HEAD).take_while(|byte| is_inside(byte)).count();
    }
    start..end
}

fn is_token(bytes: &[u8]) -> bool {
    is_random(bytes) && !is_hex(bytes)
}

/// Returns the letters and digits between the signs of a part, where they are long enough for a token.
fn pieces_of(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let pieces = bytes.split(|byte| !byte.is_ascii_alphanumeric()).map(move |piece| {
        let place = start..start + piece.len();
        start = place.end + 1;
        place
    });
    pieces.filter(|place| place.len() >= MIN_PIECE)
}

/// Returns `true` for a segment of a path: a file with an ending, or between two slashes.
fn is_of_path(text: &str, piece: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let before = piece.start.checked_sub(1).and_then(|at| bytes.get(at));
    let after = bytes.get(piece.end..).unwrap_or_default();
    let ending = after
        .strip_prefix(b".")
        .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_alphabetic));
    let is_start = matches!(before, Some(b'/' | b'\\'));
    is_start
        && (ending || matches!(after.first(), Some(b'/' | b'\\' | b'-' | b'_')) || piece.len() < 20)
}

/// Returns `true` for an absolute path, of which the first folder is a word in lower case.
fn begins_as_path(bytes: &[u8]) -> bool {
    let first = bytes.strip_prefix(b"/").and_then(|rest| rest.split(|byte| *byte == b'/').next());
    first.is_some_and(|first| first.len() > 2 && first.iter().all(u8::is_ascii_lowercase))
}

/// Returns `true` for the lengths of keys that clouds issue without a mark: 40 characters of base64 at Amazon, 64 bytes in base64 at Azure.
fn is_bare_key(bytes: &[u8], padding: usize) -> bool {
    let is_base64 = !bytes.iter().any(|byte| b"-_".contains(byte));
    is_of_all_kinds(bytes) && is_base64 && matches!((bytes.len(), padding), (40, 0) | (86, 2))
}

/// Returns `true` if the word directly before the token is one for a secret, as in `auth 0123…`; others are digests.
fn is_after_word(text: &str, start: usize) -> bool {
    let before =
        text.get(text.ceil_char_boundary(start.saturating_sub(40))..start).unwrap_or_default();
    let before = before.trim_end_matches([' ', '"', '\'', '=', ':', '(']);
    let mut words = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    let word = words.next().unwrap_or_default();
    // The value of a short option belongs to the command.
    let word = if word.len() == 2 && word.starts_with('-') { words.next() } else { Some(word) };
    !is_digest(text, start) && word.is_some_and(is_context)
}

/// Returns `true` if the text before the token makes it a digest, or data.
pub(super) fn is_digest(text: &str, start: usize) -> bool {
    const MARKS: [&str; 10] = [
        "sha", "h1:", "integrity", "checksum", "digest", "hash", "md5", "etag", "base64,",
        "fingerprint",
    ];
    let before = text.get(text.ceil_char_boundary(start.saturating_sub(24))..start);
    let before = before.unwrap_or_default().to_ascii_lowercase();
    MARKS.iter().any(|mark| before.contains(mark))
}

/// Returns `true` in the value of a key of JSON that is a name, as in `"branch": "fix/a8Kd02LfQz3T"`.
fn is_under_plain_key(text: &str, at: usize) -> bool {
    let from = text.ceil_char_boundary(at.saturating_sub(BEFORE));
    let line = text.get(from..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    // The value has no quotes, so its opening one is the last.
    let mut parts = line.rsplit('"').skip(1);
    let is_value = parts.next().is_some_and(|colon| colon.trim() == ":");
    is_value && parts.next().is_some_and(is_plain_key)
}

/// Returns `true` if a word in this line or the line before makes a random token secret.
fn is_near_word(text: &str, token: &Range<usize>) -> bool {
    if is_digest(text, token.start) || is_under_plain_key(text, token.start) {
        return false;
    }
    let before = text.get(text.ceil_char_boundary(token.start.saturating_sub(BEFORE))..token.start);
    let before = before.unwrap_or_default();
    let lines = before.rmatch_indices('\n').nth(1).map_or(0, |line| line.0 + 1);
    let after =
        text.get(token.end..text.floor_char_boundary(token.end + AFTER)).unwrap_or_default();
    let after = after.split('\n').next().unwrap_or_default();
    is_context(before.get(lines..).unwrap_or_default()) || is_context(after)
}
