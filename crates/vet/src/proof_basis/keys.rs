//! Compares configurations key by key, after parsing.

use std::collections::{BTreeMap, BTreeSet};

use super::dependency_lines::is_retrying;
use super::ignored_paths::is_built;
use super::key_table::{KeyRule, begins_rule, is_checking_tool, rule_of};
use super::xml_keys;
use papayu_base::config_text::{self, ConfigFormat, ConfigValue, Node};
use papayu_base::domain::Allowance;

/// The values of a file by their keys, outermost first.
pub(super) type Keys = BTreeMap<Vec<String>, Vec<String>>;

/// The value of an empty table, so that a removed table is a change of a key.
const EMPTY: &str = "{}";

/// Returns `true` if the file has keys that can be compared.
pub(super) fn has_keys(path: &str, text: &str) -> bool {
    xml_keys::is_xml(path) || format_of(path, text).is_some()
}

/// Returns the format of a file. `Pipfile` has no ending, but is TOML.
fn format_of(path: &str, text: &str) -> Option<ConfigFormat> {
    match base_name(path).as_str() {
        "pipfile" => Some(ConfigFormat::Toml),
        _ => ConfigFormat::of_file(path, text),
    }
}

/// Returns the file name in lower case.
fn base_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_lowercase()
}

/// Returns the first changed key of each kind that is not one of dependencies, as a predicate of the file: `` has a change
/// of the key `scripts.test` ``. A file that cannot be parsed is a change. `other` is the kind of keys that the table does not name.
pub(super) fn find_changes(
    path: &str,
    before: &str,
    after: &str,
    other: Allowance,
) -> BTreeMap<Allowance, String> {
    if xml_keys::is_xml(path) {
        return xml_keys::find_changes(before, after);
    }
    let (Some(old), Some(new)) = (read_keys(path, before), read_keys(path, after)) else {
        return [(other, "has a change that cannot be compared key by key".to_owned())].into();
    };
    let keys: BTreeSet<&Vec<String>> = old.keys().chain(new.keys()).collect();
    let file = base_name(path);
    let sides = KeySides { old: &old, new: &new };
    let mut found = BTreeMap::new();
    for key in keys.into_iter().filter(|key| old.get(*key) != new.get(*key)) {
        if !sides.allow(&file, key) {
            let kind = kind_of_key(&file, key).unwrap_or(other);
            found
                .entry(kind)
                .or_insert_with(|| format!("has a change of the key `{}`", key.join(".")));
        }
    }
    found
}

/// Returns the kind of a key that the table names; `None` for any other.
fn kind_of_key(file: &str, key: &[String]) -> Option<Allowance> {
    let (_, rule) = rule_of(file, key)?;
    match rule {
        KeyRule::Packaging => Some(Allowance::Packaging),
        // Of a list of dependencies, only their sources are refused.
        KeyRule::Build => Some(Allowance::Build),
        KeyRule::Spec | KeyRule::Specs if !key.iter().any(|part| is_retrying(part)) => {
            Some(Allowance::Build)
        }
        _ => None,
    }
}

/// Returns all values with their keys; `None` for a text that cannot be parsed.
fn read_keys(path: &str, text: &str) -> Option<Keys> {
    let mut keys = Keys::new();
    if text.trim().is_empty() {
        return Some(keys);
    }
    let parsed = config_text::parse(format_of(path, text)?, text);
    if !parsed.faults.is_empty() {
        return None;
    }
    for document in &parsed.documents {
        add_keys(document, &mut Vec::new(), &mut keys);
    }
    Some(keys)
}

/// Adds the values below a node.
fn add_keys(node: &Node, key: &mut Vec<String>, keys: &mut Keys) {
    if let ConfigValue::Table(fields) = &node.value
        && !fields.is_empty()
    {
        for field in fields {
            key.push(field.name.clone());
            add_keys(&field.value, key, keys);
            key.pop();
        }
        return;
    }
    let mut values = Vec::new();
    add_values(node, &mut values);
    keys.entry(key.clone()).or_default().extend(values);
}

/// Adds the texts of a list, and any other value as it is written in JSON.
fn add_values(node: &Node, values: &mut Vec<String>) {
    match &node.value {
        ConfigValue::List(items) => {
            values.push("[".to_owned());
            for item in items {
                add_values(item, values);
            }
        }
        // The lists of INI have a line for each item.
        ConfigValue::Text(text) => values.extend(text.lines().map(|line| line.trim().to_owned())),
        _ => values.push(serde_json::Value::from(node).to_string()),
    }
}

/// The keys of a file before and after a change.
struct KeySides<'a> {
    old: &'a Keys,
    new: &'a Keys,
}

impl KeySides<'_> {
    /// Returns `true` if a difference at a key does not change what proves the fix.
    fn allow(&self, file: &str, key: &[String]) -> bool {
        if [self.old, self.new].iter().all(|keys| keys.get(key).is_none_or(|it| it == &[EMPTY])) {
            return begins_rule(file, key);
        }
        let was = self.old.get(key).map(Vec::as_slice);
        let is = self.new.get(key).map(Vec::as_slice);
        let mut added =
            is.unwrap_or_default().iter().filter(|it| !was.unwrap_or_default().contains(it));
        let removed =
            was.unwrap_or_default().iter().filter(|it| !is.unwrap_or_default().contains(it));
        let last = key.last().map_or("", String::as_str);
        let Some((pattern, rule)) = rule_of(file, key) else {
            return is_ignore_key(last)
                && removed.count() == 0
                && is.is_some()
                && added.all(|it| it == "[" || is_built(it));
        };
        match rule {
            KeyRule::Free => true,
            KeyRule::Packaging | KeyRule::Build => false,
            KeyRule::Tool => !is_checking_tool(last),
            KeyRule::New => was.is_none() && last != "default",
            KeyRule::Grows => is.is_some() && removed.count() == 0,
            KeyRule::Specs => added.all(|it| it == "[" || is_requirement(it)),
            KeyRule::Spec => self.allow_dependency(&pattern, key, is),
        }
    }

    /// Returns `true` if a changed dependency is one that a fix may add.
    fn allow_dependency(&self, pattern: &[&str], key: &[String], is: Option<&[String]>) -> bool {
        // The name of the dependency is at the last `*`.
        let at = pattern.iter().rposition(|part| *part == "*").unwrap_or_default();
        let Some((name, inner)) = key.get(..=at).zip(key.get(at + 1..)) else { return false };
        let has = |keys: &Keys| keys.keys().any(|key| key.starts_with(name));
        if !has(self.new) {
            return true;
        }
        let package = name.last().map_or("", String::as_str);
        if is_retrying(package) && !has(self.old) {
            return false;
        }
        match inner.first().map(String::as_str) {
            None | Some("version") => is.is_none_or(|is| is.iter().all(|it| is_version(it))),
            Some(
                "features" | "extras" | "default-features" | "default_features" | "optional"
                | "workspace" | "markers" | "python",
            ) => true,
            // A dependency that was there must not be read from another place.
            Some("path") => !has(self.old),
            _ => false,
        }
    }
}

/// Keys of paths that a tool leaves out.
fn is_ignore_key(key: &str) -> bool {
    matches!(
        key,
        "ignore"
            | "ignores"
            | "ignorePatterns"
            | "exclude"
            | "extend-exclude"
            | "extend_exclude"
            | "exclude_dirs"
            | "omit"
            | "testPathIgnorePatterns"
            | "modulePathIgnorePatterns"
            | "coveragePathIgnorePatterns"
            | "norecursedirs"
            | "ignoreFiles"
            | "ignore-paths"
    )
}

/// Returns whether a text is a range of versions: no address, folder or other name.
fn is_version(text: &str) -> bool {
    let text =
        text.strip_prefix("workspace:").or_else(|| text.strip_prefix("catalog:")).unwrap_or(text);
    !text.contains(['/', ':', '@', '\\', '#'])
}

/// Returns whether a text is a name with versions, as PEP 508 writes them, and no address.
fn is_requirement(text: &str) -> bool {
    let bare = text.trim_matches(['"', '\'', ',']);
    let starts = bare.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '{');
    let has_place =
        bare.contains(['@', '\\']) || bare.split(';').next().unwrap_or(bare).contains(['/', ':']);
    bare.is_empty() || bare.starts_with('#') || (starts && !has_place && !is_retrying(bare))
        // `{"include-group": "test"}`
        || bare.starts_with("{\"include-group\"")
}
