//! Chooses the provider: the one that the user named, or the one that follows from other settings; names settings of
//! models without effect.

use std::path::Path;

use super::address_kind::kind_of;
use super::keys::Settings;
use super::origin::ValueOrigin;
use super::provider::ProviderChoice;
use papayu_providers::ProviderKind;

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
        if self.llm_command.value.is_some() {
            let why = format!("found out from llm.command ({})", self.llm_command.origin);
            return (ProviderChoice::Chain(ProviderKind::Command), why);
        }
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

/// Returns a notice for each setting of a model that has no effect: `llm.model` where `llm.providers` names the models, and
/// those of the aggregator where it does not.
pub fn find_unused_models(settings: &Settings) -> Vec<String> {
    // Without a model none of them is asked, and a recording names its own.
    if let Some(ProviderChoice::Suggestions | ProviderChoice::Replay(_)) =
        settings.llm_provider.value
    {
        return Vec::new();
    }
    let list = &settings.llm_providers;
    if list.value.is_empty() {
        return find_unused_aggregator(settings);
    }
    let model = &settings.llm_model;
    if model.value.is_none() {
        return Vec::new();
    }
    vec![format!(
        "`llm.model` ({}) has no effect, because `llm.providers` ({}) names the models; add it to the list, or name it with `--second-model`",
        model.origin, list.origin
    )]
}

/// Returns a notice for each setting of the aggregator.
fn find_unused_aggregator(settings: &Settings) -> Vec<String> {
    let Settings { llm_aggregator_model, llm_aggregator_url, llm_aggregator_key, .. } = settings;
    let model = llm_aggregator_model.value.as_ref().map(|_| &llm_aggregator_model.origin);
    let url = llm_aggregator_url.value.as_ref().map(|_| &llm_aggregator_url.origin);
    let key = llm_aggregator_key.value.as_ref().map(|_| &llm_aggregator_key.origin);
    let all =
        [("llm.aggregator_model", model), ("llm.aggregator_url", url), ("llm.aggregator_key", key)];
    let notice = |key: &str, origin: &ValueOrigin| {
        format!(
            "`{key}` ({origin}) has no effect without `llm.providers`: there are no replies to combine"
        )
    };
    all.into_iter().filter_map(|(key, origin)| Some(notice(key, origin?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{SettingsSources, load};

    #[test]
    fn settings_of_models_without_effect_are_named_with_their_places() {
        let list = ("PAPAYU_LLM_PROVIDERS", r#"[{"url":"http://h","model":"m"}]"#);
        let by_hand = ("PAPAYU_LLM_PROVIDER", "suggestions");
        let aggregator =
            [("PAPAYU_LLM_AGGREGATOR_MODEL", "m"), ("PAPAYU_LLM_AGGREGATOR_URL", "http://h")];
        let flag = [("llm.model", "m".to_owned(), "--model")];
        let named = |flags: &[_], variables: &[(&str, &str)]| -> Vec<String> {
            let environment: Vec<_> = variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            let sources =
                SettingsSources { flags, environment: &environment, ..SettingsSources::default() };
            let notices = find_unused_models(&load(sources).unwrap()).into_iter();
            notices.map(|it| it.split(" has no effect").next().unwrap().to_owned()).collect()
        };
        assert_eq!(named(&flag, &[list]), ["`llm.model` (flag --model)"]);
        assert_eq!(
            named(&flag, &aggregator),
            [
                "`llm.aggregator_model` (env PAPAYU_LLM_AGGREGATOR_MODEL)",
                "`llm.aggregator_url` (env PAPAYU_LLM_AGGREGATOR_URL)",
            ]
        );
        for (flags, variables) in [
            (&flag[..], &[][..]),
            (&[], &[list, aggregator[0]]),
            (&flag, &[list, by_hand]),
            (&[], &[by_hand, aggregator[0]]),
        ] {
            assert_eq!(named(flags, variables), Vec::<String>::new(), "{variables:?}");
        }
    }
}
