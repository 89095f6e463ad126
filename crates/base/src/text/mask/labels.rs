//! Reads passwords that a line of words announces: after its colon, in its next line, or in its sentence.

use std::ops::Range;

use super::chance::{is_hex, is_random};
use super::generated::is_generated;
use super::judge::is_placeholder;
use super::names::is_other;
use super::value::{line_before, place_of};
use super::wording::{grammar_words, has_digit, has_grammar, is_password_word};

/// The most bytes between the word for a password and the sign before it.
const MAX_LABEL: usize = 64;

/// The most bytes of the value and of the text after it.
const MAX_REST: usize = 200;

/// The fewest letters of a password that is nothing but a word.
const MIN_WORD: usize = 8;

/// The most words before the word for a password.
const MAX_BEFORE: usize = 6;

/// The signs after a label.
const SIGNS: [&str; 8] = [": ", " | ", ":** ", " -> ", " => ", " ⇒ ", " → ", ":\t"];

/// Words for a failure, of which a line announces no password.
const FAILURES: [&str; 6] = ["error", "fail", "warn", "invalid", "expect", "assert"];

/// Endings of words that a sentence has after `is` and `was`.
const PROSE_ENDINGS: [&str; 12] =
    ["ent", "ant", "ect", "ory", "ive", "al", "ous", "ic", "ate", "ete", "able", "ord"];

/// Returns the password that a line with the name of one announces.
pub(super) fn announced(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(name.end..text.floor_char_boundary(name.end + MAX_LABEL + MAX_REST))?;
    let line = rest.lines().next()?;
    let before = line_before(text, name.start);
    let found = after_sign(text, line)
        .or_else(|| in_brackets(text, line))
        .or_else(|| in_sentence(text, before, line))
        .or_else(|| in_directive(text, name, line))
        .or_else(|| in_next_line(text, line, rest))?;
    let before = before.to_lowercase();
    let is_failure = FAILURES.iter().any(|word| before.contains(word));
    (!is_failure && before.split_whitespace().count() <= MAX_BEFORE).then_some(found)
}

/// Returns the word that ends the line after a sign.
fn after_sign(text: &str, line: &str) -> Option<Range<usize>> {
    let (at, sign) = SIGNS.iter().filter_map(|sign| Some((line.rfind(sign)?, sign))).max()?;
    let label = line.get(..at)?;
    let value = line.get(at + sign.len()..)?.trim();
    let value = value.trim_matches(['`', '"', '\'', '*']);
    let last = label.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let is_label = at <= MAX_LABEL
        && !is_other(last.trim_matches(['(', ')']))
        && grammar_words(label).all(|word| ["is", "for", "of"].contains(&word.as_str()))
        && !label.contains([';', '=', '{', '|']);
    (is_label && is_alone(value)).then(|| place_of(text, value))
}

/// Returns the word in brackets that ends the line directly after the name.
fn in_brackets(text: &str, line: &str) -> Option<Range<usize>> {
    let value = line.strip_prefix(" (")?.trim_end().strip_suffix(')')?;
    is_alone(value).then(|| place_of(text, value))
}

/// Returns the password of a sentence such as `my password was x and it failed`.
fn in_sentence(text: &str, before: &str, line: &str) -> Option<Range<usize>> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let is_given = before.ends_with("with ") || before.ends_with("using ");
    let value = if ["was", "is"].contains(&first) { words.next()? } else { first };
    let is_told = value != first || is_given && words.next() == Some("for");
    let value = value.trim_matches([',', '.', '`', '"', '\'']);
    let is_prose = PROSE_ENDINGS.iter().any(|ending| value.ends_with(ending));
    let is_word = value.len() >= MIN_WORD + 2 && value.chars().all(char::is_lowercase);
    (is_told && is_word && !is_prose && is_password_word(value)).then(|| place_of(text, value))
}

/// Returns the word that ends a line of settings after a name of several words, as in `user admin insecure-password x`.
fn in_directive(text: &str, name: &Range<usize>, line: &str) -> Option<Range<usize>> {
    let value = line.strip_prefix(' ')?.trim_end();
    let is_name =
        text.get(name.clone())?.contains('-') && !has_grammar(line_before(text, name.start));
    let is_word =
        value.len() >= MIN_WORD + 2 && value.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_name && is_word && is_alone(value)).then(|| place_of(text, value))
}

/// Returns the token that is all of the next line with text, if the line ends with a colon or soon.
fn in_next_line(text: &str, line: &str, rest: &str) -> Option<Range<usize>> {
    if line.len() > MAX_LABEL || !line.trim_end().ends_with(':') {
        return None;
    }
    let next = rest.get(line.len()..)?.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_digest = next.len() >= 24 && is_hex(next.as_bytes()) && has_digit(next);
    let is_token =
        is_generated(next) || is_digest || next.len() >= 12 && is_random(next.as_bytes());
    (is_token && !next.contains(' ')).then(|| place_of(text, next))
}

/// Returns `true` for one word that can be a password.
fn is_alone(value: &str) -> bool {
    let is_name = value.contains(['/', '.', '(', ')', '[', ']', '<', ':', '=', ',', ';', '_'])
        && !is_generated(value);
    let is_type = value.chars().all(char::is_alphabetic) && value.chars().any(char::is_uppercase);
    value.chars().count() >= MIN_WORD
        && is_password_word(value)
        && !is_placeholder(value)
        && !(is_name || is_type)
        && (has_digit(value) || !PROSE_ENDINGS.iter().any(|ending| value.ends_with(ending)))
}
