//! Learns a recipe from the proved change of a run, and asks the model for one if the change itself shows none.

use std::sync::Arc;

use super::failure_places::place_in_repository;
use super::model_request::list_stable;
use super::run::Run;
use super::sending::{self, SentReply};
use super::state::RunEnd;
use papayu_base::domain::outcome::ProofLevel;
use papayu_base::domain::{FailureReport, Mode, Version};
use papayu_base::text::Masked;
use papayu_logs::failure;
use papayu_patch::prompts;
use papayu_patch::protocol::wire_schema::form_wire_schema;
use papayu_patch::protocol::{ReplyForm, WrittenRecipe, decode_form};
use papayu_patch::render;
use papayu_providers::{Ask, FinishReason, ModelRequest, WireSchema};
use papayu_recipes::Recipe;

/// Most tokens of a recipe. A reasoning model uses most of them before it writes.
const MAX_TOKENS: u32 = 8_192;

/// Learns a recipe if a model made the change that the run ends with, and the proof is strong enough.
pub(super) fn learn_recipe(run: &mut Run<'_>, end: RunEnd) {
    let is_proved = end == RunEnd::Fixed
        && run.assessment.proof > ProofLevel::ExitCode
        && run.assessment.review_flags.is_empty()
        && run.costs.spend.requests > 0;
    let stage = run.inputs.world.recipes.filter(|stage| stage.folder().own.is_some());
    if is_proved && run.attempts.recipes.helped.is_empty() && stage.is_some() {
        let mut report = run.failure.original().clone();
        place_in_repository(&mut report, &run.inputs.world);
        run.closing.recipe = Some(learn_or_ask(run, &report));
    }
}

/// Returns the recipe that follows from the change, else the one that the model writes.
fn learn_or_ask(run: &mut Run<'_>, report: &FailureReport) -> Result<Recipe, String> {
    match learn(run, report, None) {
        Err(reason) if run.inputs.config.asks_recipe => {
            let written = ask_recipe(run, report, &reason);
            let adopted = written.and_then(|text| learn(run, report, Some(&text)));
            adopted.map_err(|fault| format!("{reason}; the recipe of the model: {fault}"))
        }
        learned => learned,
    }
}

fn learn(run: &Run<'_>, report: &FailureReport, text: Option<&str>) -> Result<Recipe, String> {
    let (Some(stage), Some(change)) = (run.inputs.world.recipes, &run.changes.vetted) else {
        return Err("nothing was changed".to_owned());
    };
    stage.learn(change.whole().changes(), report, text)
}

/// Asks the model of the change for a recipe.
fn ask_recipe(run: &mut Run<'_>, report: &FailureReport, reason: &str) -> Result<String, String> {
    let model = run.attempts.model(run.inputs).ok_or("no model answers in this attempt")?;
    let request = build_request(run, report, reason);
    let sent = sending::send(run, model, request);
    let SentReply { reply, .. } = sent.map_err(|failure| failure.reason().to_owned())?;
    if reply.finish != FinishReason::Stop {
        return Err("the reply was cut off or refused".to_owned());
    }
    let read = decode_form(ReplyForm::Recipe, &reply.text);
    let WrittenRecipe { recipe } = read.map_err(|refusal| refusal.to_string())?;
    Ok(recipe)
}

/// Returns the request. It has the failure and the change, and nothing else of the repository.
fn build_request(run: &Run<'_>, report: &FailureReport, reason: &str) -> ModelRequest {
    let diff = run.changes.vetted.as_ref().map(|change| render::render_shown(change.whole()));
    let failures = failure::list_failures(report);
    let message = prompts::recipe_message(&failures, &diff.unwrap_or_default(), reason);
    let message = message.replace(&run.inputs.root_prefix(), "");
    let (name, schema) = form_wire_schema(ReplyForm::Recipe);
    ModelRequest {
        ask: Ask::Recipe,
        mode: Mode::Plan,
        version: Version::V2,
        form: Some(ReplyForm::Recipe),
        accepts_change: false,
        system: prompts::RECIPE_SYSTEM.to_owned(),
        prefix: Masked::default(),
        tail: run.inputs.world.masker.masked(&message),
        turns: Vec::new(),
        wire_schema: Arc::new(WireSchema { name: name.to_owned(), schema }),
        max_output_tokens: MAX_TOKENS,
        shown: Vec::new(),
        report: Arc::new(FailureReport::default()),
        stable: list_stable(run, Mode::Plan, Version::V2, Ask::Recipe),
    }
}
