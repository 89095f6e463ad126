//! Kinds with few values: switches, words of a closed set, lists.

use std::marker::PhantomData;

use serde_json::{Value, json};

use super::{ReadValue, ValueKind, read_whole, text_of};
use crate::settings::raw::RawValue;
use crate::settings::words::Word;
use papayu_base::domain::Version;

/// On or off.
pub struct Switch;

/// On, off, or as the program finds best.
pub struct AutoSwitch;

/// Several words.
pub struct List;

/// Command lines, which may contain commas.
pub struct Commands;

/// One of a few words.
pub struct Choice<W>(PhantomData<W>);

/// Several of a few words.
pub struct Choices<W>(PhantomData<W>);

/// Any number of words of a closed set.
pub struct OptionalChoices<W>(PhantomData<W>);

/// A protocol version.
pub struct Protocol;

impl ValueKind for Switch {
    type Value = bool;

    fn expected_text() -> String {
        "a switch, `true` or `false` (in the environment also `1` or `0`)".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn json_schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl ReadValue for Switch {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        read_switch(raw)
    }
}

impl ValueKind for AutoSwitch {
    type Value = Option<bool>;

    fn expected_text() -> String {
        "`true`, `false` or `\"auto\"` (in the environment also `1` or `0`)".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        value.map_or_else(|| json!("auto"), Value::from)
    }

    fn json_schema() -> Value {
        json!({ "enum": ["auto", true, false] })
    }
}

impl ReadValue for AutoSwitch {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        if text_of(raw).is_some_and(|text| text.eq_ignore_ascii_case("auto")) {
            return Some(None);
        }
        read_switch(raw).map(Some)
    }
}

impl ValueKind for List {
    type Value = Vec<String>;

    fn expected_text() -> String {
        "a list of strings (in the environment separated by commas)".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn json_schema() -> Value {
        json!({ "type": "array", "items": { "type": "string" } })
    }
}

impl ReadValue for List {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        read_list(raw)
    }
}

impl ValueKind for Commands {
    type Value = Vec<String>;

    fn expected_text() -> String {
        "a list of commands (in the environment one a line)".into()
    }

    fn to_text(value: &Self::Value) -> String {
        value.join("\n")
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn json_schema() -> Value {
        json!({ "type": "array", "items": { "type": "string" } })
    }
}

impl ReadValue for Commands {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        let commands = match raw {
            RawValue::Words(text) | RawValue::Text(text) => {
                text.lines().map(str::to_owned).collect()
            }
            RawValue::List(items) => items.clone(),
            _ => return None,
        };
        Some(commands.into_iter().filter(|command| !command.trim().is_empty()).collect())
    }
}

impl<W: Word> ValueKind for Choice<W> {
    type Value = W;

    fn expected_text() -> String {
        W::list_words()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.name())
    }

    fn json_schema() -> Value {
        json!({ "enum": W::all_words() })
    }
}

impl<W: Word> ReadValue for Choice<W> {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        W::from_word(text_of(raw)?)
    }
}

impl<W: Word> ValueKind for Choices<W> {
    type Value = Vec<W>;

    fn expected_text() -> String {
        format!("a list (in the environment separated by commas) of {}", W::list_words())
    }

    fn to_json(value: &Self::Value) -> Value {
        value.iter().map(|word| word.name()).collect()
    }

    fn json_schema() -> Value {
        json!({ "type": "array", "items": { "enum": W::all_words() }, "minItems": 1 })
    }
}

impl<W: Word> ReadValue for Choices<W> {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        let words =
            read_list(raw)?.iter().map(|text| W::from_word(text)).collect::<Option<Vec<_>>>()?;
        // An empty list would select nothing, which is a mistake and no wish.
        (!words.is_empty()).then_some(words)
    }
}

impl<W: Word> ValueKind for OptionalChoices<W> {
    type Value = Vec<W>;

    fn expected_text() -> String {
        Choices::<W>::expected_text()
    }

    fn to_json(value: &Self::Value) -> Value {
        Choices::<W>::to_json(value)
    }

    fn json_schema() -> Value {
        json!({ "type": "array", "items": { "enum": W::all_words() } })
    }
}

impl<W: Word> ReadValue for OptionalChoices<W> {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        read_list(raw)?.iter().map(|text| W::from_word(text)).collect()
    }
}

impl ValueKind for Protocol {
    type Value = Version;

    fn expected_text() -> String {
        "a protocol version, 1, 2 or 3".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.number())
    }

    fn json_schema() -> Value {
        json!({ "enum": Version::ALL.map(Version::number) })
    }
}

impl ReadValue for Protocol {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        read_whole(raw).and_then(Version::from_number)
    }
}

/// Reads a switch: `true` in TOML; in flags and variables also `1`, `yes`, `on` and their opposites, in any
/// case. `None` for any other value.
pub(in crate::settings) fn read_switch(raw: &RawValue) -> Option<bool> {
    match raw {
        RawValue::Switch(switch) => Some(*switch),
        // Environment variables have no types, and CI systems write switches in many ways.
        RawValue::Words(text) => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(true),
            "0" | "false" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a list: an array in TOML, one text with commas or lines elsewhere.
fn read_list(raw: &RawValue) -> Option<Vec<String>> {
    match raw {
        RawValue::Words(text) | RawValue::Text(text) => Some(split_list(text)),
        RawValue::List(items) => Some(items.clone()),
        _ => None,
    }
}

/// Splits at commas and line ends, but not inside the braces of a glob like `*.{rs,toml}`.
fn split_list(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '\n' || (c == ',' && depth == 0)
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
