//! Time limits that tests set in code: they may fall, not rise.

use papayu_base::text::Pattern;
use papayu_lang::Family;

/// A time limit in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeLimit {
    /// The call or setting that limits.
    pub(super) what: String,
    /// In the unit of the runner. Only values of the same call are compared.
    pub(super) value: f64,
    /// From 1.
    pub(super) line: usize,
    /// The runner has a limit by default, so that a new one may lengthen it.
    pub(super) has_default: bool,
}

/// Time limits in JavaScript: the setting, then a number or a product such as `60 * 1000`.
const SCRIPT: &str = r"\b(jest\s*\.\s*setTimeout|this\s*\.\s*(?:timeout|slow|retries)|vi\s*\.\s*setConfig|testTimeout|hookTimeout|test\s*\.\s*setTimeout|setDefaultTimeout|jasmine\s*\.\s*DEFAULT_TIMEOUT_INTERVAL)\s*[(:=]\s*\(?\{?\s*(?:testTimeout\s*:\s*)?([\d_]+(?:\.\d+)?(?:\s*\*\s*[\d_]+)*)";
/// Time limits in Python, Java and Rust.
const OTHERS: &str = r"@(pytest\.mark\.timeout|Timeout|timeout_decorator\.timeout)\s*\(\s*(?:value\s*=\s*|timeout\s*=\s*)?([\d_]+(?:\.\d+)?)|@Test\s*\(\s*(timeout)\s*=\s*([\d_]+)|#\[(timeout)\(([\d_]+)";

static SCRIPTS: Pattern = Pattern::new(SCRIPT);
static OTHER: Pattern = Pattern::new(OTHERS);

/// Returns the time limits of a file.
pub(super) fn find_limits(text: &str, family: Family) -> Vec<TimeLimit> {
    let is_script = family == Family::Script;
    let pattern = if is_script { &SCRIPTS } else { &OTHER };
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for hit in pattern.captures_iter(line) {
            let mut parts = hit.iter().skip(1).flatten().map(|part| part.as_str());
            let (Some(what), Some(value)) = (parts.next(), parts.next()) else { continue };
            let factors = value.replace('_', "");
            let value = factors.split('*').filter_map(|it| it.trim().parse::<f64>().ok()).product();
            let what = what.split_whitespace().collect();
            found.push(TimeLimit { what, value, line: number + 1, has_default: is_script });
        }
    }
    found
}

/// Returns the first limit that rises, or that is new where the runner has a default. `None` if all are as
/// strict as before.
pub(super) fn find_raised(before: &[TimeLimit], after: &[TimeLimit]) -> Option<TimeLimit> {
    let raised = after.iter().find(|limit| match largest_value(before, &limit.what) {
        Some(was) => limit.value > was,
        None => limit.has_default,
    });
    raised.cloned()
}

/// Returns the largest value of a limit; `None` if it does not occur.
fn largest_value(limits: &[TimeLimit], what: &str) -> Option<f64> {
    let values = limits.iter().filter(|limit| limit.what == what).map(|limit| limit.value);
    values.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(SCRIPTS.is_valid() && OTHER.is_valid());
    }
}
