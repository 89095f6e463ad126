//! From a session to a finished run: what `fix`, `plan`, `apply` and `replay` share.

use std::io;
use std::path::PathBuf;

use super::agent_sync;
use super::ci;
use super::command::input::{ContextInput, LogSource};
use super::error::CliError;
use super::handover::{Handover, Wants};
use super::indexed::Indexed;
use super::intake;
use super::known_names::KnownNames;
use super::output::Output;
use super::outside::Outside;
use super::seats::Seats;
use super::session::Session;
use crate::apply::{self, ApplyError};
use crate::domain::event::{Event, EventName, EventSink, NoEvents};
use crate::domain::goal::{Goal, Route};
use crate::domain::{ExitCode, FailureReport, Outcome, OutcomeKind, RunId};
use crate::engine::plan_file::PlanFile;
use crate::engine::{
    self, Budget, CheckCommand, EndOfLine, EngineConfig, Finished, Ledger, Task, TraceConfig, World,
};
use crate::failure::Limits;
use crate::input::Lessons;
use crate::providers::Prices;
use crate::settings::{Emit, Eol};
use crate::system::System;
use crate::{context, emit, input, project, protocol, verify};

/// Files listed of a repository at the most.
const MAX_FILES: usize = 50_000;

/// Where the results of runs are kept, each in a folder of its own name.
pub(super) const RUNS: &str = ".papa-yu/runs";

/// What a command brings to a run, beside the settings.
#[derive(Default)]
pub(super) struct Request {
    pub(super) input: ContextInput,
    /// PLAN only: the plan is written as a file.
    pub(super) plan_only: bool,
    /// A plan that was accepted.
    pub(super) plan: Option<PlanFile>,
    /// Why what was named cannot be used; the run ends with it.
    pub(super) blocked: Option<CliError>,
    /// Actions that need nobody to be asked.
    pub(super) given: Option<crate::domain::ActionSet>,
    pub(super) record: Option<PathBuf>,
    pub(super) quiet: bool,
}

impl Request {
    /// Returns the goal as a replay must be given it to go the same way.
    fn written_goal(&self) -> Option<String> {
        let words = || self.input.goal.as_ref().map(|goal| goal.text.clone()).unwrap_or_default();
        if self.plan_only {
            return Some(Goal { text: words(), route: Route::PlanOnly }.written());
        }
        self.input.goal.as_ref().map(Goal::written)
    }
}

/// Runs the request and leaves its results; whatever went wrong, `outcome.json` says so.
pub(super) fn launch(
    session: &Session,
    request: Request,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let outside = Outside::new(session)?;
    let id = RunId::new(outside.system().clock.fresh_id());
    let out = out_folder(session, &id);
    let events = outside.events(session.settings.log_format.value, request.quiet);
    let finished = match run(session, (&outside, events.as_ref()), request, &id) {
        Ok(finished) => finished,
        Err(error) => return Err(failed(session, &outside, error, &id)),
    };
    let Finished { mut outcome, patch, plan, log, failure, change, .. } = finished;
    outcome.started_at.clone_from(&outside.started);
    let wanted = matches!(
        outcome.outcome,
        OutcomeKind::Fixed | OutcomeKind::Planned | OutcomeKind::PublishFailed
    );
    let results = emit::Results {
        patch: if wanted { &patch } else { &[] },
        plan: plan.as_deref(),
        log: &log,
    };
    let told =
        ci::Told { failure: &failure, patch: results.patch, change: change.as_ref(), out: &out };
    ci::check_run(session, &outside, events.as_ref(), &mut outcome, told);
    let kept = wanted && session.settings.run_emit.value.contains(&Emit::Worktree);
    emit::write(outside.system().disk, &out, &mut outcome, &results).map_err(|error| {
        let (path, source) = (error.path, error.source);
        if kept { CliError::KeptUntold { path, source } } else { CliError::Write { path, source } }
    })?;
    ci::tell(session, &outside, &outcome, told)?;
    output.outcome(&outcome, results.patch, results.plan, &out)
}

fn out_folder(session: &Session, id: &RunId) -> PathBuf {
    let default = || session.tree.root().join(RUNS).join(id.as_str());
    session.settings.out_dir.resolved(session.tree.root()).unwrap_or_else(default)
}

/// Leaves an outcome that says the run has not ended: it shows that results can be written before
/// anything changes, and is what a kill leaves behind.
fn begin(session: &Session, outside: &Outside, id: &RunId) -> Result<(), CliError> {
    let reason = "the run has not ended: it is under way, or was killed";
    let mut outcome = Outcome::new(id.clone(), OutcomeKind::Interrupted, reason);
    outcome.started_at.clone_from(&outside.started);
    outcome.hint = Some("`papayu-batch undo` restores a tree that a killed run left".to_owned());
    let results = emit::Results { patch: &[], plan: None, log: "" };
    emit::write(outside.system().disk, &out_folder(session, id), &mut outcome, &results)
        .map_err(|error| CliError::Write { path: error.path, source: error.source })
}

/// Leaves an outcome that no run of ours made, and tells of it.
pub(super) fn leave(
    session: &Session,
    outside: &Outside,
    (mut outcome, failure): (Outcome, &FailureReport),
    output: &Output,
) -> Result<ExitCode, CliError> {
    let out = out_folder(session, &outcome.run_id);
    outcome.reason = outside.masker.mask(&outcome.reason).into_owned();
    let results = emit::Results { patch: &[], plan: None, log: "" };
    emit::write(outside.system().disk, &out, &mut outcome, &results)
        .map_err(|error| CliError::Write { path: error.path, source: error.source })?;
    let told = ci::Told { failure, patch: &[], change: None, out: &out };
    ci::tell(session, outside, &outcome, told)?;
    output.outcome(&outcome, &[], None, &out)
}

/// A run that could not begin leaves its outcome too; the error itself is printed by the caller.
fn failed(session: &Session, outside: &Outside, error: CliError, id: &RunId) -> CliError {
    let kind = error.outcome();
    let mut outcome = Outcome::new(id.clone(), kind, outside.masker.mask(&error.to_string()));
    outcome.started_at.clone_from(&outside.started);
    outcome.hint = error.hint();
    outcome.error_code = error.code_name().map(str::to_owned);
    let results = emit::Results { patch: &[], plan: None, log: "" };
    if matches!(error, CliError::Write { .. }) {
        return error;
    }
    let is_ours = !matches!(error, CliError::Apply(ApplyError::NotAFolder { .. }));
    if !is_ours && session.settings.out_dir.value.is_none() {
        // Through a link that the repository brought, the outcome would land anywhere.
        return error;
    }
    match emit::write(outside.system().disk, &out_folder(session, id), &mut outcome, &results) {
        Ok(()) => {
            let out = out_folder(session, id);
            let failure = FailureReport::default();
            let told = ci::Told { failure: &failure, patch: &[], change: None, out: &out };
            // What ended the run is worse than what it could not tell of it.
            let _ = ci::tell(session, outside, &outcome, told);
            error
        }
        Err(unwritten) => CliError::Twice { first: Box::new(error), second: unwritten.to_string() },
    }
}

fn run(
    session: &Session,
    (outside, events): (&Outside, &dyn EventSink),
    request: Request,
    id: &RunId,
) -> Result<Finished, CliError> {
    let system = outside.system();
    let _held = apply::hold(session.tree.as_ref()).map_err(CliError::Apply)?;
    if let Some(undone) = apply::recover(session.tree.as_ref()).map_err(CliError::Apply)? {
        events.emit(Event::new(EventName::JournalRecovered).with("run_id", undone.as_str()));
    }
    begin(session, outside, id)?;
    if let Some(error) = request.blocked {
        return Err(error);
    }
    let tree = session.tree.as_ref();
    // Reading a log says what is wrong with them.
    let told = if request.input.log.is_some() { &NoEvents as &dyn EventSink } else { events };
    let matchers = Lessons::new(tree, told).found();
    let wants = Wants::of(session);
    let handover = wants.any() && !request.plan_only;
    let handover = handover.then(|| Handover::open(session, outside, events, wants)).transpose()?;
    if let Some(reason) = handover.as_ref().and_then(Handover::own_work) {
        return Ok(stopped(id, reason));
    }
    let log = intake::logs(session, outside, events, &request.input)?;
    let issue = request.input.issue;
    let issue = issue.map(|number| intake::issue(session, outside, events, number)).transpose()?;
    let profile = project::detect(tree);
    let files = files(session, system)?;
    let code = Indexed::read(session, system, events)?;
    let goal = request.written_goal();
    let names = KnownNames::of(code.known().index);
    let record = request.record.as_deref();
    let seats = match request.given {
        Some(_) => None,
        None => Some(Seats::open(session, system, record, goal.as_deref(), &names)?),
    };
    let providers = seats.as_ref().map(Seats::in_order).unwrap_or_default();
    let config = engine_config(session)?;
    priced(session, &config, &providers)?;
    let world = World {
        system,
        tree,
        files: &files,
        known: code.known(),
        matchers: &matchers,
        profile: &profile,
        providers: &providers,
        events,
        masker: &outside.masker,
        ledger: handover.as_ref().map(|handover| handover as &dyn Ledger),
    };
    let task = Task { issue, ..task(session, request, log, profile.verify.as_deref()) };
    events.emit(Event::new(EventName::RunStarted).with("run_id", id.as_str()));
    let mut finished = engine::run(world, &config, task, id.clone());
    if let Some(handover) = &handover {
        handover.deliver(&mut finished, &out_folder(session, id), outside);
    }
    agent_sync::leave(session, outside, &mut finished, code.known().index);
    events.emit(
        Event::new(EventName::RunFinished)
            .with("outcome", finished.outcome.outcome.name())
            .with("exit_code", finished.outcome.exit_code),
    );
    Ok(finished)
}

/// A run that was not to be.
fn stopped(id: &RunId, reason: String) -> Finished {
    let mut outcome = Outcome::new(id.clone(), OutcomeKind::NotFixed, reason);
    outcome.hint = Some("look at this failure yourself; nothing was changed".to_owned());
    let (patch, log, summary) = (Vec::new(), String::new(), String::new());
    Finished {
        outcome,
        patch,
        plan: None,
        log,
        failure: FailureReport::default(),
        summary,
        change: None,
    }
}

/// Lists the repository's files.
pub(super) fn files(session: &Session, system: System<'_>) -> Result<Vec<String>, CliError> {
    let walked = system.disk.walk(session.tree.root(), MAX_FILES);
    walked.map_err(|source| CliError::Repository { path: session.repo.clone(), source })
}

/// Reads a log within the session's limits.
pub(super) fn read_log(
    session: &Session,
    system: System<'_>,
    source: &LogSource,
    events: &dyn EventSink,
) -> Result<input::Log, CliError> {
    let limits = Limits { excerpt_chars: count(session.settings.context_max_log_chars.value) };
    let path = match source {
        LogSource::File(path) => path.clone(),
        LogSource::Stdin => PathBuf::from("-"),
    };
    let lessons = Lessons::new(session.tree.as_ref(), events);
    input::read_log(system, &path, limits, lessons).map_err(|error| match error.kind.kind() {
        io::ErrorKind::Interrupted => CliError::Interrupted { path: error.path },
        _ => CliError::Read { path: error.path, source: error.kind },
    })
}

fn task(
    session: &Session,
    request: Request,
    log: Option<input::Log>,
    detected: Option<&str>,
) -> Task {
    let named = session.settings.run_command.value.clone();
    let planned = request.plan.as_ref();
    let check = match named.or_else(|| planned.and_then(|plan| plan.run.clone())) {
        Some(command) => Some(CheckCommand { command, by_user: true }),
        None => detected
            .filter(|command| is_allowed(command))
            .map(|command| CheckCommand { command: command.to_owned(), by_user: false }),
    };
    let goal = request.input.goal;
    let route = match (&goal, planned) {
        _ if request.plan_only => Route::PlanOnly,
        (_, Some(_)) => Route::ApplyOnly,
        (Some(goal), None) => goal.route,
        (None, None) => Route::PlanThenApply,
    };
    let words = goal.map(|goal| goal.text).or_else(|| planned.and_then(|plan| plan.goal.clone()));
    let reads = planned.map(PlanFile::reads).unwrap_or_default();
    let (log, log_triage) = log.map(|log| (log.report, log.triage)).unzip();
    Task {
        goal: words.filter(|words| !words.is_empty()),
        route,
        log: log.or_else(|| planned.map(|plan| plan.failure.clone())),
        log_triage: log_triage.unwrap_or_default(),
        check,
        accepted_plan: request.plan.map(|plan| plan.summary),
        reads,
        given: request.given,
        issue: None,
    }
}

/// A command that the user did not write runs only when it is on the allow-list.
fn is_allowed(command: &str) -> bool {
    verify::words(command).is_some_and(|words| verify::is_allowed_tool(&words).is_ok())
}

fn engine_config(session: &Session) -> Result<EngineConfig, CliError> {
    let settings = &session.settings;
    let limit = |value: u64| (value > 0).then_some(value);
    let trace_dir = settings.trace_dir.resolved(session.tree.root());
    Ok(EngineConfig {
        version: settings.protocol_version.value,
        fallback: settings.protocol_fallback_to_v1.value,
        flake_reruns: u32::try_from(settings.run_flake_reruns.value).unwrap_or(u32::MAX),
        max_rounds: u32::try_from(settings.context_max_rounds.value).unwrap_or(u32::MAX),
        diet: diet(session),
        budget: Budget {
            max_tokens: limit(settings.budget_max_tokens.value),
            max_cost: Some(settings.budget_max_cost.value).filter(|cost| *cost > 0.0),
            max_requests: limit(settings.budget_max_requests.value)
                .map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
            timeout: settings.run_timeout_sec.value,
        },
        policy: policy(session)?,
        verify: verify_config(session),
        eol: match settings.apply_normalize_eol.value {
            Eol::Keep => EndOfLine::Keep,
            Eol::Lf => EndOfLine::Lf,
        },
        trace: TraceConfig {
            dir: trace_dir.filter(|_| settings.trace_enabled.value),
            raw: settings.trace_raw.value,
        },
        keep_tree: settings.run_emit.value.contains(&Emit::Worktree),
        prices: prices(session)?,
        snapshot: settings.snapshot(),
    })
}

/// Returns the limits on the user's command.
pub(super) fn verify_config(session: &Session) -> verify::VerifyConfig {
    let settings = &session.settings;
    verify::VerifyConfig {
        timeout: settings.run_verify_timeout_sec.value,
        max_output: settings.run_max_output_bytes.value,
        keep_env: settings.run_keep_env.value.clone(),
    }
}

/// Returns the context's budget.
pub(super) fn diet(session: &Session) -> context::DietConfig {
    let settings = &session.settings;
    context::DietConfig {
        max_files: count(settings.context_max_files.value),
        max_file_chars: count(settings.context_max_file_chars.value),
        max_total_chars: count(settings.context_max_total_chars.value),
        max_log_chars: count(settings.context_max_log_chars.value),
    }
}

/// Returns what a change may touch.
pub(super) fn policy(session: &Session) -> Result<protocol::Policy, CliError> {
    let settings = &session.settings;
    Ok(protocol::Policy {
        allow_delete: settings.policy_allow_delete.value,
        allow_ci_files: settings.policy_allow_ci_files.value,
        allow_test_edits: settings.policy_allow_test_edits.value,
        protected: protocol::Globs::parse(&settings.paths_protected.value)
            .map_err(|fault| CliError::Provider(format!("paths.protected: {fault}")))?,
        allowed: settings.paths_allowed.value.clone(),
    })
}

fn prices(session: &Session) -> Result<Prices, CliError> {
    let settings = &session.settings;
    let prices = match settings.llm_price_file.resolved(&session.repo) {
        Some(path) => Prices::with_file(&super::session::text(&session.disk, &path)?),
        None => Prices::builtin(),
    };
    prices.map_err(|error| CliError::Provider(error.to_string()))
}

/// A cost limit that cannot be kept is refused before anything is spent.
fn priced(
    session: &Session,
    config: &EngineConfig,
    providers: &[&dyn crate::providers::Provider],
) -> Result<(), CliError> {
    if session.settings.budget_max_cost.value <= 0.0 {
        return Ok(());
    }
    let usage = crate::domain::Usage::default();
    let unpriced = providers.iter().find(|provider| {
        let free = provider.is_free() || provider.name() == "replay";
        !free && config.prices.cost(provider.name(), provider.model(), usage).is_none()
    });
    match unpriced {
        Some(provider) => Err(CliError::NoPrice(provider.model().to_owned())),
        None => Ok(()),
    }
}

fn count(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
