//! Holds a test's tokens before against those after: what is lost of it, and what defuses it.

use std::collections::{HashMap, HashSet};

use super::token::{Kind, Token};

/// Words that come and go with a signature or a borrow and say nothing of what is expected.
const SMALL: &[&str] = &[
    "mut",
    "ref",
    "clone",
    "into",
    "to_string",
    "to_owned",
    "as_ref",
    "as_str",
    "as_mut",
    "borrow",
    "move",
    "async",
    "await",
    "let",
    "const",
    "var",
    "unwrap",
    "copied",
    "cloned",
    "iter",
    "into_iter",
    "as",
    "usize",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "i8",
    "i16",
    "i32",
    "i64",
    "f32",
    "f64",
    "String",
    "from",
    "new",
    "str",
    "crate",
    "super",
    "self",
    "Self",
    "pub",
    "dyn",
    "impl",
    "static",
    "final",
    "val",
];

/// Words whose presence is the meaning of a test, whatever else is renamed.
const KEPT: &[&str] = &[
    "true",
    "false",
    "True",
    "False",
    "None",
    "null",
    "undefined",
    "nil",
    "NaN",
    "Some",
    "Ok",
    "Err",
    "not",
];

/// Words that turn an assertion round, or make it true.
const TURNING: &[&str] = &[
    "not",
    "or",
    "and",
    "true",
    "false",
    "True",
    "False",
    "any",
    "Any",
    "anything",
    "is",
    "if",
    "else",
    "in",
    "instanceof",
    "matches",
    "ANY",
];

/// Words that, new in a test that was there, let it end early or swallow what it says.
const DEFUSING: &[&str] = &[
    "return",
    "try",
    "except",
    "catch",
    "catch_unwind",
    "suppress",
    "rescue",
    "exit",
    "pass",
    "continue",
    "break",
];

/// The words of a whole file.
pub(super) type Words<'a> = HashSet<&'a str>;

/// Returns the words of a file.
pub(super) fn words(tokens: &[Token]) -> Words<'_> {
    tokens.iter().filter(|it| it.kind == Kind::Word).map(|it| it.text.as_str()).collect()
}

/// Returns a token as it is compared: `1_0u32` is `10`, `1.0` is `1`.
fn compared(token: &Token) -> String {
    if token.kind != Kind::Number {
        return token.text.clone();
    }
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

/// Returns one thing that a test says no more; `None` when all of it is still there, names aside that
/// the file does not know any more.
pub(super) fn lost(before: &[Token], after: &[Token], after_words: &Words<'_>) -> Option<String> {
    let mut counts: HashMap<(bool, String), (i64, usize)> = HashMap::new();
    for token in before.iter().filter(|token| is_significant(token)) {
        let entry =
            counts.entry((token.kind == Kind::Word, compared(token))).or_insert((0, token.line));
        entry.0 += 1;
    }
    let mut new_words = 0_i64;
    for token in after.iter().filter(|token| is_significant(token)) {
        let key = (token.kind == Kind::Word, compared(token));
        match counts.get_mut(&key) {
            Some(entry) => entry.0 -= 1,
            None if key.0 => new_words += 1,
            None => {}
        }
    }
    let mut gone: Vec<_> = counts.into_iter().filter(|(_, (count, _))| *count > 0).collect();
    gone.sort_by_key(|(_, (_, line))| *line);
    for ((is_word, text), (count, _)) in gone {
        // A word with a new one in its place, and gone from the whole file, was renamed.
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

fn is_significant(token: &Token) -> bool {
    match token.kind {
        Kind::Mark => false,
        Kind::Word => !SMALL.contains(&token.text.as_str()),
        Kind::Number | Kind::Text => true,
    }
}

/// Returns what is new in a test and takes its force.
pub(super) fn defused(before: &[Token], after: &[Token]) -> Option<String> {
    let count = |tokens: &[Token], word: &str| {
        tokens.iter().filter(|it| it.kind == Kind::Word && it.text == word).count()
    };
    let word = DEFUSING.iter().find(|word| count(after, word) > count(before, word));
    word.map(|word| (*word).to_owned()).or_else(|| {
        let (was, is) = (constants(before), constants(after));
        (is > was).then(|| "a constant condition".to_owned())
    })
}

/// Counts `if false`, `|| true`, `or True` and the like.
fn constants(tokens: &[Token]) -> usize {
    let is = |token: Option<&Token>, words: &[&str]| {
        token.is_some_and(|token| words.contains(&token.text.as_str()))
    };
    let mut count = 0;
    for (at, token) in tokens.iter().enumerate() {
        let next =
            tokens.get(at + 1).filter(|next| next.text != "(").or_else(|| tokens.get(at + 2));
        let never =
            is(Some(token), &["if", "while", "and", "&"]) && is(next, &["false", "False", "0"]);
        let always = is(Some(token), &["or", "|"]) && is(next, &["true", "True", "1"]);
        count += usize::from(never || always);
    }
    count
}

/// Tells whether a word begins an assertion.
pub(super) fn is_assertion(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let begins = [
        "assert",
        "expect",
        "refute",
        "require",
        "xct",
        "prop_assert",
        "debug_assert",
        "check_eq",
        "verify",
    ];
    begins.iter().any(|it| lower.starts_with(it))
        || ["should", "raises", "fail", "panic"].contains(&word)
}

/// Returns the assertions in a body as spans, in order.
pub(super) fn assertions(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_defined = at > 0
            && tokens
                .get(at - 1)
                .is_some_and(|it| ["fn", "def", "use", "import"].contains(&it.text.as_str()));
        if token.kind != Kind::Word || !is_assertion(&token.text) || is_defined {
            at += 1;
            continue;
        }
        let end = end_of_statement(tokens, at);
        found.extend(tokens.get(at..end));
        at = end.max(at + 1);
    }
    found
}

/// A statement ends where its brackets are closed and the line, or a `;`, ends it.
fn end_of_statement(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_i32;
    for (end, token) in tokens.iter().enumerate().skip(at) {
        let is_new_line =
            end > at && tokens.get(end - 1).is_some_and(|last| last.line < token.line);
        let ends = token.kind == Kind::Mark && token.text == ";";
        if depth <= 0 && end > at && (ends || (is_new_line && token.text != ".")) {
            return end;
        }
        match token.text.as_str() {
            "(" | "[" | "{" if token.kind == Kind::Mark => depth += 1,
            ")" | "]" | "}" if token.kind == Kind::Mark => {
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

/// Returns the first assertion that is gone, or that says something else now.
pub(super) fn lost_assertion<'a>(
    before: &'a [Token],
    after: &[Token],
    after_words: &Words<'_>,
) -> Option<&'a [Token]> {
    let (was, is) = (assertions(before), assertions(after));
    let mut rest = is.iter();
    was.into_iter().find(|old| !rest.any(|new| still_says(old, new, after_words)))
}

/// Tells whether an assertion says at least what it said: besides renamed words it may have got another
/// argument, a message or an `unwrap`, but nothing that turns it round.
fn still_says(before: &[Token], after: &[Token], after_words: &Words<'_>) -> bool {
    let mut old = before.iter().peekable();
    for (at, token) in after.iter().enumerate() {
        while let Some(waiting) = old.peek().copied() {
            let renamed = waiting.kind == Kind::Word
                && token.kind == Kind::Word
                && !is_assertion(&waiting.text)
                && !KEPT.contains(&waiting.text.as_str())
                && !TURNING.contains(&token.text.as_str())
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
                || (waiting.kind == Kind::Word
                    && token.kind == Kind::Word
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

fn is_same(one: &Token, other: &Token) -> bool {
    let same_sort =
        (one.kind == other.kind) || (one.kind != Kind::Mark && other.kind != Kind::Mark);
    same_sort && compared(one) == compared(other)
}

fn may_come(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let previous =
        at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |it| it.text.as_str());
    let next = tokens.get(at + 1).map_or("", |it| it.text.as_str());
    match token.kind {
        Kind::Mark => [",", ".", "(", ")", "&", "*", "?", ":", "[", "]", "{", "}"]
            .contains(&token.text.as_str()),
        Kind::Text | Kind::Number => [",", "(", "["].contains(&previous),
        Kind::Word if previous == "." || next == "(" => {
            SMALL.contains(&token.text.as_str())
                || ["Some", "Ok", "Err"].contains(&token.text.as_str())
        }
        Kind::Word => !TURNING.contains(&token.text.as_str()),
    }
}
