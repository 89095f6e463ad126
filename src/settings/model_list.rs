//! The models of `llm.providers`, which are asked at the same time.

use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};

use super::address_kind::kind_of;
use super::kind::{ReadValue, ValueKind, hide_credentials, text_of};
use super::raw::RawValue;
use super::words::Word as _;
use papayu_providers::ProviderKind;

/// Most models that are asked at once.
const MAX_MODELS: usize = 16;

/// A model with its own address and key.
#[derive(Clone, Debug)]
pub struct NamedModel {
    /// The wire format: the one that is named, or that of the address.
    pub kind: ProviderKind,
    /// The address of its API.
    pub url: String,
    /// The model.
    pub model: String,
    /// Its key, or `$NAME` for the value of that environment variable.
    pub api_key: Option<SecretString>,
}

/// One object of the list, as users write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenModel {
    url: String,
    model: String,
    #[serde(default)]
    api_key: Option<SecretText>,
    #[serde(default)]
    kind: Option<String>,
}

/// A text that is never shown.
#[derive(Deserialize)]
#[serde(transparent)]
struct SecretText(String);

/// The kind of `llm.providers`: a JSON list, or nothing.
pub struct ModelList;

impl ValueKind for ModelList {
    type Value = Vec<NamedModel>;

    // Messages must not quote a value with keys in it.
    const SECRET: bool = true;

    fn expected_text() -> String {
        let kinds: Vec<_> =
            ProviderKind::all_words().into_iter().map(|name| format!("`{name}`")).collect();
        format!(
            "a JSON list of at most {MAX_MODELS} different objects `{{\"url\": \"https://…\", \"model\": \"…\", \"api_key\": \"…\"}}`; `api_key` may be missing or be `$NAME` for an environment variable, `kind` may be added: {}",
            kinds.join(", ")
        )
    }

    fn to_text(value: &Self::Value) -> String {
        value.iter().map(describe_model).collect::<Vec<_>>().join(", ")
    }

    fn to_json(value: &Self::Value) -> Value {
        if value.is_empty() {
            return Value::Null;
        }
        json!(value.iter().map(describe_model).collect::<Vec<_>>())
    }

    fn json_schema() -> Value {
        json!({ "type": "string" })
    }
}

impl ReadValue for ModelList {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        let text = text_of(raw)?;
        if text.is_empty() {
            return Some(Vec::new());
        }
        let list: Vec<WrittenModel> = serde_json::from_str(text).ok()?;
        let is_fit = (1..=MAX_MODELS).contains(&list.len());
        let models = list.into_iter().map(read_model).collect::<Option<Vec<_>>>();
        models.filter(|models| is_fit && !has_duplicate(models))
    }
}

/// Returns the model; `None` for an address or a kind that cannot be used.
fn read_model(written: WrittenModel) -> Option<NamedModel> {
    let WrittenModel { url, model, api_key, kind } = written;
    let parsed = reqwest::Url::parse(url.trim()).ok()?;
    let is_address = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
    let kind = match kind {
        Some(word) => ProviderKind::from_word(&word)?,
        None => kind_of(&url),
    };
    let key = api_key.map(|SecretText(key)| key.trim().to_owned()).filter(|key| !key.is_empty());
    let is_fit = is_address && !model.trim().is_empty();
    is_fit.then(|| NamedModel {
        kind,
        url: url.trim().to_owned(),
        model: model.trim().to_owned(),
        api_key: key.map(SecretString::from),
    })
}

/// Returns `true` if a model is named twice at one address, which would be paid twice for one reply.
fn has_duplicate(models: &[NamedModel]) -> bool {
    let facts: Vec<_> = models
        .iter()
        .map(|it| (it.kind, it.url.trim_end_matches('/'), it.model.as_str()))
        .collect();
    facts.iter().enumerate().any(|(at, it)| facts.iter().skip(at + 1).any(|other| other == it))
}

/// Returns model and address, without the key.
fn describe_model(model: &NamedModel) -> String {
    format!("{} at {}", model.model, hide_credentials(&model.url))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn read(text: &str) -> Option<Vec<NamedModel>> {
        ModelList::read_raw(&RawValue::Words(text.to_owned()))
    }

    #[test]
    fn lists_that_cannot_be_asked_are_refused() {
        let named = |at| format!(r#"{{"url":"http://h","model":"m{at}"}}"#);
        let many = format!("[{}]", (0..17).map(named).collect::<Vec<_>>().join(","));
        for bad in [
            "[]",
            "{}",
            "gpt-5,claude",
            r#"[{"url":"http://h"}]"#,
            r#"[{"url":"http://h","model":" "}]"#,
            r#"[{"url":"h","model":"m"}]"#,
            r#"[{"url":"file:///etc/passwd","model":"m"}]"#,
            r#"[{"url":"http://h","model":"m","kind":"other"}]"#,
            r#"[{"url":"http://h","model":"m","apikey":"k"}]"#,
            r#"[{"url":"http://h","model":"m"}] "#.trim_end().strip_suffix(']').unwrap_or_default(),
            r#"[{"url":"http://h/v1","model":"m"},{"url":"http://h/v1/","model":"m","api_key":"k"}]"#,
            &many,
        ] {
            assert!(read(bad).is_none(), "{bad}");
        }
        assert_eq!(read("").map(|list| list.len()), Some(0));
    }

    #[test]
    fn a_model_has_its_own_address_key_and_format_and_is_shown_without_the_key() {
        let text = r#"[{"url":"https://me:pw@api.anthropic.com?k=s3cret","model":"claude","api_key":" key-1 "},
            {"url":"http://localhost:8000/v1","model":"local","kind":"openai-responses","api_key":""}]"#;
        let models = read(text).unwrap();
        let facts: Vec<_> = models
            .iter()
            .map(|it| {
                (it.kind, it.model.as_str(), it.api_key.as_ref().map(SecretString::expose_secret))
            })
            .collect();
        let expected = [
            (ProviderKind::Anthropic, "claude", Some("key-1")),
            (ProviderKind::Responses, "local", None),
        ];
        assert_eq!(facts, expected);
        let shown =
            "claude at https://***@api.anthropic.com/?***, local at http://localhost:8000/v1";
        assert_eq!(ModelList::to_text(&models), shown);
        let debug = format!("{models:?}");
        assert!(!debug.contains("key-1"), "{debug}");
    }
}
