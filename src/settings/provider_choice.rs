//! Chooses the provider: the one that the user named, or the one that follows from other settings.

use std::path::Path;

use super::keys::Settings;
use super::origin::Origin;
use super::provider::ProviderChoice;
use crate::providers::ProviderKind;

impl Settings {
    /// Returns the provider and the reason for it: the place that names it, or the settings
    /// from which it follows.
    /// The path of a recording is made relative to the place that names it.
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

/// Returns the wire format for an address. The path decides before the host, because Ollama
/// serves the path of OpenAI on its own port too.
fn kind_of(address: &str) -> ProviderKind {
    let Ok(url) = reqwest::Url::parse(address) else { return ProviderKind::OpenAi };
    let path = url.path().trim_end_matches('/');
    if path.ends_with("/v1/messages") {
        ProviderKind::Anthropic
    } else if path.ends_with("/api/chat") {
        ProviderKind::Ollama
    } else if path.ends_with("/chat/completions") {
        ProviderKind::OpenAi
    } else if path.ends_with("/responses") {
        ProviderKind::Responses
    } else if path.ends_with(":generateContent") {
        ProviderKind::Gemini
    } else if url.host_str() == Some("api.anthropic.com") {
        ProviderKind::Anthropic
    } else if url.host_str() == Some("generativelanguage.googleapis.com")
        && !path.ends_with("/openai")
    {
        ProviderKind::Gemini
    } else if url.port() == Some(11434) {
        ProviderKind::Ollama
    } else {
        ProviderKind::OpenAi
    }
}
