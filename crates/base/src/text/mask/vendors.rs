//! Reads the table of the forms of key that services issue.

use serde::Deserialize;

use super::rule::{SecretRule, Start};
use crate::text::Pattern;

/// The table.
const TABLE: &str = include_str!("vendors.toml");

#[derive(Deserialize)]
struct Table {
    rules: Vec<VendorForm>,
}

/// One form, as the table has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VendorForm {
    #[cfg_attr(not(test), expect(dead_code, reason = "it names the row for readers and tests"))]
    id: String,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    near: Vec<String>,
    regex: String,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    anywhere: bool,
    #[serde(default)]
    no_word: bool,
}

impl From<VendorForm> for SecretRule {
    fn from(row: VendorForm) -> Self {
        let regex = row.regex.replace(r"\b", r"(?-u:\b)");
        let (cues, start, pattern) = if row.near.is_empty() {
            let start = if row.anywhere { Start::Anywhere } else { Start::Word };
            (row.keywords, start, format!("^(?:{regex})"))
        } else {
            (row.near, Start::Near, regex)
        };
        Self {
            cues,
            start,
            pattern: Pattern::of(pattern),
            entropy: row.entropy,
            is_no_word: row.no_word,
        }
    }
}

/// Returns the rules of the table; none where it is not valid, which a test denies.
pub(super) fn vendor_rules() -> Vec<SecretRule> {
    let table = toml::from_str(TABLE).unwrap_or(Table { rules: Vec::new() });
    table.rules.into_iter().map(SecretRule::from).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_is_valid_and_is_reached_by_lower_case_words() {
        let table: Table = toml::from_str(TABLE).unwrap();
        let ids: BTreeSet<_> = table.rules.iter().map(|row| row.id.clone()).collect();
        assert_eq!(ids.len(), table.rules.len());
        assert!(table.rules.len() > 150, "{}", table.rules.len());
        for row in table.rules {
            let id = row.id.clone();
            let ways = [&row.keywords, &row.near];
            assert_eq!(ways.iter().filter(|words| !words.is_empty()).count(), 1, "{id}");
            let rule = SecretRule::from(row);
            assert!(rule.pattern.is_valid(), "{id}");
            assert!(rule.cues.iter().all(|cue| *cue == cue.to_lowercase()), "{id}");
        }
    }
}
