//! Finds values that are known to be secret, in every form in which programs print them.

use std::collections::HashMap;
use std::ops::Range;

use super::known_forms::forms_of;
use super::rule::MIN_CHARS;

/// The bytes at the start of a form by which it is looked up.
const HEAD: usize = MIN_CHARS;

/// The bits of the table that rules most bytes of a text out.
const TABLE_BITS: usize = 1 << 15;

/// More values than this are not learned.
const MAX_VALUES: usize = 1_024;

/// Known values. White space, control characters and ANSI sequences count neither in the values nor in the text, so a value is also found
/// where a terminal coloured or wrapped it.
#[derive(Default)]
pub(super) struct KnownValues {
    /// The forms by their first [`HEAD`] bytes.
    forms: HashMap<u64, Vec<Box<[u8]>>>,
    /// Bits of the hashes of all heads.
    heads: Vec<u64>,
    values: usize,
}

impl KnownValues {
    /// Adds a value in all its forms.
    pub(super) fn add(&mut self, value: &str) {
        if self.values >= MAX_VALUES || visible_bytes(value, 0..value.len()).count() < HEAD {
            return;
        }
        self.values += 1;
        self.heads.resize(TABLE_BITS / 64, 0);
        for form in forms_of(value) {
            let form: Box<[u8]> =
                visible_bytes(&form, 0..form.len()).map(|(_, byte)| byte).collect();
            let Some(head) = form.get(..HEAD) else { continue };
            let head = head.iter().fold(0, |head, byte| pushed(head, *byte));
            let (word, bit) = bit_of(head);
            if let Some(word) = self.heads.get_mut(word) {
                *word |= bit;
            }
            let forms = self.forms.entry(head).or_default();
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }

    /// Returns the places of all forms in the area.
    pub(super) fn find(&self, text: &str, area: Range<usize>) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        if self.forms.is_empty() {
            return places;
        }
        let (mut head, mut starts, mut count) = (0, [0; 8], 0_usize);
        for (at, byte) in visible_bytes(text, area.clone()) {
            head = pushed(head, byte);
            if let Some(start) = starts.get_mut(count % 8) {
                *start = at;
            }
            count += 1;
            let (word, bit) = bit_of(head);
            if self.heads.get(word).is_none_or(|word| word & bit == 0) || count < HEAD {
                continue;
            }
            let start = starts.get((count - HEAD) % 8).copied().unwrap_or(at);
            for form in self.forms.get(&head).into_iter().flatten() {
                if let Some(end) = end_of_match(text, at, form) {
                    places.push(start..end);
                }
            }
        }
        places
    }
}

/// Returns the end of a form with a head that ends at `at`, if the rest of the form follows.
fn end_of_match(text: &str, at: usize, form: &[u8]) -> Option<usize> {
    let mut end = at + 1;
    let mut following = visible_bytes(text, end..text.len());
    for expected in form.get(HEAD..)? {
        let (at, byte) = following.next()?;
        if byte != *expected {
            return None;
        }
        end = at + 1;
    }
    Some(end)
}

/// Returns the last [`HEAD`] bytes with one more.
fn pushed(head: u64, byte: u8) -> u64 {
    (head << 8 | u64::from(byte)) & ((1 << (8 * HEAD)) - 1)
}

/// Returns the word and the bit of the table that belong to a head.
fn bit_of(head: u64) -> (usize, u64) {
    // Fibonacci hashing: the upper bits of the product depend on all of the head.
    let hash = head.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 49;
    (usize::try_from(hash >> 6).unwrap_or_default(), 1 << (hash & 63))
}

/// Returns the bytes of the area that are neither white space nor control characters nor part of an ANSI sequence.
fn visible_bytes(text: &str, area: Range<usize>) -> impl Iterator<Item = (usize, u8)> {
    let bytes = text.as_bytes();
    let mut at = area.start;
    std::iter::from_fn(move || {
        while at < area.end {
            let byte = *bytes.get(at)?;
            if byte == 0x1b {
                at = end_of_sequence(bytes, at);
                continue;
            }
            at += 1;
            if byte > b' ' && byte != 0x7f {
                return Some((at - 1, byte));
            }
        }
        None
    })
}

/// Returns the end of the ANSI sequence that begins at `at`.
fn end_of_sequence(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at + 1..).unwrap_or_default();
    let length = match rest.first() {
        Some(b'[') => rest
            .iter()
            .skip(1)
            .take(64)
            .position(|byte| (0x40..=0x7e).contains(byte))
            .map(|end| end + 2),
        Some(b']') => {
            rest.iter().take(512).position(|byte| *byte == 0x07 || *byte == 0x1b).map(|end| end + 1)
        }
        _ => None,
    };
    at + 1 + length.unwrap_or(0)
}
