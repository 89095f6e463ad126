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
            let (rename, to) = (Some(old.join(".")), Some(new.join(".")));
            ConfigEdit { file, rename, to, ..ConfigEdit::default() }
        }
        ([(key, _)], [], []) => {
            evidence.names.extend(key.last().cloned());
            ConfigEdit { file, remove: Some(key.join(".")), ..ConfigEdit::default() }
        }
        ([], [], [(key, was)]) => {
            // Another value is right for other repositories only if the tool named the old one.
            let text = was.as_str().map_or_else(|| was.to_string(), str::to_owned);
            evidence.required.insert(text);
            evidence.names.extend(key.last().cloned());
            let value = new.get(*key).cloned();
            let was = Some((*was).clone());
            ConfigEdit { file, set: Some(key.join(".")), was, value, ..ConfigEdit::default() }
        }
        _ => return Err(format!("`{path}` has more than one changed key")),
    };
    edit.check().map_err(|fault| fault.reason)?;
    Ok(vec![LearnedStep { step: RecipeStep::Config(edit), evidence }])
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
        other => _ = keys.insert(key.clone(), other.clone()),
    }
}
