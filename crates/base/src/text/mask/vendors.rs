//! Reads the table of the forms of key that services issue.

use serde::Deserialize;

use super::rule::{SecretRule, Start, is_assigned};
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
    #[serde(default)]
    after: Vec<String>,
    regex: String,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    anywhere: bool,
}

impl From<VendorForm> for SecretRule {
    fn from(row: VendorForm) -> Self {
        let regex = row.regex.replace(r"\b", r"(?-u:\b)");
        let is_assignment = !row.after.is_empty();
        let (cues, start, pattern) = if !row.near.is_empty() {
            (row.near, Start::Near, regex)
        } else if !row.after.is_empty() {
            let names = row.after.iter().map(|name| name.replace('.', r"\.")).collect::<Vec<_>>();
            (row.after, Start::Anywhere, assignment_of(&names.join("|"), &regex))
        } else {
            let start = if row.anywhere { Start::Anywhere } else { Start::Word };
            (row.keywords, start, format!("^(?:{regex})"))
        };
        let is_worth_it = if is_assignment { is_assigned } else { |_: &[u8]| true };
        Self { entropy: row.entropy, is_worth_it, ..Self::of(cues, start, Pattern::of(pattern)) }
    }
}

/// Returns the pattern of an assignment of the value to a name that begins with one of `names`.
fn assignment_of(names: &str, value: &str) -> String {
    format!(
        r"^(?i:{names})[A-Za-z0-9_.-]{{0,40}}\\{{0,3}}[\x22\x27]?\]?\s{{0,3}}(?:=>|:=|[=:,])\s{{0,3}}\\{{0,3}}[\x22\x27]?(?<secret>{value})"
    )
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
        assert!(table.rules.len() > 200, "{}", table.rules.len());
        for row in table.rules {
            let id = row.id.clone();
            let ways = [&row.keywords, &row.near, &row.after];
            assert_eq!(ways.iter().filter(|words| !words.is_empty()).count(), 1, "{id}");
            let rule = SecretRule::from(row);
            assert!(rule.pattern.is_valid(), "{id}");
            assert!(rule.cues.iter().all(|cue| *cue == cue.to_lowercase()), "{id}");
        }
    }
}
