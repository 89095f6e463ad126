//! The step without a model: asks the quickfix stage and takes its proposal through the gates.

use super::landing;
use super::request;
use super::run::{Fatal, Run};
use super::state::Event;
use crate::domain::goal::Route;
use crate::domain::{Mode, Plan};
use crate::prompts;
use crate::protocol::Repairs;
use crate::quickfix::Interrupted;

/// Runs the quickfix stage once, and vets its fixes like the actions of a model.
///
/// Returns [`Event::NoChanges`] without a fix, [`Event::PlanRead`] if only a plan is wanted,
/// else the event of the gates. Findings without a safe fix become hints in the next request.
pub(super) fn propose(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let Some(quickfix) = run.world.quickfix else {
        return Err(Fatal::bug("a quickfix step without the stage"));
    };
    // The stage has no PLAN request of its own, but a plan without one would have no trace.
    let is_plan = run.task.route == Route::PlanOnly;
    run.open_exchange(if is_plan { Mode::Plan } else { Mode::Apply }, run.config.version);
    run.refusal = None;
    run.asked = true;
    // From here the run counts as one that proposed something.
    let report = request::report(run);
    let time_left = run.time_left();
    // The time of the tools is reported in the place of the time of a model.
    let started = run.now_ms();
    let proposal = match quickfix.propose(&mut run.batches, &report, time_left) {
        Ok(proposal) => proposal,
        Err(Interrupted) => return Ok(Event::Interrupted),
    };
    run.add_llm_time(started);
    run.kept.count_free(prompt_chars(run).saturating_add(proposal.chars()));
    run.hints = proposal.hint_list();
    let heading = if is_plan {
        format!("Diagnosis: {}. The tools' own fixes:", proposal.account)
    } else {
        "Applied the tools' own fixes:".to_owned()
    };
    let summary = proposal.summary(&heading, quickfix.run_command());
    run.last_summary.clone_from(&summary);
    run.last_change = proposal.one_line();
    let set = proposal.action_set(&summary);
    run.exchange_mut(|exchange| exchange.accept(set.validated.clone(), Repairs::default()));
    if proposal.files.is_empty() {
        return Ok(Event::NoChanges);
    }
    // The gates compare these digests with the disk, so that a file that changed since is refused.
    run.shown.extend(proposal.files.iter().map(|file| (file.path.clone(), file.base())));
    if is_plan {
        let validated = set.validated.clone();
        run.plan_diff = landing::render_unlanded(run, set);
        run.plan = Some(Plan { summary, context_requests: Vec::new(), validated });
        return Ok(Event::PlanRead { wants_context: false });
    }
    Ok(landing::land(run, set))
}

/// Returns the number of characters that a model would have read in addition to the files; the
/// reported saving of tokens is estimated from it.
fn prompt_chars(run: &Run<'_>) -> usize {
    let log = run.report.excerpt.len().min(run.config.diet.max_log_chars);
    prompts::system_prompt(run.config.version).len() + log
}
