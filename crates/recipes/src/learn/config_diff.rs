//! Learns the edit of one key of a configuration file.

use std::collections::BTreeMap;

use papayu_base::config_text::{ConfigFormat, parse};
use serde_json::Value;

use super::rule_evidence::RuleEvidence;
use super::taught_fix::LearnedStep;
use crate::apply::RecipeChange;
use crate::config_edit::ConfigEdit;
use crate::recipe::RecipeStep;

/// Returns the edit that a change of a configuration file is.
///
/// # Errors
///
/// The reason why it is not one edit.
pub(super) fn learn_config(change: &RecipeChange) -> Result<Vec<LearnedStep>, String> {
    let path = &change.path;
    let read = |text: &str| {
        let parsed = parse(ConfigFormat::of_file(path, text)?, text);
        let mut keys = BTreeMap::new();
        if parsed.documents.len() != 1 {
            return None;
        }
        let value: Value = parsed.documents.first().map(Value::from)?;
        flatten(&value, &mut Vec::new(), &mut keys);
        parsed.faults.is_empty().then_some(keys)
    };
    let (Some(old), Some(new)) = (read(&change.before), read(&change.after)) else {
        return Err(format!("`{path}` has no keys that can be compared"));
    };
    let gone: Vec<_> = old.iter().filter(|(key, _)| !new.contains_key(*key)).collect();
    let came: Vec<_> = new.iter().filter(|(key, _)| !old.contains_key(*key)).collect();
    let changed: Vec<_> =
        old.iter().filter(|(key, value)| new.get(*key).is_some_and(|it| it != *value)).collect();
    let file = path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut evidence = RuleEvidence::default();
    let edit = match (gone.as_slice(), came.as_slice(), changed.as_slice()) {
        ([(old, was)], [(new, is)], []) if was == is => {
            evidence.names.extend(old.last().cloned());
            let (rename, to) = (Some(join_key(old)), Some(join_key(new)));
            ConfigEdit { file, rename, to, ..ConfigEdit::default() }
        }
        ([(key, _)], [], []) => {
            evidence.names.extend(key.last().cloned());
            ConfigEdit { file, remove: Some(join_key(key)), ..ConfigEdit::default() }
        }
        ([], [], [(key, was)]) => {
            // Another value is right for other repositories only if the tool named the old one.
            let text = was.as_str().map_or_else(|| was.to_string(), str::to_owned);
            evidence.required.insert(text.clone());
            evidence.names.extend(key.last().cloned());
            let value = new.get(*key).cloned();
            let was = Some((*was).clone());
            // The place in a list, such as a step of a workflow, is a matter of each repository: a value as long as the name
            // of an action explains the change by itself.
            let is_item = key.iter().any(|it| it.parse::<usize>().is_ok());
            let last = key.last().filter(|_| is_item && text.len() > 3);
            evidence.names.extend(last.map(|_| text));
            let set = last.map_or_else(|| key.join("."), |last| format!("**.{last}"));
            let file = if last.is_some() { widen_file(path, file) } else { file };
            ConfigEdit { file, set: Some(set), was, value, ..ConfigEdit::default() }
        }
        _ => return Err(format!("`{path}` has more than one changed key")),
    };
    edit.check().map_err(|fault| fault.reason)?;
    Ok(vec![LearnedStep { step: RecipeStep::Config(edit), evidence }])
}

/// Returns a key as an edit names it, for any item of a list.
fn join_key(key: &[String]) -> String {
    let is_item = |part: &&String| part.parse::<usize>().is_ok();
    let parts = key.iter().map(|it| if is_item(&it) { "*" } else { it.as_str() });
    parts.collect::<Vec<_>>().join(".")
}

/// Returns the glob of the files that are of the same kind as one: a repository names its workflows as it likes.
fn widen_file(path: &str, file: String) -> String {
    if path.starts_with(".github/workflows/")
        || ["action.yml", "action.yaml"].contains(&file.as_str())
    {
        "{.github/workflows/*.yml,.github/workflows/*.yaml,*action.yml,*action.yaml}".to_owned()
    } else {
        file
    }
}

/// Collects the values of a file by key.
fn flatten(value: &Value, key: &mut Vec<String>, keys: &mut BTreeMap<Vec<String>, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                key.push(name.clone());
                flatten(value, key, keys);
                key.pop();
            }
        }
        Value::Array(items) if items.iter().any(|it| it.is_object() || it.is_array()) => {
            for (at, value) in items.iter().enumerate() {
                key.push(at.to_string());
                flatten(value, key, keys);
                key.pop();
            }
        }
        other => _ = keys.insert(key.clone(), other.clone()),
    }
}
