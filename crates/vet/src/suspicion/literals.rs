//! The literals of a text: numbers and strings that a special case would be made for.

use std::collections::HashSet;

/// Literals that honest code compares with all the time.
const COMMON: [&str; 8] = ["0", "1", "-1", "2", "10", "100", "0.0", "1.0"];

/// Returns whether honest code has this literal all the time: a common number, or one mark, which is also what is between two strings.
pub(super) fn is_common(literal: &str) -> bool {
    let is_mark = literal.chars().all(|c| !c.is_alphanumeric()) && literal.chars().count() == 1;
    is_mark || COMMON.contains(&literal)
}

/// Returns the numbers and quoted strings of a text, without those that are common in any code.
pub fn read_literals(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' | '`' => {
                let inner = rest.get(1..).unwrap_or_default();
                let end = inner
                    .find([first, '\n'])
                    .filter(|end| inner.get(*end..).is_some_and(|it| it.starts_with(first)));
                if let Some(text) = end.and_then(|end| inner.get(..end)) {
                    found.insert(text.to_owned());
                    text.len() + 2
                } else {
                    1
                }
            }
            _ if first.is_ascii_digit() => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'));
                let number = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                found.insert(number.trim_end_matches('.').to_owned());
                number.len()
            }
            _ if first.is_alphabetic() || first == '_' => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    found.retain(|it| !it.is_empty() && !is_common(it));
    found
}
