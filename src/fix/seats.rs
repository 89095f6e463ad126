//! Who is asked in which attempt: the tools first, at no cost, then the model.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::error::FixError;
use super::known_names::KnownNames;
use super::session::Session;
use crate::providers::{
    self, Provider, ProviderConfig, ProviderError, ProviderFault, ProviderKind, Recorder, Replay,
};
use crate::quickfix::{Suggestions, SuggestionsConfig};
use crate::settings::ProviderChoice;
use crate::system::System;

/// The providers of a run, opened, and the seats they take.
pub(crate) struct Seats<'a> {
    providers: Vec<Box<dyn Provider + 'a>>,
    /// An index into `providers` an attempt.
    order: Vec<usize>,
}

impl<'a> Seats<'a> {
    /// Opens what the settings name. A provider that the user names answers alone; one that was
    /// found out from the other settings is asked for what the tools leave.
    pub(crate) fn open(
        session: &'a Session,
        system: System<'a>,
        record: Option<&Path>,
        goal: Option<&str>,
        names: &'a KnownNames<'a>,
    ) -> Result<Self, FixError> {
        let settings = &session.settings;
        let attempts = usize::try_from(settings.run_max_attempts.value).unwrap_or(1);
        let (choice, _) = settings.provider(&session.repo);
        let tools =
            || Box::new(suggestions(session, system).with_lookup(names)) as Box<dyn Provider + 'a>;
        let mut seats = Self { providers: Vec::new(), order: Vec::new() };
        match choice {
            ProviderChoice::Suggestions => seats.seat(tools(), 1),
            ProviderChoice::Replay(file) => {
                let replay =
                    Replay::open_recording(system.disk, &file).map_err(FixError::Recording)?;
                if replay.header().get("tools_first") == Some(&Value::Bool(true)) {
                    seats.seat(tools(), 1);
                }
                seats.seat(Box::new(replay), attempts);
            }
            ProviderChoice::Model(kind) => {
                seats.seat_models(session, system, kind, record.map(|file| (file, goal)))?;
            }
            ProviderChoice::Chain(kind) => {
                seats.seat(tools(), 1);
                seats.seat_models(session, system, kind, record.map(|file| (file, goal)))?;
            }
        }
        Ok(seats)
    }

    /// Returns the provider of each attempt.
    pub(crate) fn in_order(&self) -> Vec<&dyn Provider> {
        self.order
            .iter()
            .filter_map(|index| self.providers.get(*index))
            .map(|p| &**p as &dyn Provider)
            .collect()
    }

    fn seat(&mut self, provider: Box<dyn Provider + 'a>, attempts: usize) {
        self.order.extend(std::iter::repeat_n(self.providers.len(), attempts));
        self.providers.push(provider);
    }

    fn seat_models(
        &mut self,
        session: &Session,
        system: System<'a>,
        kind: ProviderKind,
        record: Option<(&Path, Option<&str>)>,
    ) -> Result<(), FixError> {
        let settings = &session.settings;
        let attempts = usize::try_from(settings.run_max_attempts.value).unwrap_or(1);
        let first = open(session, system, kind, settings.llm_model.value.clone())?;
        let first: Box<dyn Provider + 'a> = match record {
            None => first,
            Some((file, goal)) => {
                let header = header(session, first.model(), goal, !self.order.is_empty());
                let wrapped = Recorder::new(first, system.disk, file, header);
                Box::new(
                    wrapped.map_err(|source| FixError::Write { path: file.to_owned(), source })?,
                )
            }
        };
        match settings.llm_second_model.value.clone().filter(|_| attempts > 1) {
            None => self.seat(first, attempts),
            Some(_) if record.is_some() => return Err(FixError::RecordedTwoModels),
            Some(second) => {
                self.seat(first, 1);
                self.seat(open(session, system, kind, Some(second))?, attempts - 1);
            }
        }
        Ok(())
    }
}

fn suggestions<'a>(session: &'a Session, system: System<'a>) -> Suggestions<'a> {
    let settings = &session.settings;
    let config = SuggestionsConfig {
        run: settings.run_command.value.clone(),
        timeout: settings.run_verify_timeout_sec.value,
        max_output: settings.run_max_output_bytes.value,
        keep_env: settings.run_keep_env.value.clone(),
        allow_test_edits: settings.policy_allow_test_edits.value,
    };
    Suggestions::new(system, session.tree.as_ref(), config)
}

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
        model,
        strict_json: settings.llm_strict_json.value,
        timeout: settings.llm_timeout_sec.value,
    }
}

fn open<'a>(
    session: &Session,
    system: System<'a>,
    kind: ProviderKind,
    model: Option<String>,
) -> Result<Box<dyn Provider + 'a>, FixError> {
    providers::open_provider(&provider_config(session, kind, model), system).map_err(|error| {
        match error {
            ProviderError { fault: ProviderFault::Setup(reason), .. } => FixError::Provider(reason),
            other => FixError::Provider(other.to_string()),
        }
    })
}

/// What a replay needs to know of the run that was recorded.
fn header(
    session: &Session,
    model: &str,
    goal: Option<&str>,
    tools_first: bool,
) -> Map<String, Value> {
    let fields = json!({
        "goal": goal,
        "run": session.settings.run_command.value,
        "model": model,
        "tools_first": tools_first,
        "protocol": session.settings.protocol_version.value.number(),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
