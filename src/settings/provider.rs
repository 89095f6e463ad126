//! The provider: the one that the user named, or the one that follows from other settings.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::keys::Settings;
use super::kind::Kind;
use super::kind::Read;
use super::origin::Origin;
use super::raw::Raw;
use super::words::Word as _;
use crate::providers::ProviderKind;

/// A provider or a chain of providers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderChoice {
    /// A model.
    Model(ProviderKind),
    /// Fixes without a model first, then a model for the rest.
    Chain(ProviderKind),
    /// Fixes without a model only.
    Suggestions,
    /// A recording.
    Replay(PathBuf),
}

impl ProviderChoice {
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
            Self::Suggestions => "suggestions".into(),
            Self::Replay(file) => format!("replay:{}", file.display()),
        }
    }
}

/// The kind of `llm.provider`: a provider, or nothing.
pub struct ProviderWord;

impl Kind for ProviderWord {
    type Value = Option<ProviderChoice>;

    fn expected_text() -> String {
        "`openai`, `anthropic`, `ollama`, `suggestions`, `suggestions,` before one of the three, or `replay:FILE`".into()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.as_ref().map(ProviderChoice::name))
    }

    fn json_schema() -> Value {
        json!({ "type": "string", "pattern": "^((suggestions,)?(openai|anthropic|ollama)|suggestions|replay:.+)?$" })
    }
}

impl Read for ProviderWord {
    fn read_raw(raw: &Raw) -> Option<Self::Value> {
        match raw {
            Raw::Words(text) | Raw::Text(text) if text.is_empty() => Some(None),
            Raw::Words(text) | Raw::Text(text) => ProviderChoice::read(text).map(Some),
            _ => None,
        }
    }
}

impl Settings {
    /// Returns who answers and why it is that one: the place that names it, or the settings it was
    /// found out from. A recording's path is made relative to where it was named.
    pub fn provider(&self, repo: &Path) -> (ProviderChoice, String) {
        if let Some(choice) = &self.llm_provider.value {
            let origin = &self.llm_provider.origin;
            let choice = match choice {
                ProviderChoice::Replay(file) => ProviderChoice::Replay(origin.anchor(file, repo)),
                other => other.clone(),
            };
            return (choice, origin.to_string());
        }
        let configured: [(&str, bool, &Origin); 3] = [
            ("llm.api_url", self.llm_api_url.value.is_some(), &self.llm_api_url.origin),
            ("llm.model", self.llm_model.value.is_some(), &self.llm_model.origin),
            ("llm.api_key", self.llm_api_key.value.is_some(), &self.llm_api_key.origin),
        ];
        match configured.iter().find(|(_, set, _)| *set) {
            Some((key, _, origin)) => {
                let kind = self.llm_api_url.value.as_deref().map_or(ProviderKind::OpenAi, kind_of);
                (ProviderChoice::Chain(kind), format!("found out from {key} ({origin})"))
            }
            None => (ProviderChoice::Suggestions, "no model is configured".into()),
        }
    }
}

/// Returns the wire format of an address. The path decides before the host, since Ollama's port
/// also serves OpenAI's path.
fn kind_of(address: &str) -> ProviderKind {
    let Ok(url) = reqwest::Url::parse(address) else { return ProviderKind::OpenAi };
    let path = url.path().trim_end_matches('/');
    if path.ends_with("/v1/messages") {
        ProviderKind::Anthropic
    } else if path.ends_with("/api/chat") {
        ProviderKind::Ollama
    } else if path.ends_with("/chat/completions") {
        ProviderKind::OpenAi
    } else if url.host_str() == Some("api.anthropic.com") {
        ProviderKind::Anthropic
    } else if url.port() == Some(11434) {
        ProviderKind::Ollama
    } else {
        ProviderKind::OpenAi
    }
}
