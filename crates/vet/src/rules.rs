//! The table of rules: the grade of each, and those that are patterns.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};

use papayu_base::text::Pattern;
use papayu_lang::Family;

/// The table.
const TABLE: &str = include_str!("rules.toml");

/// The consequence of a finding for a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleGrade {
    /// The fix counts, and the place is named.
    Note,
    /// The fix counts only if flags are accepted.
    Flag,
    /// The change is refused.
    Refused,
}

/// The form of a text that patterns are matched against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TextForm {
    /// The tokens, strings in double quotes.
    #[default]
    Code,
    /// The tokens, each string as `"S"`.
    Bare,
    /// Each comment.
    Comment,
}

/// Patterns with one message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the table")]
pub(crate) struct RuleGroup {
    /// A predicate of the change, such as `decodes a fixed text`.
    pub(crate) message: String,
    grade: RuleGrade,
    grade_in_tests: Option<RuleGrade>,
    grade_of_diagnostic: Option<RuleGrade>,
    /// `true` if the patterns count only where a compiler, a type checker or a linter failed.
    #[serde(default)]
    pub(crate) only_diagnostic: bool,
    /// `true` if a function that may end the program is left out.
    #[serde(default)]
    pub(crate) outside_entries: bool,
    /// `true` if the whole change must not have fewer matches than before.
    #[serde(default)]
    pub(crate) removes: bool,
    /// `true` if a match that the old code has anywhere is none, however often it is added.
    #[serde(default)]
    pub(crate) known_once: bool,
    /// The form of the text.
    #[serde(default)]
    pub(crate) form: TextForm,
    place: Option<String>,
    /// The patterns.
    #[serde(rename = "rule")]
    pub(crate) rules: Vec<PatternRule>,
}

/// A pattern for some languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatternRule {
    #[serde(default, deserialize_with = "read_families")]
    files: Vec<Family>,
    place: Option<String>,
    /// The pattern.
    #[serde(deserialize_with = "read_pattern")]
    pub(crate) pattern: Pattern,
}

/// The whole table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    code: BTreeMap<String, RuleGrade>,
    #[serde(rename = "group")]
    groups: Vec<RuleGroup>,
}

static RULES: LazyLock<RuleTable> = LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

/// Returns the grade of a rule that is code; a rule that the table lacks is refused.
pub(crate) fn grade_of(rule: &str) -> RuleGrade {
    RULES.code.get(rule).copied().unwrap_or(RuleGrade::Refused)
}

/// Returns the rules that are patterns.
pub(crate) fn pattern_groups() -> &'static [RuleGroup] {
    &RULES.groups
}

impl RuleGroup {
    /// Returns the grade of a match.
    pub(crate) fn grade(&self, in_tests: bool, is_diagnostic: bool) -> RuleGrade {
        let special = [
            self.grade_in_tests.filter(|_| in_tests),
            self.grade_of_diagnostic.filter(|_| is_diagnostic),
        ];
        special.into_iter().flatten().fold(self.grade, RuleGrade::max)
    }

    /// Returns the place in which a rule counts.
    pub(crate) fn place_of<'r>(&'r self, rule: &'r PatternRule) -> &'r str {
        rule.place.as_deref().or(self.place.as_deref()).unwrap_or("source")
    }
}

impl PatternRule {
    /// Returns `true` for a language that the pattern is for.
    pub(crate) fn reads(&self, family: Family) -> bool {
        self.files.is_empty() || self.files.contains(&family)
    }
}

/// Reads endings of files as families of languages.
fn read_families<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Family>, D::Error> {
    let endings = Vec::<String>::deserialize(deserializer)?;
    Ok(endings.iter().map(|ending| Family::of_path(&format!("a.{ending}"))).collect())
}

/// Reads a regular expression, which is compiled at its first use.
pub(crate) fn read_pattern<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Pattern, D::Error> {
    String::deserialize(deserializer).map(Pattern::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_its_patterns_compile() {
        let table: RuleTable = toml::from_str(TABLE).unwrap();
        assert!(table.groups.len() > 30 && table.code.len() > 10);
        for group in &table.groups {
            assert!(group.rules.iter().all(|rule| rule.pattern.is_valid()), "{}", group.message);
        }
    }

    #[test]
    fn only_rules_that_hold_by_construction_refuse() {
        assert!(pattern_groups().iter().all(|group| group.grade(true, true) < RuleGrade::Refused));
        assert_eq!(grade_of("existing_file"), RuleGrade::Refused);
        assert_eq!(grade_of("special_case"), RuleGrade::Note);
    }
}
