//! The models that the settings name, each with its own address and key.

use secrecy::{ExposeSecret as _, SecretString};

use super::error::FixError;
use super::session::Session;
use crate::settings::{ProviderChoice, kind_of};
use crate::verify::split_command;
use papayu_providers::{KeySetting, ModelCommand, ProviderConfig, ProviderKind};

/// Returns what the settings say of a model's API.
pub(crate) fn provider_config(
    session: &Session,
    kind: ProviderKind,
    model: Option<String>,
) -> ProviderConfig {
    let settings = &session.settings;
    ProviderConfig {
        kind,
        url: settings.llm_api_url.value.clone(),
        api_key: settings.llm_api_key.value.clone(),
        key_setting: KeySetting::First,
        model,
        strict_json: settings.llm_strict_json.value,
        reasoning_effort: settings.llm_reasoning_effort.value,
        temperature: settings.llm_temperature.value,
        timeout: settings.llm_timeout_sec.value,
        command: settings
            .llm_command
            .value
            .as_deref()
            .and_then(|line| model_command(session, line)),
    }
}

/// Returns the program of the provider `command`. It is the user's own and sees the user's variables, except those of this
/// program.
fn model_command(session: &Session, line: &str) -> Option<ModelCommand> {
    let names = session.environment.iter().map(|(name, _)| name);
    let variable = |wanted: &str| session.environment.iter().find(|(name, _)| name == wanted);
    Some(ModelCommand {
        words: split_command(line)?,
        folder: session.tree.root().to_owned(),
        variables: names.filter(|name| !name.starts_with("PAPAYU_")).cloned().collect(),
        search_path: variable("PATH").map(|(_, value)| value.clone()).unwrap_or_default(),
    })
}

/// Returns the second model; with an address of its own it has a format and a key of its own as well. Otherwise
/// it is at `llm.api_url`, also after the models of `llm.providers`. `None` if none is configured.
pub(crate) fn second_config(session: &Session) -> Option<ProviderConfig> {
    let settings = &session.settings;
    let model = settings.llm_second_model.value.clone()?;
    let kind = match settings.llm_provider.value {
        // A program does not take the name of a model.
        Some(ProviderChoice::Model(kind) | ProviderChoice::Chain(kind))
            if kind != ProviderKind::Command =>
        {
            kind
        }
        _ => settings.llm_api_url.value.as_deref().map_or(ProviderKind::OpenAi, kind_of),
    };
    let first = provider_config(session, kind, Some(model));
    Some(match &settings.llm_second_api_url.value {
        None => first,
        Some(url) => ProviderConfig {
            kind: kind_of(url),
            url: Some(url.clone()),
            // A key goes to its own server only.
            api_key: settings.llm_second_api_key.value.clone(),
            key_setting: KeySetting::Second,
            ..first
        },
    })
}

/// Returns the models of `llm.providers`.
///
/// # Errors
///
/// [`FixError::Provider`] if a key names an environment variable that is not set.
pub(crate) fn member_configs(session: &Session) -> Result<Vec<ProviderConfig>, FixError> {
    let members = session.settings.llm_providers.value.iter().map(|member| {
        let api_key = member.api_key.as_ref().map(|key| resolve_key(session, key)).transpose()?;
        Ok(ProviderConfig {
            url: Some(member.url.clone()),
            api_key,
            key_setting: KeySetting::Listed,
            ..provider_config(session, member.kind, Some(member.model.clone()))
        })
    });
    members.collect()
}

/// Returns the model that combines the replies of the others, if one is named.
pub(crate) fn aggregator_config(session: &Session) -> Option<ProviderConfig> {
    let settings = &session.settings;
    let url = settings.llm_aggregator_url.value.clone();
    let model = settings.llm_aggregator_model.value.clone();
    if url.is_none() && model.is_none() {
        return None;
    }
    let kind = url.as_deref().map_or(ProviderKind::OpenAi, kind_of);
    let api_key = settings.llm_aggregator_key.value.clone();
    let key_setting = KeySetting::Aggregator;
    Some(ProviderConfig { url, api_key, key_setting, ..provider_config(session, kind, model) })
}

/// A model of the settings, and its role.
pub(crate) struct ChosenModel {
    /// `provider`, `second` or `aggregator`.
    pub(crate) role: &'static str,
    /// Its configuration.
    pub(crate) config: ProviderConfig,
}

/// Returns every model that a run may ask, in the order of the roles; none for a choice without a model.
///
/// # Errors
///
/// A key names an environment variable that is not set.
pub(crate) fn chosen_models(
    session: &Session,
    choice: &ProviderChoice,
) -> Result<Vec<ChosenModel>, FixError> {
    let of_role = |role| move |config| ChosenModel { role, config };
    let second = second_config(session).map(of_role("second"));
    Ok(match choice {
        ProviderChoice::Suggestions | ProviderChoice::Replay(_) => Vec::new(),
        ProviderChoice::Model(kind) | ProviderChoice::Chain(kind) => {
            let first = provider_config(session, *kind, session.settings.llm_model.value.clone());
            std::iter::once(of_role("provider")(first)).chain(second).collect()
        }
        ProviderChoice::Several { .. } => {
            let members = member_configs(session)?.into_iter().map(of_role("provider"));
            let aggregator = aggregator_config(session).map(of_role("aggregator"));
            members.chain(aggregator).chain(second).collect()
        }
    })
}

/// Returns the model that summarizes the findings of online research: `online.model` at the address of the first model.
/// `None` without that setting, without a model, and for a recording, which has the replies of other models only.
///
/// # Errors
///
/// A key names an environment variable that is not set.
pub(crate) fn research_model_config(session: &Session) -> Result<Option<ProviderConfig>, FixError> {
    let Some(model) = session.settings.online_model.value.clone() else { return Ok(None) };
    let (choice, _) = session.settings.provider(&session.repo);
    let first = chosen_models(session, &choice)?.into_iter().next();
    Ok(first.map(|first| ProviderConfig { model: Some(model), ..first.config }))
}

/// Returns the model that judges changes: `llm.judge_model` at the address of the first model. `None` without that
/// setting, without a model, and for a recording.
///
/// # Errors
///
/// A key names an environment variable that is not set, or a judge is required and there is no model.
pub(crate) fn judge_model_config(session: &Session) -> Result<Option<ProviderConfig>, FixError> {
    let settings = &session.settings;
    let (choice, _) = settings.provider(&session.repo);
    if settings.llm_judge.value == Some(true) && choice == ProviderChoice::Suggestions {
        let text = "`llm.judge` is on, and the run has no model: configure one, or use `auto`";
        return Err(FixError::Provider(text.to_owned()));
    }
    let Some(model) = settings.llm_judge_model.value.clone() else { return Ok(None) };
    let is_wanted = settings.llm_judge.value != Some(false);
    let first = chosen_models(session, &choice)?.into_iter().next().filter(|_| is_wanted);
    Ok(first.map(|first| ProviderConfig { model: Some(model), ..first.config }))
}

/// Returns every key of a model.
pub(super) fn model_keys(session: &Session) -> Vec<String> {
    let settings = &session.settings;
    let keys = [&settings.llm_api_key, &settings.llm_second_api_key, &settings.llm_aggregator_key];
    let keys = keys.into_iter().filter_map(|key| key.value.clone());
    let members = settings.llm_providers.value.iter().filter_map(|it| it.api_key.clone());
    // A key that names a missing variable ends the run elsewhere.
    let members = members.filter_map(|key| resolve_key(session, &key).ok());
    keys.chain(members).map(|key| key.expose_secret().to_owned()).collect()
}

/// Returns the key, or the value of the environment variable that `$NAME` names.
fn resolve_key(session: &Session, key: &SecretString) -> Result<SecretString, FixError> {
    let Some(name) = key.expose_secret().strip_prefix('$') else { return Ok(key.clone()) };
    let found = session.environment.iter().find(|(variable, _)| variable == name);
    match found.filter(|(_, value)| !value.trim().is_empty()) {
        Some((_, value)) => Ok(SecretString::from(value.clone())),
        // The text behind `$` may be a key after all, so it is not shown.
        None => Err(FixError::Provider(
            "`llm.providers`: an `api_key` begins with `$` and names no environment variable that is set"
                .into(),
        )),
    }
}
