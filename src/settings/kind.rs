//! The kinds of value a setting can have: how each is read, shown and described.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};

use super::raw::Raw;
use super::words::Word;
use crate::domain::Version;

/// Reads, shows and describes one kind of value.
pub trait Kind {
    /// What code gets.
    type Value;

    /// Whether the value must never be shown.
    const SECRET: bool = false;

    /// Returns the words that complete "expected …".
    fn expected() -> String;

    /// Returns the value as a person reads it; empty when it is not set.
    fn shown(value: &Self::Value) -> String;

    /// Returns the value for a trace's `config_snapshot`.
    fn json(value: &Self::Value) -> Value;

    /// Returns the JSON Schema of the value in a TOML file.
    fn schema() -> Value;
}

/// The half of a kind that only this module uses.
pub(super) trait Read: Kind {
    /// Returns the value, or `None` when `raw` is not of this kind.
    fn read(raw: &Raw) -> Option<Self::Value>;
}

/// Any words, or nothing.
pub struct Text;
/// A file or folder, or nothing.
pub struct Location;
/// An `http://` or `https://` address, or nothing.
pub struct Address;
/// A key or password, or nothing.
pub struct Secret;
/// A whole number within bounds.
pub struct Whole<const LEAST: u64, const MOST: u64>;
/// A time in whole seconds, at least one, at most a week.
pub struct Seconds;
/// A number that may have a fraction, not negative.
pub struct Decimal;
/// On or off.
pub struct Switch;
/// On, off, or as the program finds best.
pub struct AutoSwitch;
/// Several words.
pub struct List;
/// One of a few words.
pub struct Choice<W>(PhantomData<W>);
/// Several of a few words.
pub struct Choices<W>(PhantomData<W>);
/// A protocol version.
pub struct Protocol;

const WEEK: u64 = 7 * 24 * 60 * 60;

fn text_of(raw: &Raw) -> Option<&str> {
    match raw {
        Raw::Words(text) | Raw::Text(text) => Some(text.trim()),
        _ => None,
    }
}

fn optional(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn whole(raw: &Raw) -> Option<u64> {
    match raw {
        Raw::Words(text) => text.replace('_', "").parse().ok(),
        Raw::Integer(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

fn switch(raw: &Raw) -> Option<bool> {
    match raw {
        Raw::Switch(switch) => Some(*switch),
        Raw::Words(text) => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(true),
            "0" | "false" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn list(raw: &Raw) -> Option<Vec<String>> {
    match raw {
        Raw::Words(text) | Raw::Text(text) => Some(split(text)),
        Raw::List(items) => Some(items.clone()),
        _ => None,
    }
}

/// Splits at commas and line ends, but not inside the braces of a glob like `*.{rs,toml}`.
fn split(text: &str) -> Vec<String> {
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

impl Kind for Text {
    type Value = Option<String>;

    fn expected() -> String {
        "text".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.clone().unwrap_or_default()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Read for Text {
    fn read(raw: &Raw) -> Option<Self::Value> {
        text_of(raw).map(optional)
    }
}

impl Kind for Location {
    type Value = Option<PathBuf>;

    fn expected() -> String {
        "a path".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.as_deref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value.as_deref().map(|path| path.display().to_string()))
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Read for Location {
    fn read(raw: &Raw) -> Option<Self::Value> {
        text_of(raw).map(|text| optional(text).map(PathBuf::from))
    }
}

impl Kind for Address {
    type Value = Option<String>;

    fn expected() -> String {
        "an address that begins with `http://` or `https://`".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.as_deref().map(without_credentials).unwrap_or_default()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value.as_deref().map(without_credentials))
    }

    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^(https?://.+)?$" })
    }
}

impl Read for Address {
    fn read(raw: &Raw) -> Option<Self::Value> {
        let text = text_of(raw)?;
        if text.is_empty() {
            return Some(None);
        }
        let url = reqwest::Url::parse(text).ok()?;
        (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| Some(text.to_owned()))
    }
}

/// Takes out what an address may carry as a key: the user part, the query and the fragment.
fn without_credentials(address: &str) -> String {
    let Ok(mut url) = reqwest::Url::parse(address) else { return "***".into() };
    if !url.username().is_empty() || url.password().is_some() {
        let _ = url.set_username("***");
        let _ = url.set_password(None);
    }
    if url.query().is_some() {
        url.set_query(Some("***"));
    }
    url.set_fragment(None);
    url.to_string()
}

impl Kind for Secret {
    type Value = Option<SecretString>;

    const SECRET: bool = true;

    fn expected() -> String {
        "a secret".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.as_ref().map(|_| "***".to_owned()).unwrap_or_default()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value.as_ref().map(|_| "set"))
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Read for Secret {
    fn read(raw: &Raw) -> Option<Self::Value> {
        text_of(raw).map(|text| optional(text).map(SecretString::from))
    }
}

impl<const LEAST: u64, const MOST: u64> Kind for Whole<LEAST, MOST> {
    type Value = u64;

    fn expected() -> String {
        format!("a whole number from {LEAST} to {MOST}")
    }

    fn shown(value: &Self::Value) -> String {
        value.to_string()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn schema() -> Value {
        json!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

impl<const LEAST: u64, const MOST: u64> Read for Whole<LEAST, MOST> {
    fn read(raw: &Raw) -> Option<Self::Value> {
        whole(raw).filter(|number| (LEAST..=MOST).contains(number))
    }
}

impl Kind for Seconds {
    type Value = Duration;

    fn expected() -> String {
        format!("seconds, a whole number from 1 to {WEEK}")
    }

    fn shown(value: &Self::Value) -> String {
        value.as_secs().to_string()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value.as_secs())
    }

    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": WEEK })
    }
}

impl Read for Seconds {
    fn read(raw: &Raw) -> Option<Self::Value> {
        whole(raw).filter(|number| (1..=WEEK).contains(number)).map(Duration::from_secs)
    }
}

impl Kind for Decimal {
    type Value = f64;

    fn expected() -> String {
        "a number that is not negative".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.to_string()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn schema() -> Value {
        json!({ "type": "number", "minimum": 0 })
    }
}

impl Read for Decimal {
    fn read(raw: &Raw) -> Option<Self::Value> {
        let number = match raw {
            Raw::Words(text) => text.parse().ok()?,
            Raw::Float(number) => *number,
            Raw::Integer(number) => f64::from(u32::try_from(*number).ok()?),
            _ => return None,
        };
        (number.is_finite() && number >= 0.0).then_some(number)
    }
}

impl Kind for Switch {
    type Value = bool;

    fn expected() -> String {
        "a switch, `true` or `false` (in the environment also `1` or `0`)".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.to_string()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl Read for Switch {
    fn read(raw: &Raw) -> Option<Self::Value> {
        switch(raw)
    }
}

impl Kind for AutoSwitch {
    type Value = Option<bool>;

    fn expected() -> String {
        "`true`, `false` or `\"auto\"` (in the environment also `1` or `0`)".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.map_or_else(|| "auto".into(), |switch| switch.to_string())
    }

    fn json(value: &Self::Value) -> Value {
        value.map_or_else(|| json!("auto"), Value::from)
    }

    fn schema() -> Value {
        json!({ "enum": ["auto", true, false] })
    }
}

impl Read for AutoSwitch {
    fn read(raw: &Raw) -> Option<Self::Value> {
        if text_of(raw).is_some_and(|text| text.eq_ignore_ascii_case("auto")) {
            return Some(None);
        }
        switch(raw).map(Some)
    }
}

impl Kind for List {
    type Value = Vec<String>;

    fn expected() -> String {
        "a list of strings (in the environment separated by commas)".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.join(",")
    }

    fn json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": { "type": "string" } })
    }
}

impl Read for List {
    fn read(raw: &Raw) -> Option<Self::Value> {
        list(raw)
    }
}

impl<W: Word> Kind for Choice<W> {
    type Value = W;

    fn expected() -> String {
        W::listed()
    }

    fn shown(value: &Self::Value) -> String {
        value.name().into()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value.name())
    }

    fn schema() -> Value {
        json!({ "enum": W::names() })
    }
}

impl<W: Word> Read for Choice<W> {
    fn read(raw: &Raw) -> Option<Self::Value> {
        W::read(text_of(raw)?)
    }
}

impl<W: Word> Kind for Choices<W> {
    type Value = Vec<W>;

    fn expected() -> String {
        format!("a list (in the environment separated by commas) of {}", W::listed())
    }

    fn shown(value: &Self::Value) -> String {
        value.iter().map(|word| word.name()).collect::<Vec<_>>().join(",")
    }

    fn json(value: &Self::Value) -> Value {
        value.iter().map(|word| word.name()).collect()
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": { "enum": W::names() }, "minItems": 1 })
    }
}

impl<W: Word> Read for Choices<W> {
    fn read(raw: &Raw) -> Option<Self::Value> {
        let words = list(raw)?.iter().map(|text| W::read(text)).collect::<Option<Vec<_>>>()?;
        (!words.is_empty()).then_some(words)
    }
}

impl Kind for Protocol {
    type Value = Version;

    fn expected() -> String {
        "a protocol version, 1 or 2".into()
    }

    fn shown(value: &Self::Value) -> String {
        value.number().to_string()
    }

    fn json(value: &Self::Value) -> Value {
        json!(value.number())
    }

    fn schema() -> Value {
        json!({ "enum": [1, 2] })
    }
}

impl Read for Protocol {
    fn read(raw: &Raw) -> Option<Self::Value> {
        whole(raw).and_then(Version::from_number)
    }
}
