//! Time limits that tests set in code: they may fall, not rise.

use crate::lang::Family;
use crate::text::Pattern;

/// A limit that stands in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    /// What is limited.
    pub(super) what: String,
    pub(super) value: f64,
    /// From 1.
    pub(super) line: usize,
    /// Whether one that is new lengthens a default; others only shorten what was without limit.
    pub(super) has_default: bool,
}

const SCRIPT: &str = r"\b(jest\s*\.\s*setTimeout|this\s*\.\s*(?:timeout|slow|retries)|vi\s*\.\s*setConfig|testTimeout|hookTimeout|test\s*\.\s*setTimeout|setDefaultTimeout|jasmine\s*\.\s*DEFAULT_TIMEOUT_INTERVAL)\s*[(:=]\s*\(?\{?\s*(?:testTimeout\s*:\s*)?([\d_]+(?:\.\d+)?(?:\s*\*\s*[\d_]+)*)";
const OTHERS: &str = r"@(pytest\.mark\.timeout|Timeout|timeout_decorator\.timeout)\s*\(\s*(?:value\s*=\s*|timeout\s*=\s*)?([\d_]+(?:\.\d+)?)|@Test\s*\(\s*(timeout)\s*=\s*([\d_]+)|#\[(timeout)\(([\d_]+)";

static SCRIPTS: Pattern = Pattern::new(SCRIPT);
static OTHER: Pattern = Pattern::new(OTHERS);

/// Returns the limits of a file.
pub(super) fn find(text: &str, language: Family) -> Vec<Limit> {
    let is_script = language == Family::Script;
    let pattern = if is_script { &SCRIPTS } else { &OTHER };
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for hit in pattern.captures_iter(line) {
            let mut parts = hit.iter().skip(1).flatten().map(|part| part.as_str());
            let (Some(what), Some(value)) = (parts.next(), parts.next()) else { continue };
            let factors = value.replace('_', "");
            let value = factors.split('*').filter_map(|it| it.trim().parse::<f64>().ok()).product();
            let what = what.split_whitespace().collect();
            found.push(Limit { what, value, line: number + 1, has_default: is_script });
        }
    }
    found
}

/// Returns the first limit that rises.
pub(super) fn rises(before: &[Limit], after: &[Limit]) -> Option<Limit> {
    let largest = |limits: &[Limit], what: &str| {
        limits
            .iter()
            .filter(|it| it.what == what)
            .map(|it| it.value)
            .fold(None, |most, value| Some(most.map_or(value, |most: f64| most.max(value))))
    };
    after
        .iter()
        .find(|limit| {
            let was = largest(before, &limit.what);
            was.map_or(limit.has_default, |was| limit.value > was)
        })
        .cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(SCRIPTS.is_valid() && OTHER.is_valid());
    }
}
