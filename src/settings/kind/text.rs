//! Kinds that are words: text, paths, addresses, secrets.

use std::path::PathBuf;

use secrecy::SecretString;
use serde_json::{Value, json};

use super::{ReadValue, ValueKind, text_of};
use crate::settings::raw::RawValue;

/// Any words, or nothing.
pub struct TextSetting;

/// A file or folder, or nothing.
pub struct PathSetting;

/// An `http://` or `https://` address, or nothing.
pub struct UrlSetting;

/// A key or password, or nothing.
pub struct Secret;

impl ValueKind for TextSetting {
    type Value = Option<String>;

    fn expected_text() -> String {
        "text".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn json_schema() -> Value {
        json!({ "type": "string" })
    }
}

impl ReadValue for TextSetting {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        text_of(raw).map(non_empty)
    }
}

impl ValueKind for PathSetting {
    type Value = Option<PathBuf>;

    fn expected_text() -> String {
        "a path".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.as_deref().map(|path| path.display().to_string()))
    }

    fn json_schema() -> Value {
        json!({ "type": "string" })
    }
}

impl ReadValue for PathSetting {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        text_of(raw).map(|text| non_empty(text).map(PathBuf::from))
    }
}

impl ValueKind for UrlSetting {
    type Value = Option<String>;

    fn expected_text() -> String {
        "an address that begins with `http://` or `https://`".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.as_deref().map(hide_credentials))
    }

    fn json_schema() -> Value {
        json!({ "type": "string", "pattern": "^(https?://.+)?$" })
    }
}

impl ReadValue for UrlSetting {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        let text = text_of(raw)?;
        if text.is_empty() {
            return Some(None);
        }
        let url = reqwest::Url::parse(text).ok()?;
        (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| Some(text.to_owned()))
    }
}

impl ValueKind for Secret {
    type Value = Option<SecretString>;

    const SECRET: bool = true;

    fn expected_text() -> String {
        "a secret".into()
    }

    fn to_text(value: &Self::Value) -> String {
        value.as_ref().map(|_| "***".to_owned()).unwrap_or_default()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.as_ref().map(|_| "set"))
    }

    fn json_schema() -> Value {
        json!({ "type": "string" })
    }
}

impl ReadValue for Secret {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        text_of(raw).map(|text| non_empty(text).map(SecretString::from))
    }
}

/// Removes the parts of an address that may contain a key: user, query and fragment.
pub(in crate::settings) fn hide_credentials(address: &str) -> String {
    // An address that cannot be parsed may have a secret anywhere.
    let Ok(mut url) = reqwest::Url::parse(address) else { return "***".into() };
    if !url.username().is_empty() || url.password().is_some() {
        let _ = url.set_username("***");
        let _ = url.set_password(None);
    }
    if url.query().is_some() {
        url.set_query(Some("***"));
    }
    // Fragments may have tokens as well.
    url.set_fragment(None);
    url.to_string()
}

/// Returns a text, or `None` if it is empty: templates of CI systems leave empty texts.
fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
