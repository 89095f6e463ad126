//! The order of a run's attempts: the quickfix stage first, at no cost, then the models.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::error::FixError;
use super::models::{
    aggregator_config, judge_model_config, member_configs, provider_config, research_model_config,
    second_config,
};
use super::session::Session;
use crate::settings::ProviderChoice;
use papayu_base::domain::Allowance;
use papayu_base::text::Masker;
use papayu_providers::{
    self, Provider, ProviderConfig, ProviderError, ProviderFault, Recorder, Replay, Several,
    SeveralWorld,
};
use papayu_quickfix::{Formatter, IndexSource, Quickfix, QuickfixConfig};
use papayu_system::{CommandNetwork, System};

/// Destination of a run's recording.
#[derive(Clone, Copy)]
pub(crate) struct Recording<'a, 'r> {
    /// The file.
    pub(crate) file: &'r Path,
    /// Masks what is recorded.
    pub(crate) masker: &'a Masker,
    /// The goal as a replay must be given it.
    pub(crate) goal: Option<&'r str>,
}

/// The surroundings of the providers.
#[derive(Clone, Copy)]
pub(crate) struct ScheduleWorld<'a> {
    /// The outside.
    pub(crate) system: System<'a>,
    /// Masks what one model reads of another.
    pub(crate) masker: &'a Masker,
    /// The repository's files, for the quickfix stage.
    pub(crate) index: &'a dyn IndexSource,
}

/// The quickfix stage and the models of a run, opened.
pub(crate) struct ProviderSchedule<'a> {
    /// The stage, where the settings want it.
    pub(crate) quickfix: Option<Quickfix<'a>>,
    models: Vec<ScheduledModel<'a>>,
    research: Option<Box<dyn Provider + 'a>>,
    judge: Option<Box<dyn Provider + 'a>>,
}

struct ScheduledModel<'a> {
    provider: Box<dyn Provider + 'a>,
    attempts: usize,
}

impl<'a> ProviderSchedule<'a> {
    /// Opens what the settings name. A model that the user names answers alone; one that was
    /// found out from the other settings is asked for what the quickfix stage leaves.
    ///
    /// # Errors
    ///
    /// [`FixError::Recording`] if a recording cannot be used, [`FixError::Provider`] if a provider cannot be
    /// set up, and [`FixError::Write`] if a new recording cannot be written.
    pub(crate) fn open(
        session: &'a Session,
        world: ScheduleWorld<'a>,
        recording: Option<Recording<'a, '_>>,
    ) -> Result<Self, FixError> {
        let ScheduleWorld { system, masker, index } = world;
        let attempts = max_attempts(session);
        let (choice, _) = session.settings.provider(&session.repo);
        let quickfix = || Some(quickfix(session, system).with_index(index));
        let research = research_model_config(session)?.filter(|_| does_research(session));
        let research = research.map(|config| open_model(&config, system)).transpose()?;
        let mut schedule = Self { quickfix: None, models: Vec::new(), research, judge: None };
        match choice {
            ProviderChoice::Suggestions => schedule.quickfix = quickfix(),
            ProviderChoice::Replay(file) => {
                let replay =
                    Replay::open_recording(system.disk, &file).map_err(FixError::Recording)?;
                if replay.header().get("tools_first") == Some(&Value::Bool(true)) {
                    schedule.quickfix = quickfix();
                }
                schedule.add_model(Box::new(replay), attempts);
            }
            ProviderChoice::Model(kind) | ProviderChoice::Chain(kind) => {
                let tools_first = matches!(choice, ProviderChoice::Chain(_));
                schedule.quickfix = tools_first.then(quickfix).flatten();
                let model = session.settings.llm_model.value.clone();
                let first = open_model(&provider_config(session, kind, model), system)?;
                schedule.add_models(first, session, system, recording)?;
            }
            ProviderChoice::Several { tools_first } => {
                schedule.quickfix = tools_first.then(quickfix).flatten();
                let several = open_several(session, system, masker)?;
                schedule.add_models(several, session, system, recording)?;
            }
        }
        // After the first model: its recorder begins the file.
        schedule.judge = judge_model_config(session)?
            .map(|config| open_judge(&config, system, recording))
            .transpose()?;
        Ok(schedule)
    }

    /// Returns the model of each attempt.
    pub(crate) fn models(&self) -> Vec<&dyn Provider> {
        let mut models: Vec<&dyn Provider> = Vec::new();
        for ScheduledModel { provider, attempts } in &self.models {
            models.extend(std::iter::repeat_n(&**provider as &dyn Provider, *attempts));
        }
        models
    }

    /// Returns the model that summarizes the findings of online research. `None` if none is configured.
    pub(crate) fn research_model(&self) -> Option<&dyn Provider> {
        self.research.as_deref().map(|model| model as &dyn Provider)
    }

    /// Returns the model that judges changes. `None` if it is that of the attempt.
    pub(crate) fn judge_model(&self) -> Option<&dyn Provider> {
        self.judge.as_deref().map(|model| model as &dyn Provider)
    }

    /// Adds a model with its number of attempts.
    fn add_model(&mut self, provider: Box<dyn Provider + 'a>, attempts: usize) {
        self.models.push(ScheduledModel { provider, attempts });
    }

    /// Adds the first model, or the models that are asked first, and the second model if the settings name one.
    fn add_models(
        &mut self,
        first: Box<dyn Provider + 'a>,
        session: &Session,
        system: System<'a>,
        recording: Option<Recording<'a, '_>>,
    ) -> Result<(), FixError> {
        let attempts = max_attempts(session);
        let first = self.record(first, session, system, recording)?;
        match second_config(session).filter(|_| attempts > 1) {
            None => self.add_model(first, attempts),
            Some(_) if recording.is_some() => return Err(FixError::RecordedTwoModels),
            Some(second) => {
                self.add_model(first, 1);
                self.add_model(open_model(&second, system)?, attempts - 1);
            }
        }
        Ok(())
    }

    /// Returns the provider, with a recorder around it where the run is recorded.
    fn record(
        &self,
        provider: Box<dyn Provider + 'a>,
        session: &Session,
        system: System<'a>,
        recording: Option<Recording<'a, '_>>,
    ) -> Result<Box<dyn Provider + 'a>, FixError> {
        let Some(Recording { file, masker, goal }) = recording else { return Ok(provider) };
        let header = recording_header(session, provider.model(), goal, self.quickfix.is_some());
        let recorder = Recorder::new(provider, system.disk, file, header, masker)
            .map_err(|source| FixError::Write { path: file.to_owned(), source })?;
        Ok(Box::new(recorder))
    }
}

/// Opens the model that judges changes. Its replies go to the recording of the first one.
fn open_judge<'a>(
    config: &ProviderConfig,
    system: System<'a>,
    recording: Option<Recording<'a, '_>>,
) -> Result<Box<dyn Provider + 'a>, FixError> {
    let judge = open_model(config, system)?;
    Ok(match recording {
        Some(Recording { file, masker, .. }) => {
            Box::new(Recorder::append_to(judge, system.disk, file, masker))
        }
        None => judge,
    })
}

/// Returns `true` if a run may do online research by itself.
fn does_research(session: &Session) -> bool {
    let settings = &session.settings;
    settings.online_research.value && settings.online_auto_use_as_context.value
}

/// Returns the attempts of each model.
fn max_attempts(session: &Session) -> usize {
    usize::try_from(session.settings.run_max_attempts.value).unwrap_or(1)
}

fn quickfix<'a>(session: &'a Session, system: System<'a>) -> Quickfix<'a> {
    Quickfix::new(system, session.tree.as_ref(), quickfix_config(session))
}

/// Returns the project's formatters; `None` where the settings turn them off.
pub(crate) fn open_formatter<'a>(
    session: &'a Session,
    system: System<'a>,
) -> Option<Formatter<'a>> {
    // Its settings may load code of the change, and it needs no network.
    let config = QuickfixConfig { network: CommandNetwork::Off, ..quickfix_config(session) };
    let open = || Formatter::new(system, session.tree.as_ref(), config);
    session.settings.run_format.value.then(open)
}

/// Returns the settings of the quickfix stage.
fn quickfix_config(session: &Session) -> QuickfixConfig {
    let settings = &session.settings;
    QuickfixConfig {
        run: settings.run_command.value.clone(),
        timeout: settings.run_verify_timeout_sec.value,
        max_output: settings.run_max_output_bytes.value,
        keep_env: settings.run_keep_env.value.clone(),
        network: settings.run_network.value.into(),
        allow_test_edits: settings.allowances().contains(&Allowance::Tests),
    }
}

/// Opens the models that are asked at the same time, as one.
fn open_several<'a>(
    session: &Session,
    system: System<'a>,
    masker: &'a Masker,
) -> Result<Box<dyn Provider + 'a>, FixError> {
    let members = member_configs(session)?;
    let members = members.iter().map(|config| open_model(config, system));
    let members: Vec<_> = members.collect::<Result<_, _>>()?;
    let aggregator = aggregator_config(session).map(|config| open_model(&config, system));
    let timeout = session.settings.llm_timeout_sec.value;
    let world = SeveralWorld { clock: system.clock, masker, timeout };
    Ok(Box::new(Several::new(members, aggregator.transpose()?, world)))
}

/// Opens a model.
///
/// # Errors
///
/// [`FixError::Provider`] if the address cannot be used or the key is missing.
pub(crate) fn open_model<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<Box<dyn Provider + 'a>, FixError> {
    papayu_providers::open_provider(config, system).map_err(|error| match error {
        ProviderError { fault: ProviderFault::Setup(reason), .. } => FixError::Provider(reason),
        other => FixError::Provider(other.to_string()),
    })
}

/// Returns the facts that a replay needs about the recorded run.
fn recording_header(
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
