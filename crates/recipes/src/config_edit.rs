//! Edits of one key of a TOML, JSON, YAML or INI file.

use globset::Glob;
use std::ops::Range;

use papayu_base::config_text::{ConfigFormat, ConfigValue, Node, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::config_value::{as_read, check_value, find_places};
use super::fault::RecipeFault;
use super::text_edit::{TextReplacement, apply_edits};

/// Most places of a word that are tried.
const MAX_PLACES: usize = 64;

/// Most lines of a removed value.
const MAX_LINES: usize = 200;

/// A key with a new name, a removed key, or a key with a new value. Keys are joined by `.`; `*` is any key or item, and `**` any
/// number of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigEdit {
    /// A glob of the files, relative to the repository.
    pub file: String,
    /// The key to rename.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename: Option<String>,
    /// Its new name, with the keys around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The key to remove.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<String>,
    /// The key with a new value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The value before; another one is left as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<Value>,
    /// The value after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl ConfigEdit {
    /// Returns the edit in one line.
    pub fn title(&self) -> String {
        match (&self.rename, &self.to, &self.remove, &self.set) {
            (Some(old), Some(new), ..) => format!("the key `{old}` is now `{new}`"),
            (_, _, Some(key), _) => format!("the key `{key}` is removed"),
            (.., Some(key)) => format!("the key `{key}` has a new value"),
            _ => "(an edit)".to_owned(),
        }
    }

    /// Refuses an edit that names no file of the repository, or is not one of the three.
    pub(crate) fn check(&self) -> Result<(), RecipeFault> {
        let hint = "name a file inside the repository, relative to it";
        if self.file.starts_with('/') || self.file.contains("..") || self.file.contains('\\') {
            let reason = format!("`{}` is outside of the repository", self.file);
            return Err(RecipeFault::new(reason, hint).at(&["file"]));
        }
        Glob::new(&self.file).map_err(|error| RecipeFault::new(error.to_string(), hint))?;
        let is_one = match (&self.rename, &self.to, &self.remove, &self.set, &self.value) {
            (Some(old), Some(new), None, None, None) => {
                // Only the last key may differ, so that the edit stays at its place.
                old.rsplit_once('.').map(|it| it.0) == new.rsplit_once('.').map(|it| it.0)
            }
            (None, None, Some(_), None, None) | (None, None, None, Some(_), Some(_)) => true,
            _ => false,
        };
        let hint = "write `rename` and `to` below the same key, `remove`, or `set` and `value`";
        if !is_one {
            return Err(RecipeFault::new("it is no edit of one key", hint));
        }
        let checked = self.value.as_ref().map_or(Ok(()), check_value);
        checked.map_err(|fault| fault.at(&["value"]))
    }

    /// Returns whether the edit is meant for a file.
    pub(crate) fn takes(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let target = if self.file.contains('/') { path } else { name };
        Glob::new(&self.file).is_ok_and(|glob| glob.compile_matcher().is_match(target))
    }

    /// Returns the text after the edit; `None` if the file does not have the key, or the edit cannot be written without
    /// changing something else.
    pub(crate) fn apply(&self, path: &str, text: &str) -> Option<String> {
        let format = ConfigFormat::of_file(path, text)?;
        let key = self.rename.as_ref().or(self.remove.as_ref()).or(self.set.as_ref())?;
        let mut text = text.to_owned();
        let before = read(format, &text)?;
        let mut places = Vec::new();
        find_keys(&before, &key.split('.').collect::<Vec<_>>(), &mut Vec::new(), &mut places);
        let was_text = text.clone();
        // From the end, so that the positions of items stay.
        for place in places.iter().rev() {
            text = self.apply_at(format, &text, place)?;
        }
        (text != was_text).then_some(text)
    }

    /// Writes the edit of one place: the candidate after which the file has the wanted values and no other change.
    fn apply_at(&self, format: ConfigFormat, text: &str, place: &[String]) -> Option<String> {
        let mut wanted = read(format, text)?;
        let (last, around) = place.split_last()?;
        let table = around.iter().try_fold(&mut wanted, |value, key| step_into(value, key))?;
        let old = step_into(table, last)?.clone();
        let line = find_line(format, text, place)?;
        let candidates = if let Some(to) = &self.to {
            let fields = table.as_object_mut()?;
            let name = to.rsplit('.').next().unwrap_or(to);
            if fields.contains_key(name) {
                return None;
            }
            *fields = rename_key(fields, last, name);
            let places = text.match_indices(last.as_str());
            let places = places.map(|(at, _)| (at..at + last.len(), name.to_owned()));
            replace_nearest(text, line, places.collect())
        } else if let Some(value) = &self.value {
            let read = |it: &Value| as_read(it, format);
            if self.was.as_ref().is_some_and(|was| read(was) != old) || read(value) == old {
                return Some(text.to_owned());
            }
            *step_into(table, last)? = read(value);
            replace_nearest(text, line, find_places(text, &old, value, format))
        } else {
            table.as_object_mut()?.shift_remove(last);
            removal_candidates(text, last)
        };
        candidates.into_iter().find(|it| read(format, it).as_ref() == Some(&wanted))
    }
}

/// Returns the values of a file; `None` if it has errors.
fn read(format: ConfigFormat, text: &str) -> Option<Value> {
    let parsed = parse(format, text);
    parsed.faults.is_empty().then(|| parsed.documents.iter().map(Value::from).collect())
}

/// Finds the keys that a pattern fits; the first step is the document.
fn find_keys(value: &Value, pattern: &[&str], at: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    if at.is_empty() {
        for (number, document) in value.as_array().into_iter().flatten().enumerate() {
            at.push(number.to_string());
            find_keys(document, pattern, at, places);
            at.pop();
        }
        return;
    }
    let Some((first, rest)) = pattern.split_first() else {
        places.push(at.clone());
        return;
    };
    let is_any_depth = *first == "**";
    if is_any_depth {
        find_keys(value, rest, at, places);
    }
    let fields: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, it)| (at.to_string(), it)).collect()
        }
        _ => Vec::new(),
    };
    let fits = |name: &String| is_any_depth || *first == "*" || name == first;
    for (name, value) in fields.into_iter().filter(|(name, _)| fits(name)) {
        at.push(name);
        find_keys(value, if is_any_depth { pattern } else { rest }, at, places);
        at.pop();
    }
}

/// Returns the value of a key or of the item with a number.
fn step_into<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    match value {
        Value::Object(fields) => fields.get_mut(key),
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    }
}

fn rename_key(fields: &Map<String, Value>, old: &str, new: &str) -> Map<String, Value> {
    let renamed = |name: &String| if name == old { new.to_owned() } else { name.clone() };
    fields.iter().map(|(name, value)| (renamed(name), value.clone())).collect()
}

/// Returns the line of a value, from 1.
fn find_line(format: ConfigFormat, text: &str, place: &[String]) -> Option<usize> {
    let parsed = parse(format, text);
    let (document, keys) = place.split_first()?;
    let mut node: &Node = parsed.documents.get(document.parse::<usize>().ok()?)?;
    for key in keys {
        node = match &node.value {
            ConfigValue::List(items) => items.get(key.parse::<usize>().ok()?)?,
            _ => node.get(key)?,
        };
    }
    Some(node.line)
}

/// Returns the texts in which one of some places has another text, those nearest to a line first.
fn replace_nearest(
    text: &str,
    line: usize,
    mut places: Vec<(Range<usize>, String)>,
) -> Vec<String> {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    places.sort_by_key(|(range, _)| {
        let at = ends.partition_point(|end| *end < range.start) + 1;
        (at.abs_diff(line), range.start)
    });
    let made = places.into_iter().take(MAX_PLACES);
    made.map(|(range, with)| apply_edits(text, vec![TextReplacement::new(range, with)])).collect()
}

/// Returns the texts without the lines that begin with a line that has the key, the fewest lines first.
fn removal_candidates(text: &str, key: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut texts = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.contains(key)).take(MAX_PLACES)
    {
        for count in 1..=MAX_LINES.min(lines.len() - at) {
            let before = lines.get(..at).unwrap_or_default().concat();
            let after = lines.get(at + count..).unwrap_or_default().concat();
            // The last field of JSON has no comma after it.
            let is_last = after.trim_start().starts_with(['}', ']']);
            if let Some(shorter) = before.trim_end().strip_suffix(',').filter(|_| is_last) {
                texts.push(format!("{shorter}\n{after}"));
            }
            texts.push(format!("{before}{after}"));
            if texts.len() > MAX_PLACES * 8 {
                return texts;
            }
        }
    }
    texts
}
