//! The provider: the one that the user named, or the one that follows from other settings.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::kind::ReadValue;
use super::kind::ValueKind;
use super::raw::RawValue;
use super::words::Word as _;
use papayu_providers::ProviderKind;

/// A provider or a chain of providers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderChoice {
    /// A model.
    Model(ProviderKind),
    /// Fixes without a model first, then a model for the rest.
    Chain(ProviderKind),
    /// The models of `llm.providers`, asked at the same time.
    Several {
        /// `true` if fixes without a model come first.
        tools_first: bool,
    },
    /// Fixes without a model only.
    Suggestions,
    /// A recording.
    Replay(PathBuf),
}

impl ProviderChoice {
    /// Parses `openai`, `suggestions`, `suggestions,openai` or `replay:FILE`.
    fn read(text: &str) -> Option<Self> {
        if let Some(file) = text.strip_prefix("replay:") {
            return (!file.is_empty()).then(|| Self::Replay(file.into()));
        }
        // Paths after `replay:` keep their case; provider names do not.
        let word = text.to_ascii_lowercase();
        match word.strip_prefix("suggestions,") {
            Some(kind) => ProviderKind::from_word(kind).map(Self::Chain),
            None if word == "suggestions" => Some(Self::Suggestions),
            None => ProviderKind::from_word(&word).map(Self::Model),
        }
    }

    /// Returns the word that `llm.provider` takes.
    pub fn name(&self) -> String {
        match self {
            Self::Model(kind) => kind.name().into(),
            Self::Chain(kind) => format!("suggestions,{}", kind.name()),
            Self::Several { tools_first: false } => "several".into(),
            Self::Several { tools_first: true } => "suggestions,several".into(),
            Self::Suggestions => "suggestions".into(),
            Self::Replay(file) => format!("replay:{}", file.display()),
        }
    }
}

/// Returns the words of `llm.provider` that are complete in themselves.
pub fn provider_words() -> Vec<&'static str> {
    [ProviderKind::all_words(), vec!["suggestions"]].concat()
}

/// The kind of `llm.provider`: a provider, or nothing.
pub struct ProviderWord;

impl ValueKind for ProviderWord {
    type Value = Option<ProviderChoice>;

    fn expected_text() -> String {
        let models: Vec<_> =
            ProviderKind::all_words().into_iter().map(|name| format!("`{name}`")).collect();
        format!(
            "{}, `suggestions`, `suggestions,` before one of these models, or `replay:FILE`",
            models.join(", ")
        )
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.as_ref().map(ProviderChoice::name))
    }

    fn json_schema() -> Value {
        let models = ProviderKind::all_words().join("|");
        let pattern = format!("^((suggestions,)?({models})|suggestions|replay:.+)?$");
        json!({ "type": "string", "pattern": pattern })
    }
}

impl ReadValue for ProviderWord {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        match raw {
            RawValue::Words(text) | RawValue::Text(text) if text.is_empty() => Some(None),
            RawValue::Words(text) | RawValue::Text(text) => ProviderChoice::read(text).map(Some),
            _ => None,
        }
    }
}
