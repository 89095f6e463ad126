//! The values of the memory, and the reader of a layer's file.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize as _;
use serde::de::{MapAccess, Visitor};
use serde_json::{Map, Value};

use super::key::{KEYS, Layer, MemoryKey};
use papayu_base::text::{first_chars, show_hidden};

/// Longest file of a layer, in bytes.
pub const MAX_FILE: usize = 16 * 1024;
/// Most keys that are reported as dropped, and the longest of their names in characters.
const MAX_DROPPED: usize = 20;
const MAX_NAME: usize = 60;

/// Keys that were dropped, each with the reason.
pub type Dropped = BTreeMap<String, String>;

/// Checked values by key, the most important first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// By the position of the key in the table.
    values: BTreeMap<usize, Value>,
}

impl Memory {
    /// Sets a value.
    ///
    /// # Errors
    ///
    /// The expected form in words.
    pub fn set(&mut self, key: &MemoryKey, value: Value) -> Result<(), String> {
        key.check(&value)?;
        let at = KEYS.iter().position(|known| known == key).ok_or("there is no such key")?;
        self.values.insert(at, value);
        Ok(())
    }

    /// Removes a value, and returns `true` if there was one.
    pub fn unset(&mut self, key: &MemoryKey) -> bool {
        let at = KEYS.iter().position(|known| known == key);
        at.is_some_and(|at| self.values.remove(&at).is_some())
    }

    /// Takes over the values of another memory.
    pub fn merge(&mut self, other: Self) {
        self.values.extend(other.values);
    }

    /// Returns `true` if there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the values, the most important first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (&'static MemoryKey, &Value)> {
        self.values.iter().filter_map(|(at, value)| Some((KEYS.get(*at)?, value)))
    }

    /// Returns the values of one layer only.
    #[must_use]
    pub fn of_layer(&self, layer: Layer) -> Self {
        let is_of = |at: &usize| KEYS.get(*at).is_some_and(|key| key.layer == layer);
        let values = self.values.iter().filter(|(at, _)| is_of(at));
        Self { values: values.map(|(at, value)| (*at, value.clone())).collect() }
    }

    /// Returns a layer as the object of its file.
    pub fn to_json(&self, layer: Layer) -> Value {
        let entries = self.entries().filter(|(key, _)| key.layer == layer);
        let entries = entries.map(|(key, value)| (key.name.to_owned(), value.clone()));
        Value::Object(entries.collect::<Map<_, _>>())
    }
}

/// Returns the values of a layer's file, and the keys of it that are not used.
///
/// # Errors
///
/// The reason in words why nothing of the file can be used: its length, its syntax, or a key that is there twice.
///
/// ```
/// use papayu_system::memory::{Layer, read_layer};
///
/// let (memory, dropped) = read_layer(Layer::User, r#"{"ask_budget": 1, "shell": "sh"}"#)?;
/// assert_eq!(memory.to_json(Layer::User).to_string(), r#"{"ask_budget":1}"#);
/// assert_eq!(dropped["user.shell"], "there is no such key");
/// # Ok::<(), String>(())
/// ```
pub fn read_layer(layer: Layer, text: &str) -> Result<(Memory, Dropped), String> {
    if text.len() > MAX_FILE {
        return Err(format!("it is longer than {MAX_FILE} bytes"));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let Pairs(pairs) = Pairs::deserialize(&mut reader)
        .and_then(|pairs| reader.end().map(|()| pairs))
        .map_err(|error| format!("it is no flat JSON object: {error}"))?;
    let (mut memory, mut dropped) = (Memory::default(), Dropped::new());
    let mut seen: Vec<&str> = Vec::new();
    for (name, value) in &pairs {
        if seen.contains(&name.as_str()) {
            // Programs differ in which of the two counts.
            return Err(format!("it has the key `{}` twice", show_name(name)));
        }
        seen.push(name);
        let dotted = format!("{}.{name}", layer.name());
        assign(&mut memory, &dotted, value.clone()).unwrap_or_else(|reason| {
            drop_key(&mut dropped, &dotted, reason);
        });
    }
    Ok((memory, dropped))
}

/// Sets the value of a dotted name such as `user.ask_budget`.
///
/// Fails with the reason in words, and changes nothing, if there is no such key or the value has another form.
pub(super) fn assign(memory: &mut Memory, dotted: &str, value: Value) -> Result<(), String> {
    let key = MemoryKey::find(dotted).ok_or("there is no such key")?;
    memory.set(key, value)
}

/// Adds a dropped key; after many only their number is counted.
pub(super) fn drop_key(dropped: &mut Dropped, dotted: &str, reason: String) {
    if dropped.len() < MAX_DROPPED {
        dropped.insert(show_name(dotted), reason);
    } else {
        dropped.insert("...".to_owned(), "there are more".to_owned());
    }
}

/// Returns a name that others wrote as it can be shown.
fn show_name(name: &str) -> String {
    show_hidden(first_chars(name, MAX_NAME)).replace(['\n', '\t'], " ")
}

/// The pairs of an object, with those of a repeated key.
struct Pairs(Vec<(String, Value)>);

impl<'de> serde::Deserialize<'de> for Pairs {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairReader;

        impl<'de> Visitor<'de> for PairReader {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(PairReader)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hostile_file_gives_nothing() {
        let deep = format!("{{\"src_roots\": {}{}}}", "[".repeat(5_000), "]".repeat(5_000));
        let long = format!("{{\"ci_notes\": \"{}\"}}", "x".repeat(10 << 20));
        let twice = r#"{"ci_notes": "a", "ci_notes": "b"}"#;
        let escaped = r#"{"ci_notes": "a", "ci\u005fnotes": "b"}"#;
        for text in [&deep, &long, twice, escaped, "", "[]", "null", "{\"ci_notes\":", "{} {}"] {
            assert!(read_layer(Layer::Project, text).is_err(), "{}", first_chars(text, 40));
        }
        let (memory, dropped) = read_layer(
            Layer::Project,
            r#"{"ask_budget": 1, "__proto__": {"a": 1}, "project.ci_notes": "x", "ci_notes": "y\u0000"}"#,
        )
        .unwrap();
        assert!(memory.is_empty());
        let dropped: Vec<&str> = dropped.keys().map(String::as_str).collect();
        assert_eq!(
            dropped,
            [
                "project.__proto__", "project.ask_budget", "project.ci_notes",
                "project.project.ci_notes"
            ]
        );
    }

    #[test]
    fn many_wrong_keys_are_not_repeated_in_full() {
        let text: Map<String, Value> =
            (0..200).map(|n| (format!("\u{1b}{}", n * 1_000_000), json!(n))).collect();
        let (_, dropped) = read_layer(Layer::User, &Value::Object(text).to_string()).unwrap();
        assert_eq!(dropped.len(), MAX_DROPPED + 1);
        assert!(dropped.keys().all(|name| !name.contains('\u{1b}')));
    }

    #[test]
    fn a_layer_is_written_as_it_was_read() {
        let text = r#"{"src_roots":["src"],"ci_notes":"slow"}"#;
        let (memory, dropped) = read_layer(Layer::Project, text).unwrap();
        assert_eq!(dropped, Dropped::new());
        assert_eq!(
            memory.to_json(Layer::Project),
            json!({"src_roots": ["src"], "ci_notes": "slow"})
        );
        assert_eq!(memory.to_json(Layer::User), json!({}));
    }
}
