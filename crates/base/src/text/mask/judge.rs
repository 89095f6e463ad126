//! Decides whether a value that is assigned to the name of a secret is one, or source code that only names it.

use std::ops::Range;

use super::assigned::{AssignedValue, ValueStyle};
use super::chance::{is_hex, is_random, surprise};
use super::names::NameFamily;
use super::value::place_of;
use super::wording::{
    MIN_CHARS, has_digit, has_grammar, is_password_word, is_phrase, names_secret,
};
use crate::text::WordList;

/// The start of a value by which it is judged, in bytes.
const MAX_JUDGED: usize = 200;

/// Values that are no secrets: types, kinds, sources, and words for none.
static PLAIN: WordList = WordList::new(
    "none null nil true false undefined string str text bytes required optional empty unset default enabled disabled changeme example redacted \
     hidden masked unknown invalid missing expired incorrect wrong yes no on off file env prompt stdin auto basic bearer boolean number integer any object \
     never void generated inherit write read",
);

/// Returns `true` for the value of a secret. Masked code in a shown file could not be patched.
pub(super) fn is_secret(text: &str, name: &str, value: &AssignedValue, family: NameFamily) -> bool {
    let end = text.floor_char_boundary(value.place.end.min(value.place.start + MAX_JUDGED));
    let Some(shown) = text.get(value.place.start..end) else { return false };
    let shown = shown.trim();
    if value.style == ValueStyle::Numbers {
        let is_key = name.to_lowercase().contains("key") || names_secret(name);
        return is_key && matches!(family, NameFamily::Password | NameFamily::Secret);
    }
    if shown.len() < 3 || is_placeholder(shown) {
        return false;
    }
    // Tests print `PASS: name`.
    let is_result = name.eq_ignore_ascii_case("pass") && name != "pass";
    let is_unquoted = value.style != ValueStyle::Quoted;
    if is_result && is_unquoted && value.style != ValueStyle::Bare
        || name == "pass" && matches!(value.style, ValueStyle::Colon | ValueStyle::QuotedWord)
    {
        return false;
    }
    if is_unquoted && is_expression(shown)
        || shown.len() < 12 && PLAIN.contains(&shown.to_ascii_lowercase())
    {
        return false;
    }
    let is_digest = is_hex(shown.as_bytes()) && shown.len() >= 16 && has_digit(shown);
    let is_secret = match family {
        NameFamily::Service => {
            is_digest && shown.len() >= 24 || shown.len() >= 14 && is_random_value(shown)
        }
        NameFamily::Loose => {
            let is_strange = !is_unquoted && shown.len() >= 12 && surprise(shown.as_bytes()) > 5.0;
            is_digest && shown.len() >= 32 || !is_digest && (is_strange || is_random_value(shown))
        }
        _ => is_digest || is_weak_secret(text, name, value, family) || is_random_value(shown),
    };
    is_secret && !(is_identifier(shown) && names_secret(shown))
}

/// Returns `true` for a value that is no random one and secret all the same, by the way in which it is written.
fn is_weak_secret(text: &str, name: &str, value: &AssignedValue, family: NameFamily) -> bool {
    let end = text.floor_char_boundary(value.place.end.min(value.place.start + MAX_JUDGED));
    let shown = text.get(value.place.start..end).unwrap_or_default().trim();
    let is_password = family == NameFamily::Password;
    let is_identifier = is_identifier(shown);
    let is_long = shown.len() >= MIN_CHARS;
    let is_words = surprise(shown.as_bytes()) < 4.2;
    let is_sentence = shown.matches(' ').count() > 1 && surprise(shown.as_bytes()) < 4.8;
    if is_sentence || shown.contains(' ') && is_words {
        let is_bounded =
            !matches!(value.style, ValueStyle::Colon | ValueStyle::Word | ValueStyle::Spaced);
        let is_named = is_variable(name) && !has_grammar(shown);
        let is_long_phrase = shown.split(' ').count() > 10 || has_digit(shown);
        return is_bounded
            && (is_password && is_named || (is_password || is_long_phrase) && is_phrase(shown));
    }
    match value.style {
        ValueStyle::Quoted => {
            let is_name = !shown.bytes().all(|byte| byte.is_ascii_lowercase()) || shown.len() < 10;
            let is_numbered = shown.len() >= 12
                && has_digit(shown)
                && shown.bytes().all(|byte| byte.is_ascii_alphanumeric());
            is_long
                && (is_password
                    || (!is_words || is_numbered) && !is_path(shown)
                    || (is_variable(name) || name.to_lowercase().ends_with("secret"))
                        && !is_name
                        && is_password_word(shown))
        }
        ValueStyle::Bare if is_variable(name) => true,
        ValueStyle::Bare if ends_argument(text, value.place.end) => {
            is_long && has_digit(shown) && !is_identifier
        }
        ValueStyle::Bare => !(is_identifier && shown.contains(['.', ':'])),
        ValueStyle::Spaced => {
            let is_mixed = has_digit(shown) && (has_symbol(shown) || !is_identifier && !is_words);
            shown.len() >= 8 && (is_mixed || surprise(shown.as_bytes()) > 5.2)
        }
        ValueStyle::Line if is_password => is_long && !is_type(shown),
        ValueStyle::Line | ValueStyle::Colon => {
            is_long && has_digit(shown) && !is_type(shown) && !is_path(shown)
        }
        ValueStyle::Element => is_long && (is_password || has_digit(shown)),
        ValueStyle::Argument => {
            !shown.starts_with('-')
                && is_long
                && (is_password && is_password_word(shown) || is_no_word(shown))
        }
        ValueStyle::Numbers => true,
        ValueStyle::Record => {
            is_long && (is_password && is_password_word(shown) || has_digit(shown))
        }
        // An option is none.
        ValueStyle::Word if shown.starts_with('-') => false,
        ValueStyle::Word => {
            is_long && (has_digit(shown) || has_symbol(shown) || is_password && !is_words)
        }
        ValueStyle::QuotedWord => is_long && (is_password || has_digit(shown) || has_symbol(shown)),
    }
}

/// Returns the word at a place, if it can be a password of a command: it has letters and a digit and is no name, path, address or number.
pub(super) fn password_at(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let word = rest.split(|c: char| c.is_whitespace()).next()?.trim_matches(['"', '\'']);
    let is_password = word.len() >= MIN_CHARS
        && has_digit(word)
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!@#$%^&*+~".contains(&byte))
        && surprise(word.as_bytes()) > 5.0;
    (is_password && !is_placeholder(word)).then(|| place_of(text, word))
}

/// The words between a name and its value in a sentence, in several languages.
const COPULAS: [&str; 14] = [
    "is now ", "is set to ", "was set to ", "set to ", "changed to ", "is ", "was ", "equals ",
    "becomes ", "ist ", "war ", "lautet ", "est ", "es ",
];

/// Returns the random value or the digest that a sentence gives a name, as in `CF_API_KEY is 0f3a…`.
pub(super) fn value_in_prose(text: &str, name_end: usize) -> Option<Range<usize>> {
    let rest = text.get(name_end..)?.trim_start_matches([' ', '\t']);
    let near = rest.get(..rest.floor_char_boundary(MAX_JUDGED))?;
    let lower = near.get(..near.floor_char_boundary(16))?.to_ascii_lowercase();
    let copula = COPULAS.into_iter().find(|copula| lower.starts_with(copula))?;
    let word =
        near.get(copula.len()..)?.split(char::is_whitespace).find(|word| !word.is_empty())?;
    let word = word.trim_matches(|c: char| "\"'`.,;:!?()«»“”".contains(c));
    let is_digest = word.len() >= 24 && is_hex(word.as_bytes()) && has_digit(word);
    let is_value = is_digest || word.len() >= 12 && has_digit(word) && is_random_value(word);
    (is_value && !is_placeholder(word)).then(|| place_of(text, word))
}

/// Returns the first word of a sentence about a password that can only be the password: it has no order, and letters and digits.
pub(super) fn password_in(text: &str, sentence: Range<usize>) -> Option<Range<usize>> {
    let words =
        text.get(sentence)?.split(|c: char| c.is_whitespace() || "「」『』“”«»,()=<>".contains(c));
    words
        .map(|word| word.trim_matches(|c: char| "\"'`.:;!?。，".contains(c)))
        .find(|word| {
            let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let is_mixed = word.bytes().any(|byte| byte.is_ascii_lowercase())
                && word.bytes().any(|byte| byte.is_ascii_uppercase());
            is_plain && is_mixed && has_digit(word) && is_random(word.as_bytes())
        })
        .map(|word| place_of(text, word))
}

/// Returns `true` for the secret in a cell of a table, below a name.
pub(super) fn is_secret_cell(text: &str, cell: &Range<usize>, family: NameFamily) -> bool {
    let shown = text.get(cell.clone()).unwrap_or_default();
    let is_password = family == NameFamily::Password;
    let is_word =
        is_password_word(shown) && shown.len() >= 8 && !shown.contains(['.', '/', '(', '_']);
    let is_strong =
        is_random_value(shown) || is_password && (has_digit(shown) && is_no_word(shown) || is_word);
    shown.len() >= MIN_CHARS && !is_placeholder(shown) && is_strong && !names_secret(shown)
}

/// Returns `true` if the value or a part of it between signs has no order.
fn is_random_value(shown: &str) -> bool {
    let long = shown.get(..shown.floor_char_boundary(256)).unwrap_or(shown);
    is_random(long.as_bytes())
        || long
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|part| part.len() >= 12 && is_random(part.as_bytes()))
}

/// Returns `true` for a placeholder: a variable, a template, stars.
pub(super) fn is_placeholder(shown: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !(has_digit(name) && is_random(name.as_bytes()))
    };
    let variable = shown
        .strip_prefix('$')
        .or_else(|| shown.strip_prefix('%'))
        .map(|name| name.trim_end_matches('%'));
    variable.is_some_and(is_name)
        || ["${", "$(", "{{", "<", "%(", "%{", "#{", "${{", "=", ":", "@", "~"]
            .iter()
            .any(|start| shown.starts_with(start))
        || shown.chars().all(|c| "*.xX-_#?•…".contains(c))
        || shown.contains("***")
        || shown.starts_with('[') && shown.ends_with(']')
        || shown.starts_with('{') && shown.ends_with('}') && is_name(shown.trim_matches(['{', '}']))
        || shown.starts_with('%') && !has_digit(shown)
}

/// Returns `true` for calls, paths of fields and other expressions of source code.
fn is_expression(shown: &str) -> bool {
    let head = shown.split(|c: char| !(c.is_alphanumeric() || "_.:&*!?->".contains(c))).next();
    let head = head.unwrap_or_default();
    let opens = shown.get(head.len()..).and_then(|rest| rest.chars().next());
    let is_words = !head.is_empty() && !is_random(head.as_bytes());
    let is_call = matches!(opens, Some('(' | '[' | '<' | '{')) && is_words;
    let is_reference =
        shown.starts_with(['&', '*', '(', '[', '|', '{', '+']) && !is_random(shown.as_bytes());
    // `e.password||""`
    let is_member = shown
        .split(['|', '&', '?', '+'])
        .any(|part| part.split_once('.').is_some_and(|(_, field)| names_secret(field)));
    is_member
        || is_call
            && (shown.ends_with([')', ']', '>', '}', ',', ';', '?'])
                || opens == Some('(') && !shown.contains(')'))
        || is_reference
        || shown.contains("::") && !is_random_value(shown)
}

fn is_identifier(shown: &str) -> bool {
    shown.chars().all(|c| c.is_alphanumeric() || "_.:-/?!".contains(c))
}

/// Returns `true` for the name of a variable of the environment.
fn is_variable(name: &str) -> bool {
    !name.chars().any(char::is_lowercase) && name.chars().any(char::is_uppercase)
}

/// Returns `true` if the value is an argument of a call or a field of a record: more follows.
fn ends_argument(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default();
    let after = rest.strip_prefix(';').unwrap_or("-");
    rest.starts_with([',', ')', '}', ']'])
        || after.trim_start().is_empty()
        || after.starts_with([' ', '\n'])
}

/// Returns `true` for names of types, such as `uint64`, `Option` or `SecretString`.
fn is_type(shown: &str) -> bool {
    let sized = shown.trim_end_matches(|c: char| c.is_ascii_digit());
    let known =
        ["int", "uint", "float", "bytes", "utf", "u", "i", "f", "string", "str", "char", "varchar"];
    let is_class = shown.chars().next().is_some_and(char::is_uppercase)
        && shown.chars().all(|c| c.is_ascii_alphabetic())
        && shown.chars().any(|c| c.is_ascii_lowercase());
    known.contains(&sized.to_ascii_lowercase().as_str()) || is_class
}

fn is_path(shown: &str) -> bool {
    (shown.contains('/') || shown.contains('.') || shown.contains("::"))
        && surprise(shown.as_bytes()) < 4.6
}

/// Returns `true` for what has a digit or a sign, or no order.
pub(super) fn is_no_word(text: &str) -> bool {
    has_digit(text) || has_symbol(text) || surprise(text.as_bytes()) > 4.3
}

fn has_symbol(text: &str) -> bool {
    text.bytes().any(|byte| b"!@#$%^&*+~`|;".contains(&byte))
}
