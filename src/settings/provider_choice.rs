//! Chooses the provider: the one that the user named, or the one that follows from other settings.

use std::path::Path;

use super::address_kind::kind_of;
use super::keys::Settings;
use super::origin::ValueOrigin;
use super::provider::ProviderChoice;
use crate::providers::ProviderKind;

impl Settings {
    /// Returns the provider and the reason for it: the place that names it, or the settings
    /// from which it follows.
    /// The path of a recording is made relative to the place that names it.
    pub fn provider(&self, repo: &Path) -> (ProviderChoice, String) {
        if let Some(several) = self.several() {
            return (
                several,
                format!("found out from llm.providers ({})", self.llm_providers.origin),
            );
        }
        if let Some(choice) = &self.llm_provider.value {
            let origin = &self.llm_provider.origin;
            let choice = match choice {
                ProviderChoice::Replay(file) => ProviderChoice::Replay(origin.anchor(file, repo)),
                other => other.clone(),
            };
            return (choice, origin.to_string());
        }
        let configured: [(&str, bool, &ValueOrigin); 3] = [
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

    /// Returns the choice of several models, unless the user wants no model or a recording.
    fn several(&self) -> Option<ProviderChoice> {
        if self.llm_providers.value.is_empty() {
            return None;
        }
        match self.llm_provider.value {
            Some(ProviderChoice::Suggestions | ProviderChoice::Replay(_)) => None,
            Some(ProviderChoice::Model(_)) => Some(ProviderChoice::Several { tools_first: false }),
            _ => Some(ProviderChoice::Several { tools_first: true }),
        }
    }
}
