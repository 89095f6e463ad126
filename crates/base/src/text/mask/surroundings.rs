//! Reads the text around an assignment: it may be in a record that a program printed, in a file of settings, or in source code.

use std::ops::Range;

use super::value::{line_before, place_of};
use super::wording::is_phrase;

/// The most bytes of a file of settings in which its last heading is looked for.
const MAX_SECTION: usize = 2_048;

/// The fewest and most words of the phrase from which a wallet is restored.
const WALLET_WORDS: std::ops::RangeInclusive<usize> = 11..=25;

/// The longest phrase, in bytes.
const MAX_PHRASE: usize = 256;

/// Returns `true` in a record that a program printed, as in `User{name=bob, password=x}` or `&{Host:db Password:x}`; in source code the
/// signs have blanks around them, or a name as the value.
pub(super) fn is_in_record(
    text: &str,
    name: &Range<usize>,
    value_end: usize,
    is_colon: bool,
) -> bool {
    let before = line_before(text, name.start);
    let rest = text.get(value_end..).unwrap_or_default();
    let opened = before
        .rfind(['{', '['])
        .filter(|at| !before.get(*at..).unwrap_or_default().contains(['}', ']', '(']));
    let Some(open) = opened else { return is_colon && is_in_pairs(before) };
    let inner = before.get(open + 1..).unwrap_or_default();
    let head = before.get(..open).unwrap_or_default();
    let is_printed = head.is_empty()
        || head.ends_with(|c: char| c.is_ascii_alphanumeric() || "@&: ".contains(c));
    let sign = if is_colon { ':' } else { '=' };
    let is_first = inner.trim().is_empty();
    let has_field = inner.split([',', ';', ' ']).any(|field| {
        field.split_once(sign).is_some_and(|(key, value)| !key.is_empty() && !value.is_empty())
    });
    let ends = rest.starts_with([',', ';', '}', ']']) || is_colon && rest.starts_with(' ');
    is_printed && ends && (has_field || is_first && !is_colon)
}

/// Returns `true` if a pair such as `user:bob` is before a name that is one too.
fn is_in_pairs(before: &str) -> bool {
    let word = before.trim_end_matches(' ').rsplit(' ').next().unwrap_or_default();
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    word.split_once(':').is_some_and(|(key, value)| {
        is_word(key) && is_word(value) && !key.starts_with(|c: char| c.is_ascii_digit())
    }) && before.ends_with(' ')
}

/// Returns `true` for a line of a file of settings: one below a heading in brackets, with nothing but settings between, or one alone among
/// lines that are no source code.
pub(super) fn is_setting_line(text: &str, name: &Range<usize>, value: &Range<usize>) -> bool {
    let before = line_before(text, name.start);
    let rest = text.get(value.end..).unwrap_or_default();
    if !before.trim().is_empty()
        || !rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') && !rest.trim().is_empty()
    {
        return false;
    }
    let from = text.ceil_char_boundary(name.start.saturating_sub(MAX_SECTION));
    let above = text.get(from..name.start - before.len()).unwrap_or_default();
    for line in above.lines().rev().map(str::trim) {
        if line.starts_with('[') && line.ends_with(']') {
            return true;
        }
        let is_setting = line.is_empty()
            || line.starts_with(['#', ';'])
            || line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()));
        if !is_setting {
            break;
        }
    }
    let shown = text.get(value.clone()).unwrap_or_default();
    let above = above.lines().next_back().unwrap_or_default();
    let below = rest.lines().nth(1).unwrap_or_default();
    shown.len() >= 10
        && shown.bytes().all(|byte| byte.is_ascii_lowercase())
        && !is_code(above)
        && !is_code(below)
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Returns `true` for a line that may be of source code.
fn is_code(line: &str) -> bool {
    line.contains(['(', '{', '}', ';', '=', '"', '\'']) || line.trim_end().ends_with(':')
}

/// Returns the words from here that are one phrase: those from which a wallet is restored, or the rest of a field of a record.
pub(super) fn phrase_at(text: &str, at: usize, is_field: bool) -> Option<Range<usize>> {
    let rest = text.get(at..text.floor_char_boundary(at + MAX_PHRASE))?;
    let line = rest.lines().next()?;
    if is_field {
        let field = line.split([',', ';', ']', '}', '"', '\'']).next()?;
        return (field.len() < line.len() && field.contains(' ') && is_phrase(field))
            .then(|| place_of(text, field));
    }
    let line = line.trim_end();
    let is_word = |word: &str| {
        (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let words = line.split(' ');
    (WALLET_WORDS.contains(&words.clone().count())
        && words.clone().all(is_word)
        && !super::wording::has_grammar(line))
    .then(|| place_of(text, line))
}

/// Returns the key of the object or list that has a name as its first key, as `jwt` in `{"jwt": {"key": "x"}}`.
pub(super) fn parent_of<'t>(text: &'t str, name: &Range<usize>) -> Option<&'t str> {
    let from = text.ceil_char_boundary(name.start.saturating_sub(96));
    let before = text
        .get(from..name.start)?
        .trim_end_matches(|c: char| c.is_whitespace() || "\"'".contains(c));
    let before = before.strip_suffix(['{', '['])?.trim_end();
    let before = before.strip_suffix("=>").or_else(|| before.strip_suffix([':', '=']))?;
    let before = before.trim_end().trim_end_matches(['"', '\'']);
    let start = before
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))
        .map_or(0, |at| at + 1);
    before.get(start..).filter(|parent| !parent.is_empty())
}
