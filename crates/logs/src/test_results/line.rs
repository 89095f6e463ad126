//! Small readers that the runners' formats share.

use papayu_base::domain::outcome::TestCounts;

/// Returns the number at the start of a text: 12 for `12 passed`; `None` if there is none.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

/// Returns the number of each part that `words` names, of a list such as `1 failed, 3 passed`.
///
/// `None` if a part is not a number and a word.
pub(super) fn read_amounts(list: &str, separator: &str) -> Option<Vec<(u64, String)>> {
    let part = |part: &str| {
        let (number, word) = part.trim().split_once(' ')?;
        let word = word.trim().to_ascii_lowercase();
        Some((number.parse().ok()?, word)).filter(|_| !word_is_long(part))
    };
    list.split(separator).map(part).collect()
}

/// Returns `true` if a part is too long to be a number and a word; the line is prose then.
fn word_is_long(part: &str) -> bool {
    part.len() > 40
}

/// Returns the totals of a list of amounts by the words of a runner. Words of no list are
/// ignored.
pub(super) fn totals_of(amounts: &[(u64, String)], words: &TotalWords) -> TestCounts {
    let sum = |names: &[&str]| {
        amounts.iter().filter(|(_, word)| names.contains(&word.as_str())).map(|(n, _)| n).sum()
    };
    TestCounts { passed: sum(words.passed), failed: sum(words.failed), skipped: sum(words.skipped) }
}

/// The words of a runner's totals, in lower case.
pub(super) struct TotalWords {
    pub(super) passed: &'static [&'static str],
    pub(super) failed: &'static [&'static str],
    pub(super) skipped: &'static [&'static str],
}

/// Returns a test's name without the duration behind it: ` (12ms)`, ` [0.5s]`, ` 3 ms`.
/// Only the last parentheses are removed, and only if they contain a duration.
pub(super) fn without_duration(name: &str) -> &str {
    let name = name.trim_end();
    for (open, close) in [(" (", ')'), (" [", ']')] {
        if let Some((before, inside)) =
            name.strip_suffix(close).and_then(|text| text.rsplit_once(open))
            && is_duration(inside)
        {
            return before.trim_end();
        }
    }
    match name.rsplit_once(' ') {
        Some((before, "ms" | "s")) => {
            before.rsplit_once(' ').filter(|(_, n)| is_number(n)).map_or(name, |(name, _)| name)
        }
        Some((before, last)) if is_duration(last) => before.trim_end(),
        _ => name,
    }
}

/// Returns `true` for `12ms`, `0.5 s` and the like.
fn is_duration(text: &str) -> bool {
    let text = text.trim();
    ["ms", "µs", "us", "ns", "s", "m"]
        .iter()
        .any(|unit| text.strip_suffix(unit).is_some_and(|number| is_number(number.trim_end())))
}

/// Returns `true` for digits with an optional decimal point.
fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Returns the number of bytes of white space at the start of a line.
pub(super) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
