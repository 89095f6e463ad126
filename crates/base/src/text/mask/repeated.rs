//! Finds the secrets of a text again where it shows them without a name, as the output of a failed comparison does.

use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memmem;

use super::chance::is_random;
use super::generated::is_generated;
use super::wording::has_digit;

/// The most values that are looked for in one text.
const MAX_VALUES: usize = 16;

/// The lengths of values that are looked for, in bytes.
const LENGTHS: Range<usize> = 8..200;

/// The least length of a value of letters alone, and the bytes around a value in which it is looked for if it may be a word.
const MIN_WORD: usize = 10;
const NEAR: usize = 400;

/// The least length of a value without order that is looked for everywhere.
const MIN_STRONG: usize = 10;

/// Adds the other places of the passwords.
pub(super) fn add_repeated(text: &str, passwords: &[Range<usize>], places: &mut Vec<Range<usize>>) {
    let found: BTreeSet<(&str, usize)> = passwords
        .iter()
        .filter_map(|place| Some((text.get(place.clone())?, place.start)))
        .filter(|(value, _)| is_searched(value))
        .collect();
    let mut last = "";
    let mut searched = 0;
    for (value, at) in found {
        let is_strong =
            value.len() >= MIN_STRONG && (is_generated(value) || is_random(value.as_bytes()));
        let is_word = !is_strong;
        if value == last && !is_word {
            continue;
        }
        searched += 1;
        if searched > MAX_VALUES {
            break;
        }
        last = value;
        let area = if is_word { near(text, at, value.len()) } else { 0..text.len() };
        let Some(part) = text.get(area.clone()) else { continue };
        for start in memmem::find_iter(part.as_bytes(), value) {
            let place = area.start + start..area.start + start + value.len();
            if is_whole(text, &place) {
                places.push(place);
            }
        }
    }
}

fn near(text: &str, at: usize, length: usize) -> Range<usize> {
    text.ceil_char_boundary(at.saturating_sub(NEAR))..text.floor_char_boundary(at + length + NEAR)
}

/// Returns `true` for a value that means nothing else in the same text.
fn is_searched(value: &str) -> bool {
    let is_token = !value.contains(|c: char| c.is_whitespace() || "/.:_(".contains(c))
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    LENGTHS.contains(&value.len()) && is_token && (has_digit(value) || value.len() >= MIN_WORD)
}

/// Returns `true` if no letter or digit is next to the place.
fn is_whole(text: &str, place: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let is_inside = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let before = place.start.checked_sub(1).and_then(|at| bytes.get(at));
    !is_inside(before) && !is_inside(bytes.get(place.end))
}
