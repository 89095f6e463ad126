//! Compares the tokens of one test before and after: what it loses, and what makes it pass.

use std::collections::{HashMap, HashSet};

use papayu_base::text::WordList;
use papayu_lang::{Token, TokenKind};

/// Words that come and go with a signature or a borrow and say nothing of what is expected.
static SMALL: WordList = WordList::new(
    "mut ref clone into to_string to_owned as_ref as_str as_mut borrow move async await let const \
    var unwrap copied cloned iter into_iter as usize isize u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 \
    String from new str crate super self Self pub dyn impl static final val",
);

/// Words that carry the meaning of a test. A change of one is never a renaming.
const KEPT: &[&str] = &[
    "true", "false", "True", "False", "None", "null", "undefined", "nil", "NaN", "Some", "Ok",
    "Err", "not",
];

/// Words that invert an assertion or make it true.
static TURNING: WordList = WordList::new(
    "not or and true false True False any Any anything is if else in instanceof matches ANY",
);

/// Words that, new in an existing test, end it early or hide its failure.
const DEFUSING: &[&str] = &[
    "return", "try", "except", "catch", "catch_unwind", "suppress", "rescue", "exit", "pass",
    "continue", "break",
];

/// The words of a whole file. They show whether a name was renamed or only removed from a test.
pub(super) type WordSet<'a> = HashSet<&'a str>;

/// Returns the words of a file.
pub(super) fn collect_words(tokens: &[Token]) -> WordSet<'_> {
    tokens.iter().filter(|it| it.kind == TokenKind::Word).map(|it| it.text.as_str()).collect()
}

/// Returns a token in the form in which it is compared: `1_0u32` is `10`, `1.0` is `1`.
fn normalize_token(token: &Token) -> String {
    if token.kind != TokenKind::Number {
        return token.text.clone();
    }
    // Separators of digits do not change a number.
    let text = token.text.replace('_', "");
    if text.starts_with("0x") || text.starts_with("0b") {
        return text;
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number = text.get(..end).unwrap_or(&text);
    match number.split_once('.') {
        Some((whole, rest)) if rest.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => number.to_owned(),
    }
}

/// Returns one word, number or string that a test lost; `None` if all of them are still there.
/// A name that the whole file no longer has may have been renamed, if the test has a new name
/// for it.
pub(super) fn find_lost(
    before: &[Token],
    after: &[Token],
    after_words: &WordSet<'_>,
    // Counts by token: a test may not lose one of two equal values either.
) -> Option<String> {
    let mut counts: HashMap<(bool, String), (i64, usize)> = HashMap::new();
    for token in before.iter().filter(|token| is_significant(token)) {
        let entry = counts
            .entry((token.kind == TokenKind::Word, normalize_token(token)))
            .or_insert((0, token.line));
        entry.0 += 1;
    }
    // A new name in the test can replace one lost name.
    let mut new_words = 0_i64;
    for token in after.iter().filter(|token| is_significant(token)) {
        let key = (token.kind == TokenKind::Word, normalize_token(token));
        match counts.get_mut(&key) {
            Some(entry) => entry.0 -= 1,
            None if key.0 => new_words += 1,
            None => {}
        }
    }
    let mut gone: Vec<_> = counts.into_iter().filter(|(_, (count, _))| *count > 0).collect();
    gone.sort_by_key(|(_, (_, line))| *line);
    for ((is_word, text), (count, _)) in gone {
        // A word that the whole file lost, with a new one in the test, was renamed.
        let may_be_renamed = is_word
            && !KEPT.contains(&text.as_str())
            && !is_assertion(&text)
            && !after_words.contains(text.as_str())
            && new_words >= count;
        if !may_be_renamed {
            return Some(text);
        }
        new_words -= count;
    }
    None
}

/// Returns `true` for a token that states what a test checks: names, numbers and texts, no
/// punctuation.
fn is_significant(token: &Token) -> bool {
    match token.kind {
        TokenKind::Mark => false,
        TokenKind::Word => !SMALL.contains(&token.text),
        TokenKind::Number | TokenKind::Text => true,
    }
}

/// Returns the word or condition that is new in a test and ends it early or hides its failure;
/// `None` if there is none.
pub(super) fn find_defusing(before: &[Token], after: &[Token]) -> Option<String> {
    let word = DEFUSING.iter().find(|word| count_word(after, word) > count_word(before, word));
    word.map(|word| (*word).to_owned()).or_else(|| {
        let (was, is) = (count_constants(before), count_constants(after));
        (is > was).then(|| "a constant condition".to_owned())
    })
}

/// Returns how often a word occurs.
fn count_word(tokens: &[Token], word: &str) -> usize {
    tokens.iter().filter(|it| it.kind == TokenKind::Word && it.text == word).count()
}

/// Returns the number of `if false`, `|| true`, `or True` and the like.
fn count_constants(tokens: &[Token]) -> usize {
    let mut count = 0;
    for (at, token) in tokens.iter().enumerate() {
        // `if (false)`: a parenthesis between the word and the value does not matter.
        let next =
            tokens.get(at + 1).filter(|next| next.text != "(").or_else(|| tokens.get(at + 2));
        let never = is_one_of(Some(token), &["if", "while", "and", "&"])
            && is_one_of(next, &["false", "False", "0"]);
        let always =
            is_one_of(Some(token), &["or", "|"]) && is_one_of(next, &["true", "True", "1"]);
        count += usize::from(never || always);
    }
    count
}

/// Returns `true` if the token is one of the words.
fn is_one_of(token: Option<&Token>, words: &[&str]) -> bool {
    token.is_some_and(|token| words.contains(&token.text.as_str()))
}

/// Returns `true` if a word begins an assertion, such as `assert_eq` or `expect`.
pub(super) fn is_assertion(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let begins = [
        "assert", "expect", "refute", "require", "xct", "prop_assert", "debug_assert", "check_eq",
        "verify",
    ];
    begins.iter().any(|it| lower.starts_with(it))
        || ["should", "raises", "fail", "panic"].contains(&word)
}

/// Returns the assertions of a body in order, each with all its tokens.
pub(super) fn find_assertions(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_defined = at > 0
            && tokens
                .get(at - 1)
                .is_some_and(|it| ["fn", "def", "use", "import"].contains(&it.text.as_str()));
        if token.kind != TokenKind::Word || !is_assertion(&token.text) || is_defined {
            at += 1;
            continue;
        }
        let end = end_of_statement(tokens, at);
        found.extend(tokens.get(at..end));
        at = end.max(at + 1);
    }
    found
}

/// Returns the end of the statement at `at`: where its brackets are closed and a `;` or a new
/// line follows. A line that begins with `.` continues the statement.
fn end_of_statement(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_i32;
    for (end, token) in tokens.iter().enumerate().skip(at) {
        let is_new_line =
            end > at && tokens.get(end - 1).is_some_and(|last| last.line < token.line);
        let ends = token.kind == TokenKind::Mark && token.text == ";";
        if depth <= 0 && end > at && (ends || (is_new_line && token.text != ".")) {
            return end;
        }
        match token.text.as_str() {
            "(" | "[" | "{" if token.kind == TokenKind::Mark => depth += 1,
            ")" | "]" | "}" if token.kind == TokenKind::Mark => {
                depth -= 1;
                if depth < 0 {
                    return end;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// Returns the first assertion that was removed or now checks something else. `None` if all still check the
/// same.
pub(super) fn find_lost_assertion<'a>(
    before: &'a [Token],
    after: &[Token],
    after_words: &WordSet<'_>,
) -> Option<&'a [Token]> {
    // Assertions keep their order, so that each new one answers for one old one only.
    let (was, is) = (find_assertions(before), find_assertions(after));
    let mut rest = is.iter();
    was.into_iter().find(|old| !rest.any(|new| still_checks(old, new, after_words)))
}

/// Returns `true` if an assertion checks at least what it did before.
///
/// It may have renamed words, a further argument, a message or an `unwrap`, but nothing that
/// inverts it.
fn still_checks(before: &[Token], after: &[Token], after_words: &WordSet<'_>) -> bool {
    let mut old = before.iter().peekable();
    for (at, token) in after.iter().enumerate() {
        while let Some(waiting) = old.peek().copied() {
            let renamed = waiting.kind == TokenKind::Word
                && token.kind == TokenKind::Word
                && !is_assertion(&waiting.text)
                && !KEPT.contains(&waiting.text.as_str())
                && !TURNING.contains(&token.text)
                && !after_words.contains(waiting.text.as_str());
            if is_same(waiting, token) || renamed {
                break;
            }
            let mut later = old.clone();
            later.next();
            let may_go = !is_significant(waiting) && !["!", "-"].contains(&waiting.text.as_str());
            if !may_go || !later.peek().is_some_and(|next| is_same(next, token)) {
                break;
            }
            old.next();
        }
        let fits = old.peek().copied().is_some_and(|waiting| {
            is_same(waiting, token)
                || (waiting.kind == TokenKind::Word
                    && token.kind == TokenKind::Word
                    && !is_assertion(&waiting.text)
                    && !KEPT.contains(&waiting.text.as_str())
                    && !after_words.contains(waiting.text.as_str()))
        });
        if fits {
            old.next();
        } else if !may_come(after, at) {
            return false;
        }
    }
    old.all(|token| !is_significant(token))
}

/// Returns `true` if two tokens mean the same. A word, a number and a text are compared by their
/// content, so that `"a"` and `'a'` are equal.
fn is_same(one: &Token, other: &Token) -> bool {
    let same_sort =
        (one.kind == other.kind) || (one.kind != TokenKind::Mark && other.kind != TokenKind::Mark);
    same_sort && normalize_token(one) == normalize_token(other)
}

/// Returns `true` if a token may be added to a test without weakening it.
fn may_come(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let previous =
        at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |it| it.text.as_str());
    let next = tokens.get(at + 1).map_or("", |it| it.text.as_str());
    match token.kind {
        TokenKind::Mark => [",", ".", "(", ")", "&", "*", "?", ":", "[", "]", "{", "}"]
            .contains(&token.text.as_str()),
        TokenKind::Text | TokenKind::Number => [",", "(", "["].contains(&previous),
        TokenKind::Word if previous == "." || next == "(" => {
            SMALL.contains(&token.text) || ["Some", "Ok", "Err"].contains(&token.text.as_str())
        }
        TokenKind::Word => !TURNING.contains(&token.text),
    }
}
