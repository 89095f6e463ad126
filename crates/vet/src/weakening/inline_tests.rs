//! Finds the lines of a Rust file that are compiled for its tests alone.

use std::ops::RangeInclusive;

use super::test_items::{TestItemFinder, is_test_attribute, match_brackets};
use papayu_lang::{Token, cut_tokens};

/// Most tokens of an attribute that is read. The bracket of a longer one is taken for a stray
/// one.
const MAX_ATTRIBUTE: usize = 200;

/// Returns the line ranges, from 1, of everything under `#[cfg(test)]` or a test attribute, in
/// order.
pub fn inline_tests(text: &str) -> Vec<RangeInclusive<usize>> {
    let tokens = cut_tokens("a.rs", text).code;
    let finder = TestItemFinder { tokens: &tokens, closers: match_brackets(&tokens) };
    let mut found: Vec<RangeInclusive<usize>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let begins = finder.begins_attribute(at);
        let end = finder.close(at + 1);
        let is_short = begins && end.saturating_sub(at) <= MAX_ATTRIBUTE;
        let attribute = if is_short { finder.join_texts(at + 2..end) } else { String::new() };
        if is_for_tests(&attribute) || is_test_attribute(&attribute) {
            let last = finder.item_end(end + 1);
            found.push(line_at(&tokens, at)..=line_at(&tokens, last));
            at = last;
        }
        at += 1;
    }
    found
}

/// Returns the line of a token, or of the last token for a position after it.
fn line_at(tokens: &[Token], at: usize) -> usize {
    tokens.get(at).or_else(|| tokens.last()).map_or(1, |token| token.line)
}

/// Returns `true` for `cfg(test)` and `cfg(all(test, unix))`. Code under `not` or `any` is also
/// built without tests.
fn is_for_tests(attribute: &str) -> bool {
    let words: Vec<&str> = attribute.split(' ').collect();
    let is_free = words.iter().any(|word| ["not", "any"].contains(word));
    words.first() == Some(&"cfg") && words.contains(&"test") && !is_free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_for_tests_alone_is_found_whatever_it_is() {
        let text = "use a::b;\n#[cfg(test)]\nuse c::d;\n#[cfg(not(test))]\nfn e() {}\n\
            #[cfg(all(test, unix))]\n#[inline]\nfn f(a: [u8; 2]) {\n    \"}\";\n}\nfn g() {}\n\
            #[cfg(test)]\nmod tests {\n    #[test]\n    fn h() {}\n}\n#[cfg(any(test, x))]\nfn i() {}\n";
        assert_eq!(inline_tests(text), [2..=3, 6..=10, 12..=16]);
    }

    #[test]
    fn hostile_texts_end_in_time() {
        for text in ["#[cfg(test)]".repeat(20_000), "#[".repeat(50_000), "#[test]{".repeat(20_000)]
        {
            assert!(inline_tests(&text).len() <= 20_000);
        }
    }
}
