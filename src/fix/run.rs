//! From a session to a finished run with its results left: what `fix`, `plan`, `apply` and `replay` share.

use std::io;
use std::path::PathBuf;
use std::sync::{Once, OnceLock};
use std::thread;

use super::agent_sync;
use super::check_run;
use super::config::{count, engine_config, priced};
use super::error::FixError;
use super::handover::{Handover, Wants};
use super::intake;
use super::outside::Outside;
use super::reading::Reading;
use super::request::{Fixed, LogSource, Request};
use super::schedule::{ProviderSchedule, Recording};
use super::session::Session;
use crate::apply::{self, ApplyError};
use crate::domain::event::{Event, EventName, EventSink, NoEvents};
use crate::domain::goal::Route;
use crate::domain::{FailureReport, Outcome, OutcomeKind, RunId, Version};
use crate::engine::plan_file::PlanFile;
use crate::engine::{self, CheckCommand, Finished, Ledger, Task, World};
use crate::failure::{Limits, Matchers};
use crate::input::MatcherLoader;
use crate::project::Profile;
use crate::settings::Emit;
use crate::system::{System, spawn_workers};
use crate::trace::spans;
use crate::{emit, failure, input, project, protocol, text, triage, verify, vet};

/// Folder of the results of runs, each in a folder named by its id.
pub(crate) const RUNS: &str = ".papa-yu/runs";

/// Runs the request and writes its results; any error is in `outcome.json`.
pub(crate) fn run(
    session: &Session,
    outside: &Outside,
    events: &dyn EventSink,
    request: Request,
) -> Fixed {
    prepare(session.settings.protocol_version.value);
    let fresh = || RunId::new(outside.system().clock.fresh_id());
    let id = request.id.clone().unwrap_or_else(fresh);
    let out = out_folder(session, &id);
    match attempt(session, (outside, events), request, &id) {
        Ok(finished) => left(session, outside, events, finished, out),
        Err(error) => failed(session, outside, error, &id),
    }
}

/// Builds the tables that every run needs once in a process, while the run waits for the disk and
/// the command.
fn prepare(version: Version) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let all = move || {
            failure::prepare();
            triage::prepare();
            protocol::prepare(version);
            vet::prepare();
            text::mask("");
        };
        // Without a thread each is made when it is needed.
        drop(thread::Builder::new().name("prepare".to_owned()).spawn(all));
    });
}

/// Writes what a finished run leaves.
fn left(
    session: &Session,
    outside: &Outside,
    events: &dyn EventSink,
    finished: Finished,
    out: PathBuf,
) -> Fixed {
    let Finished { mut outcome, patch, plan, log, failure, change, .. } = finished;
    outcome.started_at.clone_from(&outside.started);
    let wanted = matches!(
        outcome.outcome,
        OutcomeKind::Fixed | OutcomeKind::Planned | OutcomeKind::PublishFailed
    );
    let patch = if wanted { patch } else { Vec::new() };
    check_run::leave(session, outside, events, &mut outcome, (&failure, &patch));
    let kept = wanted && session.settings.run_emit.value.contains(&Emit::Worktree);
    let results = emit::Results { patch: &patch, plan: plan.as_deref(), log: &log };
    let written = emit::write_results(outside.system().disk, &out, &mut outcome, &results);
    let error = written.err().map(|error| {
        let (path, source) = (error.path, error.source);
        if kept { FixError::KeptUntold { path, source } } else { FixError::Write { path, source } }
    });
    let told = error.is_none();
    let change = change.map(|change| change.whole().clone());
    Fixed { outcome, patch, plan, failure, change, out, error, told }
}

/// Returns where a run of that name leaves its results.
pub(crate) fn out_folder(session: &Session, id: &RunId) -> PathBuf {
    let default = || session.tree.root().join(RUNS).join(id.as_str());
    session.settings.out_dir.resolved(session.tree.root()).unwrap_or_else(default)
}

/// Writes an outcome that states that the run has not ended: this shows before any change that results can be
/// written, and remains after a kill.
fn begin(session: &Session, outside: &Outside, id: &RunId) -> Result<(), FixError> {
    let reason = "the run has not ended: it is under way, or was killed";
    let mut outcome = Outcome::new(id.clone(), OutcomeKind::Interrupted, reason);
    outcome.started_at.clone_from(&outside.started);
    outcome.hint = Some("`papayu-batch undo` restores a tree that a killed run left".to_owned());
    let results = emit::Results { patch: &[], plan: None, log: "" };
    let (disk, out) = (outside.system().disk, out_folder(session, id));
    emit::write_results(disk, &out, &mut outcome, &results)
        .and_then(|()| emit::remove_earlier_change(disk, &out))
        .map_err(|error| FixError::Write { path: error.path, source: error.source })
}

/// A run that could not begin leaves its outcome, too.
fn failed(session: &Session, outside: &Outside, error: FixError, id: &RunId) -> Fixed {
    let masked = outside.masker.mask(&error.to_string()).into_owned();
    let mut fixed = Fixed::unbegun(id.clone(), error, out_folder(session, id));
    fixed.outcome.reason = masked;
    fixed.outcome.started_at.clone_from(&outside.started);
    if matches!(fixed.error, Some(FixError::Write { .. })) {
        return fixed;
    }
    let is_ours = !matches!(fixed.error, Some(FixError::Apply(ApplyError::NotAFolder { .. })));
    if !is_ours && session.settings.out_dir.value.is_none() {
        // Through a link that the repository brought, the outcome would land anywhere.
        return fixed;
    }
    let results = emit::Results { patch: &[], plan: None, log: "" };
    match emit::write_results(outside.system().disk, &fixed.out, &mut fixed.outcome, &results) {
        Ok(()) => fixed.told = true,
        Err(unwritten) => {
            let twice =
                |first| FixError::Twice { first: Box::new(first), second: unwritten.to_string() };
            fixed.error = fixed.error.map(twice);
        }
    }
    fixed
}

fn attempt(
    session: &Session,
    (outside, events): (&Outside, &dyn EventSink),
    request: Request,
    id: &RunId,
) -> Result<Finished, FixError> {
    let tree = session.tree.as_ref();
    let held = apply::lock_repository(tree).map_err(FixError::Apply)?;
    if let Some(undone) = apply::recover(tree).map_err(FixError::Apply)? {
        events.emit(Event::new(EventName::JournalRecovered).with("run_id", undone.as_str()));
    }
    let furnished = OnceLock::new();
    let furnish = || furnished.get_or_init(|| held.init_state_dir(tree)).is_ok();
    let begun = || begun(session, (outside, events), (request, id), &furnish);
    let finished = thread::scope(|scope| {
        // Without a thread the folder is made ready when it is first waited for.
        let _ = spawn_workers(scope, "state", 1, || || _ = furnish());
        begun()
    });
    furnish();
    match furnished.into_inner() {
        Some(Err(error)) => Err(FixError::Apply(error)),
        _ => finished,
    }
}

/// Continues a run that has locked the repository. `furnish` returns whether its state folder is ready, which
/// must be awaited before anything runs in it.
fn begun(
    session: &Session,
    (outside, events): (&Outside, &dyn EventSink),
    (request, id): (Request, &RunId),
    furnish: &(dyn Fn() -> bool + Sync),
) -> Result<Finished, FixError> {
    begin(session, outside, id)?;
    if let Some(error) = request.blocked {
        return Err(error);
    }
    let reading = Reading::new(session, outside.system(), events);
    let run = |found: &dyn Fn()| {
        let ready = match Ready::read(session, (outside, events), &request, id)? {
            Ok(ready) => ready,
            Err(reason) => return Ok(stopped(id, reason)),
        };
        if !furnish() {
            return Ok(stopped(id, "the folder of the program cannot be made ready".to_owned()));
        }
        found();
        ready.run((session, outside, events), (request, id), &reading)
    };
    let finished = reading.meanwhile(run)?;
    reading.error().map_or(Ok(finished), Err)
}

/// The inputs fetched before a run starts.
struct Ready<'a> {
    matchers: Matchers,
    handover: Option<Handover<'a>>,
    log: Option<input::Log>,
    issue: Option<String>,
    profile: Profile,
}

impl<'a> Ready<'a> {
    /// Fetches the inputs; the inner error is the reason why the run cannot start.
    fn read(
        session: &'a Session,
        (outside, events): (&'a Outside, &'a dyn EventSink),
        request: &Request,
        id: &RunId,
    ) -> Result<Result<Self, String>, FixError> {
        let tree = session.tree.as_ref();
        // Reading a log reports invalid matcher files by itself.
        let told = if request.input.log.is_some() { &NoEvents as &dyn EventSink } else { events };
        let matchers = MatcherLoader::new(tree, told).load_all();
        let wants = Wants::of(session);
        let handover = wants.any() && !request.plan_only;
        let handover =
            handover.then(|| Handover::open(session, outside, events, wants)).transpose()?;
        let handover = handover.map(|opened| opened.of_run(id));
        if let Some(reason) = handover.as_ref().and_then(Handover::own_work) {
            return Ok(Err(reason));
        }
        let log = intake::logs(session, outside, events, &request.input)?;
        let issue = |number| intake::issue(session, outside, events, number);
        let issue = request.input.issue.map(issue).transpose()?;
        let profile = project::detect(tree);
        Ok(Ok(Self { matchers, handover, log, issue, profile }))
    }

    /// Runs the engine and hands over what came of it.
    fn run(
        self,
        (session, outside, events): (&Session, &Outside, &dyn EventSink),
        (request, id): (Request, &RunId),
        reading: &Reading<'_>,
    ) -> Result<Finished, FixError> {
        let system = outside.system();
        let goal = request.written_goal();
        let goal = goal.as_deref();
        let recording = request.record.as_deref().map(|file| Recording { file, goal });
        let schedule = match request.given {
            Some(_) => None,
            None => Some(ProviderSchedule::open(session, system, recording, reading)?),
        };
        let models = schedule.as_ref().map(ProviderSchedule::models).unwrap_or_default();
        let config = engine_config(session)?;
        priced(session, &config, &models)?;
        let world = World {
            system,
            tree: session.tree.as_ref(),
            survey: reading,
            matchers: &self.matchers,
            profile: &self.profile,
            quickfix: schedule.as_ref().and_then(|schedule| schedule.quickfix.as_ref()),
            models: &models,
            events,
            masker: &outside.masker,
            ledger: self.handover.as_ref().map(|handover| handover as &dyn Ledger),
        };
        let detected = self.profile.verify.as_deref();
        let task = Task { issue: self.issue, ..task(session, request, self.log, detected) };
        let span = spans::run_span(id);
        let _in_run = span.enter();
        events.emit(Event::new(EventName::RunStarted).with("run_id", id.as_str()));
        let mut finished = engine::run(world, &config, task, id.clone());
        if let Some(handover) = &self.handover {
            let _in_stage = spans::stage_span("deliver").entered();
            handover.deliver(&mut finished, &out_folder(session, id), outside);
        }
        spans::record_outcome(&span, &finished.outcome);
        agent_sync::leave(session, outside, &mut finished, reading);
        events.emit(
            Event::new(EventName::RunFinished)
                .with("outcome", finished.outcome.outcome.name())
                .with("exit_code", finished.outcome.exit_code),
        );
        Ok(finished)
    }
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

/// Reads a log within the session's limits.
pub(crate) fn read_log(
    session: &Session,
    system: System<'_>,
    source: &LogSource,
    events: &dyn EventSink,
) -> Result<input::Log, FixError> {
    let limits = Limits { excerpt_chars: count(session.settings.context_max_log_chars.value) };
    let path = match source {
        LogSource::File(path) => path.clone(),
        LogSource::Stdin => PathBuf::from("-"),
    };
    let matcher_loader = MatcherLoader::new(session.tree.as_ref(), events);
    input::read_log(system, &path, limits, matcher_loader).map_err(|error| {
        match error.kind.kind() {
            io::ErrorKind::Interrupted => FixError::Interrupted { path: error.path },
            _ => FixError::Read { path: error.path, source: error.kind },
        }
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
    verify::split_command(command).is_some_and(|words| verify::is_allowed_tool(&words).is_ok())
}
