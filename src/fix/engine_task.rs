//! The task that the engine gets from a request, and the texts that its model learns in addition.

use super::commands::{choose_command, find_guards};
use super::noted::load_notes;
use super::repository_texts::{ReadMemory, RepositoryTexts};
use super::request::Request;
use super::run_context::RunContext;
use super::session::Session;
use super::tracked::Tracked;
use crate::engine::plan_file::PlanFile;
use crate::engine::{Background, Task};
use crate::input;
use papayu_base::domain::event::EventSink;
use papayu_base::domain::goal::Route;
use papayu_system::memory;

/// Builds the task of the engine from the request.
pub(super) fn build_task(
    session: &Session,
    request: Request,
    log: Option<input::Log>,
    events: &dyn EventSink,
) -> Task {
    let planned = request.plan.as_ref();
    let is_review = request.input.goal.as_ref().is_some_and(|goal| goal.route == Route::Review);
    // A review needs no command, because it proves nothing.
    let check = if is_review {
        None
    } else {
        choose_command(session, planned.and_then(|plan| plan.run.clone()), events)
    };
    let goal = request.input.goal;
    let route = match (&goal, planned) {
        (Some(goal), None) if goal.route == Route::Review => Route::Review,
        _ if request.plan_only => Route::PlanOnly,
        (_, Some(_)) => Route::ApplyOnly,
        (Some(goal), None) => goal.route,
        (None, None) => Route::PlanThenApply,
    };
    let words = goal.map(|goal| goal.text).or_else(|| planned.and_then(|plan| plan.goal.clone()));
    let reads = planned.map(PlanFile::reads).unwrap_or_default();
    let (log, log_triage) = log.map(|log| (log.report, log.triage)).unzip();
    let settings = &session.settings;
    let base = settings.run_base.value.clone().or_else(|| settings.pr_base.value.clone());
    let base = base.filter(|_| !settings.run_fix_base.value);
    let guards = find_guards(session, check.as_ref());
    Task {
        goal: words.filter(|words| !words.is_empty()),
        route,
        log: log.or_else(|| planned.map(|plan| plan.failure.clone())),
        log_triage: log_triage.unwrap_or_default(),
        findings: Vec::new(),
        check,
        guards,
        base,
        changes: None,
        accepted_plan: request.plan.map(|plan| plan.summary),
        reads,
        given: request.given,
        given_by_recipe: request.given_by_recipe,
        after_recipe: request.after_recipe,
        background: Background::default(),
        earlier_attempts: request.history.earlier_attempts(),
    }
}

/// Reads what the model learns in addition to the failure.
pub(super) fn read_background(
    context: RunContext<'_>,
    tracked: Option<&Tracked<'_>>,
    issue: Option<String>,
) -> Background {
    let texts = RepositoryTexts::read(context, tracked);
    let read = ReadMemory::read(context.session, &texts);
    read.report_faults(context);
    let (memory, _) = memory::render_block(&read.memory, &context.runtime.masker);
    let notes = load_notes(context);
    Background { issue, agents: texts.agents, architecture: texts.architecture, memory, notes }
}
