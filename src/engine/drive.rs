//! Performs the steps of the table against providers, gates, patch engine, tree and command.

use serde_json::Value;

use super::costs::Costs;
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::request::{self, RequestResult};
use super::run::Run;
use super::setup::InstallEnd;
use super::state::{RunEnd, RunState, Step, StepEvent, next};
use super::{
    assume, base, checking, closing, confirm, culprit, judge, landing, left_out, messages, online,
    quickfix_step, recipe_step, reply_numbers, research_step, setup, triage_step,
};
use crate::verify;
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::{ActionSet, ErrorCode, Mode, RepoPath};
use papayu_patch::prompts::{AttemptEnd, FailedAttempt};
use papayu_patch::protocol::Repairs;
use papayu_patch::protocol::decode::{self, PlanReply};
use papayu_providers::Ask;
use papayu_system::trace::spans;

/// Walks the table from the start to its end and returns the end.
///
/// # Errors
///
/// [`Fatal`] for an environment failure outside the state machine. In both cases the tree is either changed and
/// kept, or restored.
pub(super) fn drive(run: &mut Run<'_>) -> Result<RunEnd, Fatal> {
    // A finish does not revert by itself, so the tree is restored here for every end, errors
    // included.
    let end = walk(run);
    // Every way out passes here, so no path can leave a change in the tree by accident.
    take_back(run)?;
    if end.is_ok() {
        culprit::find_culprit(run);
    }
    let end = end.and_then(|finish| closing::close_run(run, finish));
    if let Ok(finish) = &end {
        offer_research(run, *finish);
    }
    let code = end.as_ref().map_or_else(|fatal| fatal.code, |finish| code_of(*finish));
    reply_numbers::report_reply(run);
    run.close_exchange(code);
    end
}

/// Performs steps until the table ends the run.
///
/// The table chooses each step from the state and the last event; the step returns the next
/// event.
fn walk(run: &mut Run<'_>) -> Result<RunEnd, Fatal> {
    // Before anything runs: a plan for other files must not be applied.
    run.inputs.check_plan_base()?;
    let rules = &run.inputs.rules;
    let mut state = RunState::start(rules);
    let mut event = triage_step::begin(run.inputs, &run.failure);
    loop {
        let attempt = state.attempt;
        // The tests of the table show that this does not happen.
        let Some((to, step)) = next(state, event, rules) else {
            return Err(Fatal::bug(format!("no arrow from {:?} for {event:?}", state.place)));
        };
        state = to;
        run.attempts.enter(state.attempt, rules);
        run.dialogue.round = state.round;
        if state.attempt != attempt {
            run.dialogue.begin_attempt();
        }
        // These steps still belong to the last reply: they answer its requests and take its actions.
        if !matches!(step, Step::AnswerContext | Step::TakeReplyActions) {
            reply_numbers::report_reply(run);
        }
        if let Step::Finish(end) = step {
            return Ok(end);
        }
        event = spans::stage_span(step.name()).in_scope(|| perform(run, &state, step))?;
        // A signal and an expired time limit stop a child process in the same way; only the
        // clock differs.
        if event == StepEvent::Interrupted {
            event = interrupted_or_over_budget(run.inputs, &mut run.costs);
        }
    }
}

/// Returns [`StepEvent::OverBudget`] if the time limit of the run has passed, else
/// [`StepEvent::Interrupted`].
fn interrupted_or_over_budget(inputs: &EngineInputs<'_>, costs: &mut Costs) -> StepEvent {
    let limit = inputs.config.budget.timeout;
    if inputs.world.system.clock.elapsed() < limit {
        return StepEvent::Interrupted;
    }
    costs.stop_over_time(limit);
    StepEvent::OverBudget
}

/// Performs one step and returns its event.
///
/// An interrupted run skips the steps that propose a change; steps that write or restore files
/// are always performed.
fn perform(run: &mut Run<'_>, state: &RunState, step: Step) -> Result<StepEvent, Fatal> {
    if run.inputs.world.system.clock.interrupted() && step.is_optional() {
        // The step would only be thrown away, and a model would be paid for it.
        return Ok(StepEvent::Interrupted);
    }
    if is_exhausted(run, step) {
        return Ok(StepEvent::Exhausted);
    }
    match step {
        Step::CheckBefore => check_before(run),
        Step::Rerun => triage_step::rerun(run),
        Step::ControlRun => confirm::control(run),
        Step::Recipes => recipe_step::propose(run),
        Step::Quickfix => quickfix_step::propose(run),
        Step::AskPlan => {
            culprit::find_culprit(run);
            begin_plan(run, state)
        }
        Step::AnswerContext => answer_context(run),
        Step::Research(end) => Ok(research_failure(run, end)),
        Step::Reapply => landing::reapply(run),
        Step::AskApply => {
            run.open_exchange(Mode::Apply, state.version);
            run.dialogue.refusal = None;
            culprit::find_culprit(run);
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
            let event = RunEvent::new(EventName::LlmResponseRepair);
            run.inputs.emit_event(event.with("code", code.as_str()));
            match run.exchanges.current.as_ref().map(|exchange| exchange.mode) {
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
        Step::Judge => Ok(judge::judge_change(run)),
        Step::KeepLayer => keep_change(run),
        Step::Settle => settle(run),
        // The run ends: the kept changes are reverted too, and nothing is recorded for a next
        // request.
        Step::RollBack if state.stopping.is_some() => {
            take_back(run)?;
            Ok(StepEvent::RolledBack)
        }
        Step::RollBack => roll_back(run),
        Step::Finish(_) => Err(Fatal::bug("a finish is not performed")),
    }
}

/// Asks the history of earlier runs once, before a change is first requested. Returns `true` if
/// this failure has used up its attempts.
fn is_exhausted(run: &mut Run<'_>, step: Step) -> bool {
    let is_first =
        run.failure.first_report.is_none() && (step.asks() || step == Step::TakeGivenActions);
    let refused = if is_first { run.failure.check_attempt_history(run.inputs) } else { None };
    let Some((reason, hint)) = refused else { return false };
    run.costs.stop_reason = Some((reason, Some(hint)));
    true
}

/// Installs what the project needs, runs the command on the unchanged tree, compares the failure with the base commit and
/// gathers the context.
fn check_before(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    if !setup::prepare(run)? {
        return Ok(StepEvent::Interrupted);
    }
    let event = checking::before(run)?;
    let event = base::judge_base(run, event);
    if event == StepEvent::CheckRed {
        // Only a red command needs context; collecting it reads many files.
        run.gather_context()?;
    }
    Ok(event)
}

/// Answers the context requests of the plan, of which one may ask for online research.
fn answer_context(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let was_done = run.dialogue.conversation.online.is_done();
    let requests = run.dialogue.plan.iter().flat_map(|plan| &plan.context_requests);
    let queries: Vec<String> = requests.filter_map(online::query_of).map(str::to_owned).collect();
    let asked = run.dialogue.plan.as_ref().map_or(0, |plan| plan.context_requests.len());
    run.attempts.activity.requests_answered += u32::try_from(asked).unwrap_or(u32::MAX);
    for query in &queries {
        research_step::answer_request(run, query);
    }
    let (dialogue, gathered) = (&mut run.dialogue, &mut run.gathered);
    messages::answer_requests(run.inputs, dialogue, gathered, &run.failure.report)?;
    let is_done = !was_done && run.dialogue.conversation.online.is_done();
    Ok(if is_done { StepEvent::ContextResearched } else { StepEvent::ContextAnswered })
}

/// Starts a PLAN exchange, or continues it after an answered context request.
fn begin_plan(run: &mut Run<'_>, state: &RunState) -> Result<StepEvent, Fatal> {
    // A second model learns why the reply of the first one was refused.
    let is_handed_over = state.round == 0 && run.inputs.rules.changes_model(state.attempt);
    if !is_handed_over || state.replanned {
        run.dialogue.refusal = None;
    }
    if state.round > 0 {
        return ask_plan(run, Ask::Round(state.round));
    }
    run.open_exchange(Mode::Plan, run.inputs.config.version);
    // A replan follows a file that changed on disk, so everything read before may be outdated.
    if state.replanned {
        run.gathered.refresh(run.inputs.world.tree);
    }
    ask_plan(run, Ask::Plan)
}

/// Asks the model for a plan and decodes the reply.
fn ask_plan(run: &mut Run<'_>, ask: Ask) -> Result<StepEvent, Fatal> {
    // Collected once; later calls return at once.
    run.gather_context()?;
    let reply = match request::ask(run, Mode::Plan, run.inputs.config.version, ask)? {
        RequestResult::Reply(text) => text,
        RequestResult::Event(event) => return Ok(event),
    };
    let version = run.inputs.config.version;
    let read = if run.inputs.rules.accepts_direct() {
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
fn take_plan(run: &mut Run<'_>, reply: PlanReply, repairs: Repairs) -> StepEvent {
    let (plan, mut change) = match reply {
        PlanReply::Plan(plan) => (plan, None),
        PlanReply::Change(set, plan) => (plan, Some(set)),
    };
    let assumed = change.as_mut().map(|set| complete(run, set)).unwrap_or_default();
    let plan = run.dialogue.conversation.online.read_need(run.inputs, plan);
    let wants_context = !plan.context_requests.is_empty();
    accept_reply(run, &plan.validated, repairs);
    note_completed(run, change.as_ref(), assumed);
    let is_change = change.is_some();
    // The exact prefix is part of the protocol; a similar sentence is not taken for it.
    let nothing = plan.summary.starts_with("NO_CHANGES:") && !wants_context && !is_change;
    run.attempts.set_summary(plan.summary.clone());
    run.dialogue.plan = Some(plan);
    run.dialogue.conversation.direct = change;
    match (nothing, is_change) {
        (true, _) => StepEvent::NoChanges,
        (false, true) => StepEvent::ChangeRead { wants_context },
        (false, false) => StepEvent::PlanRead { wants_context },
    }
}

/// Asks the model for actions, decodes the reply and vets it.
fn ask_apply(run: &mut Run<'_>, state: &RunState, ask: Ask) -> Result<StepEvent, Fatal> {
    run.gather_context()?;
    let reply = match request::ask(run, Mode::Apply, state.version, ask)? {
        RequestResult::Reply(text) => text,
        RequestResult::Event(event) => return Ok(event),
    };
    match decode::decode_actions(state.version, &reply) {
        Ok((mut set, repairs)) => {
            let assumed = complete(run, &mut set);
            accept_reply(run, &set.validated, repairs);
            note_completed(run, Some(&set), assumed);
            Ok(landing::land(run, set))
        }
        Err(refusal) => Ok(run.refuse(refusal)),
    }
}

/// Completes the actions of a reply with what the run knows. Returns what was assumed.
fn complete(run: &Run<'_>, set: &mut ActionSet) -> Vec<String> {
    let known = assume::ShownFiles::of(run.inputs, &run.dialogue);
    assume::complete_actions(&mut set.actions, &known)
}

/// Records what was assumed of a reply, and the version that it is written in: a reply in v2 may have the edits of v3.
fn note_completed(run: &mut Run<'_>, set: Option<&ActionSet>, assumed: Vec<String>) {
    run.exchanges.update(|exchange| {
        exchange.answered = set.map_or(exchange.answered, |set| set.version);
        exchange.assumed = assumed;
    });
}

/// Records a reply that passed its schema, and keeps what it asks to remember.
fn accept_reply(run: &mut Run<'_>, validated: &Value, repairs: Repairs) {
    let exchange = run.exchanges.current.as_mut();
    run.dialogue.keep_memory_patch(run.inputs, validated, exchange);
    run.exchanges.update(|exchange| exchange.accept(validated.clone(), repairs));
}

/// Offers research for an end that it may help with.
fn offer_research(run: &mut Run<'_>, end: RunEnd) {
    let failure = run.failure.describe(run.inputs.task.goal.as_deref());
    run.dialogue.conversation.online.offer_for_end(run.inputs, end, &failure);
}

/// Does the research of a plan that failed.
fn research_failure(run: &mut Run<'_>, end: RunEnd) -> StepEvent {
    offer_research(run, end);
    // The trace of the failed exchange has the offer, and that of the next one the research.
    run.close_exchange(code_of(end));
    match research_step::research(run) {
        Ok(()) => StepEvent::Researched,
        Err(_) => StepEvent::ResearchFailed,
    }
}

/// Returns the code of an end that refuses a reply.
fn code_of(end: RunEnd) -> Option<ErrorCode> {
    match end {
        RunEnd::Refused(code) => Some(code),
        _ => None,
    }
}

/// Keeps the change on disk as the base of the next one, and takes the remaining failures as
/// those to fix.
///
/// # Errors
///
/// Returns [`Fatal::bug`] if there is no checked change.
fn keep_change(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let change = run.changes.vetted.clone();
    let (Some(change), Some(report)) = (change, run.assessment.report_after.take()) else {
        return Err(Fatal::bug("nothing was checked that could be kept"));
    };
    let mended = verify::count_fixed(&run.failure.report, &report);
    run.inputs.emit_event(RunEvent::new(EventName::LayerKept).with("mended", mended));
    run.changes.kept.end_round(Some(mended));
    run.attempts.recipes.note_helped();
    run.changes.kept.set_kept(change);
    run.failure.report = report;
    // The files read before have changed, and another failure names other files.
    run.gathered.clear();
    Ok(StepEvent::LayerKept)
}

/// Keeps the proved change on disk, or reverts it if the user wants only a patch.
fn settle(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    if run.changes.applied.is_none() {
        return Err(Fatal::bug("nothing is on disk to reconcile"));
    }
    if run.inputs.rules.keeps_tree {
        run.changes.keep()?;
    } else {
        let copies = run.changes.revert()?;
        report_rollback(run.inputs, "the fix is in the results", &copies);
        install_again(run);
    }
    run.attempts.recipes.note_helped();
    // The last quickfix change fixed all failures that remained, at least one.
    let failures = || verify::failures_line_list(&run.failure.report).len().max(1);
    run.changes.kept.end_round(run.attempts.is_free().then(failures));
    Ok(StepEvent::Settled)
}

/// Reverts the change of the attempt, down to the changes kept before it, and records it as failed,
/// so that the next request shows it.
fn roll_back(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    run.changes.kept.end_round(None);
    run.attempts.recipes.note_failed();
    // A change is vetted as a whole with the kept ones, so all are reverted and the kept ones
    // written again.
    let had_change = run.changes.applied.is_some();
    let copies = run.changes.revert()?;
    if had_change {
        run.changes.write_kept(run.inputs)?;
    }
    report_rollback(run.inputs, rollback_reason(run.assessment.end), &copies);
    let change = run.changes.vetted.as_ref();
    if matches!(run.assessment.end, AttemptEnd::Passed | AttemptEnd::Doubted) {
        let refused = change.map(|change| papayu_patch::render::render(change.whole()));
        run.changes.refused = refused.unwrap_or_default();
    }
    let diff = change.map(|change| papayu_patch::render::render_shown(change.step()));
    let left_out = left_out::describe(&run.changes.left_out);
    let left_out = if left_out.is_empty() { left_out } else { format!("{left_out}\n") };
    let failure = left_out + &std::mem::take(&mut run.assessment.failure_after);
    let (diff, end) = (diff.unwrap_or_default(), run.assessment.end);
    run.attempts.push_failed(FailedAttempt { diff, failure, end });
    Ok(StepEvent::RolledBack)
}

/// Restores the tree as it was before the run.
fn take_back(run: &mut Run<'_>) -> Result<(), Fatal> {
    if run.changes.applied.is_some() {
        let copies = run.changes.revert()?;
        report_rollback(run.inputs, "the run ends without a fix", &copies);
    }
    install_again(run);
    Ok(())
}

/// Installs what the repository needs without the change, for commands after the run.
fn install_again(run: &mut Run<'_>) {
    if let InstallEnd::Failed(fatal) = setup::install_changed(run) {
        let text = format!("the packages are still those of the change: {}", fatal.reason);
        run.inputs.emit_event(RunEvent::new(EventName::Notice).with("text", text));
    }
}

/// Returns the reason of a rollback after a check.
fn rollback_reason(end: AttemptEnd) -> &'static str {
    match end {
        AttemptEnd::NoHelp => "the command still fails",
        AttemptEnd::Helped => "the command still fails, with fewer failures",
        AttemptEnd::Passed => "exit code 0 does not prove the change",
        AttemptEnd::Doubted => "the second opinion is that the change is no fix",
    }
}

/// Reports a rollback. `copies` are the paths where the versions of files are kept that the command changed.
fn report_rollback(inputs: &EngineInputs<'_>, reason: &'static str, copies: &[RepoPath]) {
    let mut event = RunEvent::new(EventName::ApplyRollback).with("reason", reason);
    if !copies.is_empty() {
        let names: Vec<&str> = copies.iter().map(RepoPath::as_str).collect();
        event = event.with("copies", names.join(" "));
    }
    inputs.emit_event(event);
}
