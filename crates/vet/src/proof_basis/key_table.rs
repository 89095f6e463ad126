//! The table of keys that may change: those that name dependencies or describe the package.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The table.
const TABLE: &str = include_str!("key_table.toml");

/// The changes of a key that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeyRule {
    /// Anything.
    Free,
    /// A table of dependencies by name: versions may change, places may not.
    Spec,
    /// A list of dependencies, each a name with versions.
    Specs,
    /// New keys may be added.
    New,
    /// A list may get longer.
    Grows,
    /// Commands by name. None may have the name of a tool that runs checks.
    Tool,
    /// Nothing, without `--allow packaging`.
    Packaging,
    /// Nothing, without `--allow build`.
    Build,
}

/// The whole table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyTable {
    checking_tools: String,
    files: BTreeMap<String, BTreeMap<KeyRule, Vec<String>>>,
}

static KEYS: LazyLock<KeyTable> = LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

/// Returns `true` for the name of a command that runs checks.
pub(super) fn is_checking_tool(name: &str) -> bool {
    KEYS.checking_tools.split_whitespace().any(|tool| tool == name)
}

/// Returns the parts of each key of a file with the changes that are allowed.
fn keys_of(file: &str) -> impl Iterator<Item = (Vec<&'static str>, KeyRule)> {
    let rules = KEYS.files.get(file).into_iter().flatten();
    rules.flat_map(|(rule, keys)| keys.iter().map(|key| (key.split('/').collect(), *rule)))
}

/// Returns the allowed changes of a key; `None` if no change is allowed.
pub(super) fn rule_of(file: &str, key: &[String]) -> Option<(Vec<&'static str>, KeyRule)> {
    keys_of(file).find(|(pattern, _)| matches_key(pattern, key))
}

/// Returns `true` if a key belongs to a table in which keys may change.
pub(super) fn begins_rule(file: &str, key: &[String]) -> bool {
    keys_of(file)
        .any(|(pattern, _)| pattern.get(..key.len()).is_some_and(|begin| matches_key(begin, key)))
}

/// Returns `true` if a pattern matches a key: `*` is any one part, `**` at the end any rest.
fn matches_key(pattern: &[&str], key: &[String]) -> bool {
    match (pattern.split_first(), key.split_first()) {
        (None, None) | (Some((&"**", _)), _) => true,
        (Some((part, rest)), Some((name, inner))) => {
            (*part == "*" || part == name) && matches_key(rest, inner)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let table: KeyTable = toml::from_str(TABLE).unwrap();
        assert!(table.files.len() > 10 && table.checking_tools.contains("pytest"));
    }
}
