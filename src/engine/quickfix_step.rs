//! The step without a model: asks the quickfix stage and takes its proposal through the gates.

use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::landing;
use super::run::Run;
use super::state::StepEvent;
use papayu_base::domain::goal::Route;
use papayu_base::domain::{ActionSet, FailureReport, Mode, Plan};
use papayu_patch::prompts;
use papayu_patch::protocol::Repairs;
use papayu_quickfix::{Interrupted, KnownChanges, Proposal};

/// Runs the quickfix stage once, and vets its fixes like the actions of a model.
///
/// Returns [`StepEvent::NoChanges`] without a fix, [`StepEvent::PlanRead`] if only a plan is wanted,
/// else the event of the gates. Findings without a safe fix become hints in the next request.
pub(super) fn propose(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let Some(quickfix) = run.inputs.world.quickfix else {
        return Err(Fatal::bug("a quickfix step without the stage"));
    };
    // The stage has no PLAN request of its own, but a plan without one would have no trace.
    let is_plan = run.inputs.task.route == Route::PlanOnly;
    run.open_exchange(if is_plan { Mode::Plan } else { Mode::Apply }, run.inputs.config.version);
    run.dialogue.refusal = None;
    // From here the run counts as one that proposed something.
    run.attempts.asked = true;
    let report = run.failure.report_for_request(run.inputs, run.changes.kept.is_empty());
    let time_left = run.inputs.time_left();
    let started = run.inputs.now_ms();
    let rewritten = run.changes.tracked.read_rewritten(run.inputs);
    let batches = &mut run.attempts.batches;
    let changes = run.inputs.task.changes.as_ref().map(|changes| changes.record());
    let known = KnownChanges { rewritten: &rewritten, changes: changes.as_ref() };
    let proposal = match quickfix.propose_with(batches, &report, known, time_left) {
        Ok(proposal) => proposal,
        Err(Interrupted) => return Ok(StepEvent::Interrupted),
    };
    run.add_tools_time(started);
    run.attempts.hints = proposal.hint_list();
    let heading = if is_plan {
        format!("Diagnosis: {}. The tools' own fixes:", proposal.account)
    } else {
        "Applied the tools' own fixes:".to_owned()
    };
    if !is_plan {
        return Ok(take_proposal(run, &proposal, &heading, quickfix.run_command()));
    }
    let (summary, set) = accept_proposal(run, &proposal, &heading, quickfix.run_command());
    if proposal.files.is_empty() {
        return Ok(StepEvent::NoChanges);
    }
    let validated = set.validated.clone();
    run.dialogue.plan_diff = landing::render_unlanded(run.inputs, set, &run.dialogue.shown);
    run.dialogue.plan = Some(Plan { summary, context_requests: Vec::new(), validated });
    Ok(StepEvent::PlanRead { wants_context: false })
}

/// Takes a proposal without a model through the gates, and returns their event.
pub(super) fn take_proposal(
    run: &mut Run<'_>,
    proposal: &Proposal,
    heading: &str,
    command: Option<&str>,
) -> StepEvent {
    let (_, set) = accept_proposal(run, proposal, heading, command);
    if proposal.files.is_empty() { StepEvent::NoChanges } else { landing::land(run, set) }
}

/// Records a proposal like the reply of a model. Returns its summary and its actions.
fn accept_proposal(
    run: &mut Run<'_>,
    proposal: &Proposal,
    heading: &str,
    command: Option<&str>,
) -> (String, ActionSet) {
    let chars = prompt_chars(run.inputs, &run.failure.report).saturating_add(proposal.chars());
    run.changes.kept.count_free(chars);
    let summary = proposal.summary(heading, command);
    run.attempts.last_summary.clone_from(&summary);
    run.attempts.last_change = proposal.one_line();
    let set = proposal.action_set(&summary);
    run.exchanges.update(|exchange| exchange.accept(set.validated.clone(), Repairs::default()));
    // The gates compare these digests with the disk, so that a file that changed since is refused.
    run.dialogue.shown.extend(proposal.files.iter().map(|file| (file.path.clone(), file.base())));
    (summary, set)
}

/// Returns the number of characters that a model would have read in addition to the files; the
/// reported saving of tokens is estimated from it.
fn prompt_chars(inputs: &EngineInputs<'_>, report: &FailureReport) -> usize {
    let log = report.excerpt.len().min(inputs.config.diet.max_log_chars);
    prompts::system_prompt(inputs.config.version).len() + log
}
