//! A value before anybody has asked what kind it should be.

use toml::de::{DeInteger, DeValue};

/// Words of the command line or environment, or a typed value of a TOML file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawValue {
    /// Untyped words, trimmed; a switch or a number may be written in them.
    Words(String),
    /// A TOML string.
    Text(String),
    /// A TOML integer that fits.
    Integer(i64),
    /// A TOML float.
    Float(f64),
    /// A TOML boolean.
    Switch(bool),
    /// A TOML array of strings.
    List(Vec<String>),
    /// Anything else, by the name of its TOML type.
    Other(&'static str),
}

impl RawValue {
    /// Reads a parsed TOML value.
    pub(super) fn from_toml(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(number) => {
                parse_integer(number).map_or(Self::Other("integer"), Self::Integer)
            }
            DeValue::Float(number) => {
                number.as_str().parse().map_or(Self::Other("float"), Self::Float)
            }
            DeValue::Boolean(switch) => Self::Switch(*switch),
            DeValue::Array(items) => items
                .iter()
                .map(|item| item.get_ref().as_str().map(str::to_owned))
                .collect::<Option<_>>()
                .map_or(Self::Other("array with other things than strings"), Self::List),
            other => Self::Other(other.type_str()),
        }
    }

    /// Returns whether the value is empty: CI systems set a variable to the empty text when its
    /// input was not given.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Words(text) | Self::Text(text) if text.is_empty())
    }

    /// Returns the list of both; `None` if one of them is no list.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        let items = |raw: &Self| match raw {
            Self::Words(text) | Self::Text(text) => {
                Some(text.split('\n').map(str::to_owned).collect::<Vec<_>>())
            }
            Self::List(items) => Some(items.clone()),
            _ => None,
        };
        let all = [items(self)?, items(other)?].concat();
        Some(Self::Words(all.join("\n")))
    }

    /// Changes each item of a list.
    pub(super) fn change_items(&mut self, change: impl Fn(&str) -> String) {
        match self {
            Self::Words(text) | Self::Text(text) => {
                *text = text.split('\n').map(change).collect::<Vec<_>>().join("\n");
            }
            Self::List(items) => items.iter_mut().for_each(|item| *item = change(item)),
            _ => {}
        }
    }

    /// Returns the words for an error message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Words(text) => format!("`{text}`"),
            Self::Text(text) => format!("the string \"{text}\""),
            Self::Integer(number) => format!("the integer {number}"),
            Self::Float(number) => format!("the float {number}"),
            Self::Switch(switch) => format!("the boolean {switch}"),
            Self::List(items) => format!("the array {items:?}"),
            Self::Other(name) => format!("a value of the type {name}"),
        }
    }
}

/// Parses an integer of TOML, which may be hexadecimal, octal or binary.
fn parse_integer(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}
