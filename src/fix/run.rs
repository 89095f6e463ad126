//! One run from its request to its results: what `fix`, `plan`, `apply` and `replay` share.

use std::path::PathBuf;
use std::sync::{Arc, Once, OnceLock};
use std::thread;

use super::agent_sync::write_agent_sync;
use super::attribution::attribute_failure;
use super::check_run::create_check_run;
use super::commands::plan_setup;
use super::config::{engine_config, known_model_window, priced};
use super::continued::RunHistory;
use super::delivery::{Delivery, Wants};
use super::engine_task::{build_task, read_background};
use super::error::FixError;
use super::failure_input::{self, CiRun};
use super::finding_task::{ended_run, record_finding};
use super::findings_input::sync_snyk;
use super::green::read_green_changes;
use super::noted::keep_for_later;
use super::reading::BackgroundIndex;
use super::recheck::Prover;
use super::recipes::{PlannedRequest, keep_recipes, open_recipes, plan_request};
use super::refusal::describe_refusal;
use super::request::{FixReport, Request};
use super::run_context::RunContext;
use super::schedule::{ProviderSchedule, Recording, ScheduleWorld, open_formatter};
use super::session::Session;
use super::shared_store::append_run;
use super::tracked::Tracked;
use super::undo::undo_culprit;
use super::work_forms::deliver_forms;
use crate::apply::{self, ApplyError, RepositoryLock};
use crate::changes::Changes;
use crate::engine::{self, AttemptHistory, Finished, GitState, Task, World};
use crate::input::MatcherLoader;
use crate::project::Profile;
use crate::publish::PublishError;
use crate::settings::Emit;
use crate::{emit, input, project};
use papayu_base::domain::event::{Event, EventName, EventSink, NoEvents};
use papayu_base::domain::{Outcome, OutcomeKind, RunId, SandboxLevel, SandboxRecord, Version};
use papayu_base::text;
use papayu_base::text::Masked;
use papayu_forge::ForgeFault;
use papayu_logs::failure::{GreenLines, Matchers};
use papayu_logs::{failure, triage};
use papayu_patch::protocol;
use papayu_system::trace::spans;
use papayu_system::{Tree, spawn_workers};

/// Folder of the results of runs, each in a folder named by its id.
pub(crate) const RUNS: &str = ".papa-yu/runs";

/// Runs the request and writes its results; any error is in `outcome.json`.
pub(crate) fn run(context: RunContext<'_>, mut request: Request) -> FixReport {
    prepare_tables(context.session.settings.protocol_version.value);
    let fresh_id = || RunId::new(context.runtime.system().clock.fresh_id());
    let id = request.id.clone().unwrap_or_else(fresh_id);
    // Asked here, since git ends with the time limit of the run.
    request
        .history
        .record_head(|| Some(context.open_git().ok()?.place().head()?.commit()?.to_string()));
    let history = request.history.clone();
    let report = match run_locked(context, request, &id) {
        Ok(mut finished) => {
            history.end(context, &out_folder(context.session, &id), &mut finished);
            write_finished(context, finished, &id)
        }
        Err(error) => write_failed(context, name_time_limit(context, error), &id, &history),
    };
    append_run(context, &report);
    report
}

/// Returns the error for the time limit in place of that for an interruption which it caused.
fn name_time_limit(context: RunContext<'_>, error: FixError) -> FixError {
    let limit = context.session.settings.run_timeout_sec.value;
    let is_over = context.runtime.system().clock.elapsed() >= limit;
    let is_interrupted = match &error {
        FixError::Interrupted { .. } => true,
        FixError::Publish(PublishError::Forge(error)) => error.fault == ForgeFault::Interrupted,
        _ => false,
    };
    if is_over && is_interrupted { FixError::OverTime { limit } } else { error }
}

/// Runs the request while no other run can change the repository.
fn run_locked(context: RunContext<'_>, request: Request, id: &RunId) -> Result<Finished, FixError> {
    let tree = context.session.tree.as_ref();
    let lock = apply::lock_repository(tree).map_err(FixError::Apply)?;
    if let Some(undone) = apply::recover(tree).map_err(FixError::Apply)? {
        let event = Event::new(EventName::JournalRecovered).with("run_id", undone.as_str());
        context.events.emit(event);
    }
    let state = StateDir { lock: &lock, tree, ready: OnceLock::new() };
    let finished = thread::scope(|scope| {
        // Without a thread the folder is made ready when it is first waited for.
        let _ = spawn_workers(scope, "state", 1, || || _ = state.init());
        run_with_index(context, request, id, &state)
    });
    state.init();
    match state.ready.into_inner() {
        Some(Err(error)) => Err(FixError::Apply(error)),
        _ => finished,
    }
}

/// The program's folder in the repository, made ready by the first caller.
struct StateDir<'a> {
    lock: &'a RepositoryLock,
    tree: &'a dyn Tree,
    ready: OnceLock<Result<(), ApplyError>>,
}

impl StateDir<'_> {
    /// Returns whether the folder is ready; waits where another thread makes it so.
    fn init(&self) -> bool {
        self.ready.get_or_init(|| self.lock.init_state_dir(self.tree)).is_ok()
    }
}

/// Runs the request while the index is read in the background.
fn run_with_index(
    context: RunContext<'_>,
    request: Request,
    id: &RunId,
    state: &StateDir<'_>,
) -> Result<Finished, FixError> {
    write_unfinished(context, id, &request.history)?;
    if let Some(error) = request.blocked {
        return Err(error);
    }
    let reading = BackgroundIndex::new(context.session, context.runtime.system(), context.events);
    let finished = reading.run_alongside(|wait_for_files| {
        let inputs = match RunInputs::read(context, &request, id) {
            Ok(inputs) => inputs,
            Err(NotStarted::Refused(outcome)) => return Ok(run_without_start(*outcome)),
            Err(NotStarted::Failed(error)) => return Err(error),
        };
        if !state.init() {
            let reason = "the folder of the program cannot be made ready".to_owned();
            return Ok(run_without_start(refused_outcome(id, reason)));
        }
        // Commands may replace folders by links: the walk over the files has to end before them.
        wait_for_files();
        run_engine(context, request, id, inputs, &reading)
    })?;
    // A proved fix needs the index no more.
    let error = reading.finish().filter(|_| finished.outcome.outcome != OutcomeKind::Fixed);
    error.map_or(Ok(finished), Err)
}

/// The inputs fetched before a run starts.
struct RunInputs<'a> {
    matchers: Matchers,
    delivery: Option<Delivery<'a>>,
    log: Option<input::Log>,
    green: Option<Arc<GreenLines>>,
    issue: Option<String>,
    profile: Profile,
    tracked: Option<Tracked<'a>>,
    changes: Option<Changes>,
}

/// The reason why a run does not start.
enum NotStarted {
    /// An error, which ends the command.
    Failed(FixError),
    /// The run is not wanted, and ends with this outcome.
    Refused(Box<Outcome>),
}

impl From<FixError> for NotStarted {
    fn from(error: FixError) -> Self {
        Self::Failed(error)
    }
}

impl<'a> RunInputs<'a> {
    /// Reads the failure and opens what delivers the fix, so that what cannot work ends the run early.
    fn read(context: RunContext<'a>, request: &Request, id: &RunId) -> Result<Self, NotStarted> {
        let tree = context.session.tree.as_ref();
        // Reading a log reports invalid matchers, once is enough.
        let is_reported = !request.input.logs.is_empty();
        let events = if is_reported { &NoEvents as &dyn EventSink } else { context.events };
        let matchers = MatcherLoader::new(tree, events).load_all();
        let delivery = open_delivery(context, request, id)?;
        if let Some(reason) = delivery.as_ref().and_then(Delivery::own_work) {
            return Err(NotStarted::Refused(Box::new(refused_outcome(id, reason))));
        }
        let ci_run = CiRun::open(context, &request.input)?;
        if let Some(outcome) = ci_run.as_ref().and_then(|run| attribute_failure(context, run, id)) {
            return Err(NotStarted::Refused(Box::new(outcome)));
        }
        let limits = failure_input::read_limits(context, &request.input, ci_run.as_ref())?;
        let log = failure_input::read_logs(context, &request.input, ci_run.as_ref(), &limits)?;
        let issue = match request.input.issue {
            Some(number) => Some(failure_input::read_issue(context, number)?),
            None => None,
        };
        let profile = project::detect(tree);
        let tracked = Tracked::list(context);
        let changes = read_green_changes(context, ci_run.as_ref())?;
        let green = limits.green;
        Ok(Self { matchers, delivery, log, green, issue, profile, tracked, changes })
    }
}

/// Opens what the delivery needs before the run, so that a missing token is reported before any
/// token is spent.
fn open_delivery<'a>(
    context: RunContext<'a>,
    request: &Request,
    id: &RunId,
) -> Result<Option<Delivery<'a>>, FixError> {
    let wants = Wants::of(context.session);
    if !wants.any() || request.plan_only {
        return Ok(None);
    }
    Ok(Some(Delivery::open(context, wants)?.of_run(id, request.given.is_some())))
}

/// Runs the steps of the engine, from triage to the proof, and delivers a proved fix.
fn run_engine(
    context: RunContext<'_>,
    request: Request,
    id: &RunId,
    inputs: RunInputs<'_>,
    reading: &BackgroundIndex<'_>,
) -> Result<Finished, FixError> {
    let RunContext { session, runtime, events } = context;
    let RunInputs { matchers, delivery, log, green, issue, profile, tracked, changes } = inputs;
    let (request, record) = match plan_request(context, reading, request, id)? {
        PlannedRequest::Ended(finished) => return Ok(*finished),
        PlannedRequest::Ready(request, record) => (*request, record),
    };
    let recipes = open_recipes(context, reading, &request);
    let schedule = open_schedule(context, &request, reading)?;
    let models = schedule.as_ref().map(ProviderSchedule::models).unwrap_or_default();
    let mut config = engine_config(session)?;
    let research_model = schedule.as_ref().and_then(ProviderSchedule::research_model);
    let judge_model = schedule.as_ref().and_then(ProviderSchedule::judge_model);
    let asked: Vec<_> = models.iter().copied().chain(research_model).chain(judge_model).collect();
    priced(session, &config, &asked)?;
    config.window = config.window.or_else(|| known_model_window(&models));
    let formatter = open_formatter(session, runtime.system());
    let world = World {
        system: runtime.system(),
        tree: session.tree.as_ref(),
        survey: reading,
        git: tracked.as_ref().map(|tracked| tracked as &dyn GitState),
        matchers: &matchers,
        green: green.as_ref(),
        profile: &profile,
        quickfix: schedule.as_ref().and_then(|schedule| schedule.quickfix.as_ref()),
        recipes: recipes.as_ref(),
        formatter: formatter.as_ref(),
        models: &models,
        judge_model,
        research_model,
        events,
        masker: &runtime.masker,
        network: session.settings.run_network.value.into(),
        history: delivery.as_ref().map(|delivery| delivery as &dyn AttemptHistory),
    };
    let span = spans::run_span(id);
    let _in_run = span.enter();
    events.emit(Event::new(EventName::RunStarted).with("run_id", id.as_str()));
    let background = read_background(context, tracked.as_ref(), issue);
    let findings = sync_snyk(context);
    let changes = changes.map(Arc::new);
    let task = Task { background, findings, changes, ..build_task(session, request, log, events) };
    let command = task.check.as_ref().map(|check| check.command.clone());
    plan_setup(session, &mut config, command.as_deref());
    let first = engine::run(world, &config, task.clone(), id.clone());
    let mut again = |task| engine::run(world, &config, task, id.clone());
    let mut finished = undo_culprit(context, &task, first, &mut again);
    if let Some(record) = record {
        record_finding(&mut finished, *record);
    }
    keep_for_later(context, &mut finished);
    keep_recipes(context, recipes.as_ref(), &mut finished);
    let prover = Prover { world, verify: &config.verify, command, policy: &config.policy };
    deliver_result(context, delivery.as_ref(), &mut finished, &prover);
    spans::record_outcome(&span, &finished.outcome);
    write_agent_sync(context, &mut finished, reading);
    let end = Event::new(EventName::RunFinished).with("outcome", finished.outcome.outcome.name());
    events.emit(end.with("exit_code", finished.outcome.exit_code));
    Ok(finished)
}

/// Opens the providers of a run; `None` if the actions are given and no model goes on after them.
fn open_schedule<'a>(
    context: RunContext<'a>,
    request: &Request,
    reading: &'a BackgroundIndex<'_>,
) -> Result<Option<ProviderSchedule<'a>>, FixError> {
    let goes_on = request.after_recipe.is_some() && context.session.has_model();
    if request.given.is_some() && !goes_on {
        return Ok(None);
    }
    let masker = &*context.runtime.masker;
    let goal = request.written_goal();
    let goal = goal.as_deref();
    let recording = request.record.as_deref().map(|file| Recording { file, masker, goal });
    let surroundings = ScheduleWorld { system: context.runtime.system(), masker, index: reading };
    ProviderSchedule::open(context.session, surroundings, recording).map(Some)
}

/// Delivers the end of a run in every form that the settings name.
fn deliver_result(
    context: RunContext<'_>,
    delivery: Option<&Delivery<'_>>,
    finished: &mut Finished,
    prover: &Prover<'_>,
) {
    let Some(delivery) = delivery else { return };
    let _in_stage = spans::stage_span("deliver").entered();
    let out = out_folder(context.session, &finished.outcome.run_id);
    delivery.deliver(finished, &out, context.runtime, prover);
    deliver_forms(delivery, finished, &context.runtime.masker);
}

/// Returns the outcome of a run that is not wanted.
fn refused_outcome(id: &RunId, reason: String) -> Outcome {
    let mut outcome = Outcome::new(id.clone(), OutcomeKind::NotFixed, reason);
    outcome.hint = Some("look at this failure yourself; nothing was changed".to_owned());
    outcome
}

/// Returns the end of a run that did not start, which costs nothing.
fn run_without_start(mut outcome: Outcome) -> Finished {
    outcome.cost_usd = Some(0.0);
    let finished = ended_run(&outcome.run_id, outcome.outcome, String::new());
    Finished { outcome, ..finished }
}

/// Writes an outcome that states that the run has not ended: this shows before any change that
/// results can be written, and remains after a kill.
fn write_unfinished(
    context: RunContext<'_>,
    id: &RunId,
    history: &RunHistory,
) -> Result<(), FixError> {
    let reason = "the run has not ended: it is under way, or was killed";
    let mut outcome = Outcome::new(id.clone(), OutcomeKind::Interrupted, reason);
    outcome.started_at.clone_from(&context.runtime.started);
    outcome.hint = Some("`papayu-batch undo` restores a tree that a killed run left".to_owned());
    let results = emit::Results::default();
    let (disk, out) = (context.runtime.system().disk, out_folder(context.session, id));
    history.begin(context, &out, &mut outcome);
    emit::write_results(disk, &out, &mut outcome, &results, &context.runtime.masker)
        .and_then(|()| emit::remove_earlier_change(disk, &out))
        .map_err(|error| FixError::Write { path: error.path, source: error.source })
}

/// Returns a notice for a sandbox that lacks parts, unless the user turned it off.
fn weak_sandbox(sandbox: &SandboxRecord) -> Option<String> {
    let is_weak = sandbox.level < SandboxLevel::Full && !sandbox.is_off();
    is_weak.then(|| format!("the sandbox of the repository's code was {}", sandbox.line()))
}

/// Writes the results of a finished run.
fn write_finished(context: RunContext<'_>, finished: Finished, id: &RunId) -> FixReport {
    let RunContext { session, runtime, .. } = context;
    let out = out_folder(session, id);
    let Finished {
        mut outcome,
        patch,
        partial,
        refused,
        judge_packet,
        plan,
        log,
        failure,
        change,
        ..
    } = finished;
    outcome.started_at.clone_from(&runtime.started);
    outcome.notices.extend(session.notices.iter().cloned());
    outcome.sandbox = runtime.system().process.sandbox_record();
    outcome.notices.extend(outcome.sandbox.as_ref().and_then(weak_sandbox));
    outcome.notices.extend(describe_refusal(&outcome, &log, &*session.tree));
    let is_wanted = matches!(
        outcome.outcome,
        OutcomeKind::Fixed
            | OutcomeKind::Undone
            | OutcomeKind::Planned
            | OutcomeKind::PublishFailed
    );
    let patch = if is_wanted { patch } else { Vec::new() };
    create_check_run(context, &mut outcome, &failure, &patch);
    let is_kept = is_wanted && session.settings.run_emit.value.contains(&Emit::Worktree);
    let shown_plan = plan.as_deref().map(|plan| runtime.masker.masked(plan));
    let log = runtime.masker.masked(&log);
    // It is only shown, so its secrets can be masked.
    let refused = runtime.masker.masked(&String::from_utf8_lossy(&refused));
    let packet = runtime.masker.masked(&judge_packet);
    let results = emit::Results {
        patch: &patch,
        partial: &partial,
        refused: Some(&refused),
        judge_packet: Some(&packet),
        plan: shown_plan.as_ref(),
        log: Some(&log),
    };
    let mut write = || {
        // The command may have put a link in the place of the folder since the run began.
        session.check_outputs()?;
        let disk = runtime.system().disk;
        let written = emit::write_results(disk, &out, &mut outcome, &results, &runtime.masker);
        written.map_err(|emit::ResultError { path, source }| {
            if is_kept {
                FixError::KeptUntold { path, source }
            } else {
                FixError::Write { path, source }
            }
        })
    };
    let error = write().err();
    let outcome_written = error.is_none();
    let change = change.map(|change| change.whole().clone());
    // The printed plan is that of the file.
    let plan = shown_plan.map(Masked::into_inner);
    FixReport { outcome, patch, plan, failure, change, out, error, outcome_written }
}

/// Writes the outcome of a run that could not start.
fn write_failed(
    context: RunContext<'_>,
    error: FixError,
    id: &RunId,
    history: &RunHistory,
) -> FixReport {
    let RunContext { session, runtime, .. } = context;
    let masked = runtime.masker.mask(&error.to_string()).into_owned();
    let mut report = FixReport::failed_to_start(id.clone(), error, out_folder(session, id));
    report.outcome.reason = masked;
    history.mark(&mut report.outcome);
    report.outcome.started_at.clone_from(&runtime.started);
    if matches!(report.error, Some(FixError::Write { .. })) {
        return report;
    }
    let is_ours = !matches!(report.error, Some(FixError::Apply(ApplyError::NotAFolder { .. })));
    if !is_ours && session.settings.out_dir.value.is_none() {
        // Through a link that the repository brought, the outcome would land anywhere.
        return report;
    }
    let results = emit::Results::default();
    let disk = runtime.system().disk;
    match emit::write_results(disk, &report.out, &mut report.outcome, &results, &runtime.masker) {
        Ok(()) => report.outcome_written = true,
        Err(unwritten) => {
            report.error = report.error.map(|first| FixError::Twice {
                first: Box::new(first),
                second: unwritten.to_string(),
            });
        }
    }
    report
}

/// Returns where a run of that name leaves its results.
pub(crate) fn out_folder(session: &Session, id: &RunId) -> PathBuf {
    let default = || session.top().root().join(RUNS).join(id.as_str());
    session.settings.out_dir.resolved(session.top().root()).unwrap_or_else(default)
}

/// Builds the tables that every run needs once in a process, while the run waits for the disk and
/// the command.
fn prepare_tables(version: Version) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let all = move || {
            failure::prepare();
            triage::prepare();
            protocol::prepare(version);
            papayu_vet::prepare();
            text::mask("");
        };
        // Without a thread each is made when it is needed.
        drop(thread::Builder::new().name("prepare".to_owned()).spawn(all));
    });
}
