//! The step of the recipes: takes the change that a matching one offers through the gates.

use super::failure_places::place_in_repository;
use super::fatal::Fatal;
use super::quickfix_step::take_proposal;
use super::run::Run;
use super::state::StepEvent;
use crate::recipes::RecipeOffer;
use papayu_base::domain::Mode;
use papayu_base::domain::event::{Event as RunEvent, EventName};

/// Vets the change of the next recipe that matches the failure, like the actions of a model.
///
/// Returns [`StepEvent::NoChanges`] if there is none, else the event of the gates.
pub(super) fn propose(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let Some(stage) = run.inputs.world.recipes else {
        return Err(Fatal::bug("a step of recipes without any"));
    };
    let mut report = run.failure.report.clone();
    place_in_repository(&mut report, &run.inputs.world);
    let clock = run.inputs.world.system.clock;
    if run.attempts.waits_for_recipes() {
        let limit = run.inputs.config.budget.timeout;
        stage.wait_for_turn(&report, &|| clock.interrupted() || clock.elapsed() >= limit);
    }
    let is_judged = run.inputs.rules.judges;
    let RecipeOffer { proposal, id, note } =
        stage.propose(&report, &mut run.attempts.recipes, is_judged);
    for reason in &proposal.hints {
        run.inputs
            .emit_event(RunEvent::new(EventName::RecipeSkipped).with("reason", reason.as_str()));
    }
    if proposal.files.is_empty() {
        // Nothing was asked, so there is no exchange to trace.
        return Ok(StepEvent::NoChanges);
    }
    if run.attempts.waits_for_recipes() {
        // There is a recipe: the other tasks try it at the same time.
        stage.release_turn();
    }
    let event = RunEvent::new(EventName::RecipeTried);
    let event = event.with("recipe", id.clone().unwrap_or_default());
    run.inputs.emit_event(match note {
        Some(note) => event.with("text", note),
        None => event,
    });
    run.open_exchange(Mode::Apply, run.inputs.config.version);
    run.dialogue.refusal = None;
    run.attempts.asked = true;
    run.attempts.recipes.current = id;
    let event = take_proposal(run, &proposal, "Applied a recipe:", None);
    if event != StepEvent::PreviewReady {
        // The gates decide about the repository, not about the recipe.
        run.attempts.recipes.current = None;
    }
    Ok(event)
}
