//! The kinds of value a setting can have: how each is read, shown and described.

mod choice;
mod number;
mod text;

use serde_json::Value;

use super::raw::RawValue;

pub(super) use choice::{
    AutoSwitch, Choice, Choices, Commands, List, OptionalChoices, Protocol, Switch, read_switch,
};
pub(super) use number::{Decimal, Seconds, Whole};
pub(super) use text::{PathSetting, Secret, TextSetting, UrlSetting, hide_credentials};

/// Reads, shows and describes one kind of value.
pub trait ValueKind {
    /// The type in code.
    type Value;

    /// `true` for a value that must never be shown.
    const SECRET: bool = false;

    /// Returns the words that complete "expected …".
    fn expected_text() -> String;

    /// Returns the value as a person reads it; empty when it is not set.
    fn to_text(value: &Self::Value) -> String {
        match Self::to_json(value) {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Array(items) => {
                items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        }
    }

    /// Returns the value for a trace's `config_snapshot`.
    fn to_json(value: &Self::Value) -> Value;

    /// Returns the JSON Schema of the value in a TOML file.
    fn json_schema() -> Value;
}

/// The half of a kind that only this module uses.
pub(in crate::settings) trait ReadValue: ValueKind {
    /// Returns the value, or `None` when `raw` is not of this kind.
    fn read_raw(raw: &RawValue) -> Option<Self::Value>;
}

/// Returns a value as text without blanks around it; `None` for values of other TOML types.
pub(super) fn text_of(raw: &RawValue) -> Option<&str> {
    match raw {
        RawValue::Words(text) | RawValue::Text(text) => Some(text.trim()),
        _ => None,
    }
}

/// Reads a number that is not negative. `_` may separate digits, as in TOML.
fn read_whole(raw: &RawValue) -> Option<u64> {
    match raw {
        RawValue::Words(text) => text.replace('_', "").parse().ok(),
        RawValue::Integer(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}
