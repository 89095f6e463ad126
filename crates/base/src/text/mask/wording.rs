//! Separates words that are passwords from the words of sentences, labels and help texts.

use super::names::{NameFamily, family_of};
use crate::text::WordList;

/// Shorter values would mask ordinary words.
pub(super) const MIN_CHARS: usize = 6;

/// Words that join others to a sentence; a phrase of passwords has none.
static GRAMMAR: WordList = WordList::new(
    "a an and are as at be by can cannot could do does enter failed for from has have if in invalid is it must no not of on or please required should \
     than that the this to was were will with you your but use used using when which minimum maximum least characters character digits letters \
     wrong new old confirm repeat",
);

/// Endings of words that give a state, a kind or a thing that is done; no password of two words that a person chose ends so.
const STATE_ENDINGS: [&str; 15] = [
    "ed", "ing", "ion", "ions", "ment", "ity", "able", "ible", "ly", "ness", "ence", "ance",
    "ator", "ation", "ful",
];

/// Words for the value of an option, as help texts have them.
static META: WordList = WordList::new(
    "option options argument arguments parameter flag string secret instead before after through against without within between because prompt value \
     values variable default stdin file source server client object number length format failure failures mismatch change changes field fields form \
     handler helper manager provider service support update reset policy error errors",
);

/// Returns `true` if there is a digit of ASCII.
pub(super) fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns `true` if the text is itself the name of a secret, as `password` is in `password = get("password")`.
pub(super) fn names_secret(shown: &str) -> bool {
    matches!(family_of(shown), Some(NameFamily::Password | NameFamily::Secret | NameFamily::Loose))
        || shown
            .split(['.', '_', '-', '/', ':'])
            .any(|part| matches!(family_of(part), Some(NameFamily::Password | NameFamily::Secret)))
}

/// Returns `true` for the words of a sentence.
pub(super) fn has_grammar(shown: &str) -> bool {
    grammar_words(shown).next().is_some()
}

/// Returns the words that join others to a sentence.
pub(super) fn grammar_words(shown: &str) -> impl Iterator<Item = String> {
    let words = shown.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    words.filter(|word| GRAMMAR.contains(word))
}

/// Returns `true` for one word that can be a password and is none of a sentence: long enough, and no word for a state or a kind of value.
pub(super) fn is_password_word(shown: &str) -> bool {
    let lower = shown.to_lowercase();
    let is_state = STATE_ENDINGS.iter().any(|ending| lower.ends_with(ending));
    shown.len() >= MIN_CHARS
        && !shown.contains(char::is_whitespace)
        && !is_state
        && !META.contains(&lower)
        && !GRAMMAR.contains(&lower)
        && !names_secret(shown)
}

/// Returns `true` for words that are one password together, as in `correct horse battery staple`, and no label or sentence.
pub(super) fn is_phrase(shown: &str) -> bool {
    let words = shown.split(' ');
    let count = words.clone().count();
    let is_word = |word: &str| {
        (word.len() > 1 || has_digit(word))
            && word.chars().all(|c| c.is_lowercase() || c.is_ascii_digit())
    };
    (count > 2 || count == 2 && has_digit(shown))
        && words.clone().all(|word| is_word(word) && !names_secret(word))
        && words.clone().all(|word| !META.contains(word))
        && !has_grammar(shown)
}

/// Returns `true` for the beginning of a command: a program and its arguments, which are no sentence.
pub(super) fn is_command_line(before: &str) -> bool {
    let command = before.rsplit(['|', ';', '`']).next().unwrap_or_default();
    let command = command.trim_start_matches([' ', '\t', '+', '$', '>', '-', '"', '\'']);
    let mut words = command.split_whitespace();
    let ends =
        |word: &str| word.ends_with([',', '!', '?', '.', ')']) || word.starts_with(['[', '(', '<']);
    let program = words.next().unwrap_or_default();
    !program.is_empty()
        && program.chars().all(|c| c.is_ascii_alphanumeric() || "_-./\\:".contains(c))
        && !is_sentence(command, ends)
}

/// Returns `true` if a word that is no value of an option is one of a sentence.
fn is_sentence(command: &str, ends: fn(&str) -> bool) -> bool {
    let mut is_value = false;
    command.split_whitespace().any(|word| {
        let is_grammar = word.len() > 1 && !is_value && GRAMMAR.contains(&word.to_lowercase());
        is_value = word.starts_with('-');
        is_grammar || ends(word)
    })
}
