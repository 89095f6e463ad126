//! Performs the steps of the table against providers, gates, patch engine, tree and command.

use super::request::{self, Asked};
use super::run::{Fatal, Run};
use super::shown_digests::fill_digests;
use super::state::{Event, Finish, State, Step, next};
use super::{
    base, checking, confirm, keep_step, landing, messages, online, quickfix_step, triage_step,
};
use crate::domain::event::{Event as RunEvent, EventName};
use crate::domain::{ErrorCode, Mode, RepoPath};
use crate::patch;
use crate::prompts::FailedAttempt;
use crate::protocol::Repairs;
use crate::protocol::decode::{self, PlanReply};
use crate::providers::Ask;
use crate::trace::spans;

/// Walks the table from the start to its end and returns the end.
///
/// # Errors
///
/// [`Fatal`] for an environment failure outside the state machine. In both cases the tree is either changed and
/// kept, or restored.
pub(super) fn drive(run: &mut Run<'_>) -> Result<Finish, Fatal> {
    // A finish does not revert by itself, so the tree is restored here for every end, errors
    // included.
    let end = walk(run);
    // Every way out passes here, so no path can leave a change in the tree by accident.
    take_back(run)?;
    if let Ok(finish) = &end {
        online::offer_for_end(run, *finish);
    }
    let outcome = end.as_ref().map_or_else(
        |fatal| fatal.code,
        |finish| match finish {
            Finish::Refused(code) => Some(*code),
            _ => None,
        },
    );
    run.close_exchange(outcome);
    end
}

/// Performs steps until the table ends the run.
///
/// The table chooses each step from the state and the last event; the step returns the next
/// event.
fn walk(run: &mut Run<'_>) -> Result<Finish, Fatal> {
    // Before anything runs: a plan for other files must not be applied.
    run.hold_to_plan()?;
    let rules = run.rules.clone();
    let mut state = State::start(&rules);
    let mut event = triage_step::begin(run);
    loop {
        let attempt = state.attempt;
        // The tests of the table show that this does not happen.
        let Some((to, step)) = next(state, event, &rules) else {
            return Err(Fatal::bug(format!("no arrow from {:?} for {event:?}", state.place)));
        };
        state = to;
        run.attempt_index = state.attempt;
        run.round = state.round;
        // A plan belongs to one attempt: the next model starts from the failure, not from it.
        if state.attempt != attempt {
            run.plan = None;
            run.conversation.direct = None;
        }
        if let Step::Finish(end) = step {
            return Ok(end);
        }
        event = spans::stage_span(step.name()).in_scope(|| perform(run, &state, step))?;
        // A signal and an expired time limit stop a child process in the same way; only the
        // clock differs.
        if event == Event::Interrupted {
            event = interrupted_or_over_budget(run);
        }
    }
}

/// Returns [`Event::OverBudget`] if the time limit of the run has passed, else
/// [`Event::Interrupted`].
fn interrupted_or_over_budget(run: &mut Run<'_>) -> Event {
    let limit = run.config.budget.timeout;
    if run.world.system.clock.elapsed() < limit {
        return Event::Interrupted;
    }
    run.stop_reason = Some((format!("the time limit of {} s is reached", limit.as_secs()), None));
    Event::OverBudget
}

/// Performs one step and returns its event.
///
/// An interrupted run skips the steps that propose a change; steps that write or restore files
/// are always performed.
fn perform(run: &mut Run<'_>, state: &State, step: Step) -> Result<Event, Fatal> {
    if run.world.system.clock.interrupted() && step.is_optional() {
        // The step would only be thrown away, and a model would be paid for it.
        return Ok(Event::Interrupted);
    }
    if is_exhausted(run, step) {
        return Ok(Event::Exhausted);
    }
    match step {
        Step::CheckBefore => check_before(run),
        Step::Rerun => triage_step::rerun(run),
        Step::ControlRun => confirm::control(run),
        Step::Quickfix => quickfix_step::propose(run),
        Step::AskPlan => begin_plan(run, state),
        Step::AnswerContext => answer_context(run),
        Step::Research(end) => Ok(online::research_failure(run, end)),
        Step::Reapply => landing::reapply(run),
        Step::AskApply => {
            run.open_exchange(Mode::Apply, state.version);
            run.refusal = None;
            ask_apply(run, state, Ask::Apply)
        }
        Step::TakeGivenActions => {
            run.open_exchange(Mode::Apply, state.version);
            landing::given(run)
        }
        Step::TakeReplyActions => landing::direct(run),
        Step::RepairJson(code) => {
            // The repair continues the exchange under way, so its mode decides which reply is
            // asked for.
            tell_json_repair(run, code);
            match run.exchange.as_ref().map(|exchange| exchange.mode) {
                Some(Mode::Plan) => ask_plan(run, Ask::RepairJson),
                _ => ask_apply(run, state, Ask::RepairJson),
            }
        }
        Step::RepairApply(code) => {
            run.note_repair(code);
            ask_apply(run, state, Ask::RepairApply)
        }
        Step::Fallback(code) => {
            run.note_fallback(code, state.version);
            ask_apply(run, state, Ask::Fallback)
        }
        Step::Commit => landing::commit(run),
        Step::CheckAfter => checking::after(run),
        Step::Confirm => confirm::confirm(run),
        Step::KeepLayer => keep_step::keep(run),
        Step::Settle => settle(run),
        // The run ends: the kept changes are reverted too, and nothing is recorded for a next
        // request.
        Step::RollBack if state.stopping.is_some() => {
            take_back(run)?;
            Ok(Event::RolledBack)
        }
        Step::RollBack => roll_back(run),
        Step::Finish(_) => Err(Fatal::bug("a finish is not performed")),
    }
}

/// Asks the history of earlier runs once, before a change is first requested. Returns `true` if
/// this failure has used up its attempts.
fn is_exhausted(run: &mut Run<'_>, step: Step) -> bool {
    let is_first = run.first_report.is_none() && (step.asks() || step == Step::TakeGivenActions);
    let refused = if is_first { run.check_attempt_history() } else { None };
    let Some((reason, hint)) = refused else { return false };
    run.stop_reason = Some((reason, Some(hint)));
    true
}

/// Runs the command on the unchanged tree, compares the failure with the base commit and
/// gathers the context.
fn check_before(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let event = checking::before(run)?;
    let event = base::judge_base(run, event)?;
    if event == Event::CheckRed {
        // Only a red command needs context; collecting it reads many files.
        run.gather()?;
    }
    Ok(event)
}

/// Answers the context requests of the plan, of which one may ask for online research.
fn answer_context(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let was_done = run.conversation.online.is_done();
    messages::answer_requests(run)?;
    let is_done = !was_done && run.conversation.online.is_done();
    Ok(if is_done { Event::ContextResearched } else { Event::ContextAnswered })
}

/// Starts a PLAN exchange, or continues it after an answered context request.
fn begin_plan(run: &mut Run<'_>, state: &State) -> Result<Event, Fatal> {
    // A second model learns why the reply of the first one was refused.
    let is_handed_over = state.round == 0 && run.rules.changes_model(state.attempt);
    if !is_handed_over || state.replanned {
        run.refusal = None;
    }
    if state.round > 0 {
        return ask_plan(run, Ask::Round(state.round));
    }
    run.open_exchange(Mode::Plan, run.config.version);
    // A replan follows a file that changed on disk, so everything read before may be outdated.
    if state.replanned {
        run.context.refresh(run.world.tree);
        run.cache.forget();
    }
    ask_plan(run, Ask::Plan)
}

/// Asks the model for a plan and decodes the reply.
fn ask_plan(run: &mut Run<'_>, ask: Ask) -> Result<Event, Fatal> {
    // Collected once; later calls return at once.
    run.gather()?;
    let reply = match request::ask(run, Mode::Plan, run.config.version, ask)? {
        Asked::Reply(text) => text,
        Asked::Event(event) => return Ok(event),
    };
    let version = run.config.version;
    let read = if run.rules.accepts_direct() {
        decode::decode_plan_reply(version, &reply)
    } else {
        decode::decode_plan(version, &reply).map(|(plan, repairs)| (PlanReply::Plan(plan), repairs))
    };
    match read {
        Ok((reply, repairs)) => Ok(take_plan(run, reply, repairs)),
        Err(refusal) => Ok(run.refuse(refusal)),
    }
}

/// Keeps a plan, and the change that a direct reply has in addition.
fn take_plan(run: &mut Run<'_>, reply: PlanReply, repairs: Repairs) -> Event {
    let (plan, mut change) = match reply {
        PlanReply::Plan(plan) => (plan, None),
        PlanReply::Change(set, plan) => (plan, Some(set)),
    };
    if let Some(set) = change.as_mut().filter(|_| repairs.tool_calls) {
        // Tool calls carry no digests; the gates need them.
        fill_digests(&mut set.actions, &run.shown);
    }
    let plan = online::read_need(run, plan);
    let wants_context = !plan.context_requests.is_empty();
    run.keep_memory_patch(&plan.validated);
    run.exchange_mut(|exchange| exchange.accept(plan.validated.clone(), repairs));
    let is_change = change.is_some();
    // The exact prefix is part of the protocol; a similar sentence is not taken for it.
    let nothing = plan.summary.starts_with("NO_CHANGES:") && !wants_context && !is_change;
    run.set_summary(plan.summary.clone());
    run.plan = Some(plan);
    run.conversation.direct = change;
    match (nothing, is_change) {
        (true, _) => Event::NoChanges,
        (false, true) => Event::ChangeRead { wants_context },
        (false, false) => Event::PlanRead { wants_context },
    }
}

/// Asks the model for actions, decodes the reply and vets it.
fn ask_apply(run: &mut Run<'_>, state: &State, ask: Ask) -> Result<Event, Fatal> {
    run.gather()?;
    let reply = match request::ask(run, Mode::Apply, state.version, ask)? {
        Asked::Reply(text) => text,
        Asked::Event(event) => return Ok(event),
    };
    match decode::decode_actions(state.version, &reply) {
        Ok((mut set, repairs)) => {
            if repairs.tool_calls {
                fill_digests(&mut set.actions, &run.shown);
            }
            run.keep_memory_patch(&set.validated);
            run.exchange_mut(|exchange| exchange.accept(set.validated.clone(), repairs));
            Ok(landing::land(run, set))
        }
        Err(refusal) => Ok(run.refuse(refusal)),
    }
}

/// Emits the event of a repair request for JSON.
fn tell_json_repair(run: &mut Run<'_>, code: ErrorCode) {
    run.emit_event(RunEvent::new(EventName::LlmResponseRepair).with("code", code.as_str()));
}

/// Keeps the proved change on disk, or reverts it if the user wants only a patch.
fn settle(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let Some(applied) = run.applied.take() else {
        return Err(Fatal::bug("nothing is on disk to settle"));
    };
    if run.rules.keeps_tree {
        applied.keep().map_err(Fatal::apply)?;
    } else {
        let copies = applied.roll_back().map_err(Fatal::apply)?;
        rolled_back(run, "the fix is in the results", copies);
    }
    keep_step::count_last_round(run);
    Ok(Event::Settled)
}

/// Reverts the change of the attempt and records it as failed, so that the next request shows
/// it.
fn roll_back(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let copies = keep_step::revert_change(run)?;
    rolled_back(run, "the command still fails", copies);
    let diff = run
        .change
        .as_ref()
        .map(|change| patch::render::render_shown(change.step()))
        .unwrap_or_default();
    let failure = std::mem::take(&mut run.failure_after);
    if run.is_free() {
        // The diff of a quickfix attempt is replaced, because the next request has all kept
        // changes anyway.
        // The tools may try one thing after another; a model learns enough from the last.
        run.failed_attempts.clear();
    }
    run.failed_attempts.push(FailedAttempt { diff, failure });
    run.tries.push(run.last_change.clone());
    Ok(Event::RolledBack)
}

/// Restores the tree as it was before the run.
fn take_back(run: &mut Run<'_>) -> Result<(), Fatal> {
    if let Some(applied) = run.applied.take() {
        let copies = applied.roll_back().map_err(Fatal::apply)?;
        rolled_back(run, "the run ends without a fix", copies);
    }
    Ok(())
}

/// Reports a rollback.
///
/// If the command changed an edited file, its version is not lost: `copies` are the paths where
/// it is kept.
fn rolled_back(run: &mut Run<'_>, reason: &'static str, copies: Vec<RepoPath>) {
    let mut told = RunEvent::new(EventName::ApplyRollback).with("reason", reason);
    if !copies.is_empty() {
        let names: Vec<&str> = copies.iter().map(RepoPath::as_str).collect();
        told = told.with("copies", names.join(" "));
    }
    run.emit_event(told);
    run.copies.extend(copies);
}
