//! The recipes of a run: opened from the settings, applied by themselves, learned from its proved fix.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::delivery::variable;
use super::error::FixError;
use super::fetched_recipes::FetchedRecipes;
use super::finding_task::{FindingTask, change_text, ended_run, plan_finding};
use super::reading::BackgroundIndex;
use super::request::Request;
use super::run_context::RunContext;
use super::runtime::Runtime;
use super::session::Session;
use crate::bump::UpdatedText;
use crate::engine::Finished;
use crate::recipes::{ImportIndex, OldFiles, RecipeFolder, RecipeStage, keep_recipe, read_recipe};
use papayu_base::domain::goal::Route;
use papayu_base::domain::outcome::{RecipeRecord, RecipeResult};
use papayu_base::domain::{
    ActionSet, Allowance, Event, EventName, FailureReport, FindingRecord, Goal, NoEvents,
    OutcomeKind, RepoPath, RunId, Version,
};
use papayu_forge::git::Remote;
use papayu_quickfix::IndexSource;
use papayu_recipes::{
    Origin, Recipe, RecipeChange, RecipeError, RecipeReach, RecipeTarget, VersionCheck,
};
use papayu_system::System;

/// Most places that events name.
const MAX_EVENTS: usize = 20;

/// Time for recipes that are applied by themselves.
const APPLY_LIMIT: Duration = Duration::from_mins(5);

/// The request of a run after what can be planned without the engine.
pub(super) enum PlannedRequest {
    /// There is nothing to carry out.
    Ended(Box<Finished>),
    /// The request, with the record of its finding.
    Ready(Box<Request>, Option<Box<FindingRecord>>),
}

/// Returns the recipes that the settings name. Those of git repositories are fetched unless `fetched` has them.
pub(crate) fn open_folder(
    session: &Session,
    runtime: &Runtime,
    fetched: &FetchedRecipes,
) -> RecipeFolder {
    let settings = &session.settings;
    let root = session.tree.root();
    let named = settings.recipes_use.value.iter().zip(settings.recipes_use.resolved_all(root));
    let named = named.filter(|(name, _)| !Remote::is_address(name)).map(|(_, path)| path).collect();
    let own = settings.recipes_dir.resolved(root);
    RecipeFolder { named, fetched: fetched.get(session, runtime), own }
}

/// Opens the recipes of a run; `None` if there are none, or the actions are given.
pub(super) fn open_recipes<'a>(
    context: RunContext<'a>,
    index: &'a dyn IndexSource,
    request: &Request,
) -> Option<RecipeStage<'a>> {
    let folder = open_folder(context.session, context.runtime, &request.fetched);
    if folder.is_empty() || request.given.is_some() {
        return None;
    }
    let (system, tree) = (context.runtime.system(), context.session.tree.as_ref());
    let allows_tests = context.session.settings.allowances().contains(&Allowance::Tests);
    let stage = RecipeStage::new(system, tree, index, context.events, folder);
    Some(stage.with_tests(allows_tests).with_gate(request.gate.clone()))
}

/// Plans the change of a finding, or of the recipes that the user applies by themselves; any other request stays as it is.
///
/// # Errors
///
/// [`FixError::Recipe`] for a recipe file that is refused, and the errors of [`plan_finding`].
pub(super) fn plan_request(
    context: RunContext<'_>,
    index: &dyn IndexSource,
    request: Request,
    id: &RunId,
) -> Result<PlannedRequest, FixError> {
    if let Some(finding) = request.input.finding.clone() {
        return Ok(match plan_finding(context, &finding, request, id)? {
            FindingTask::Ended(finished) => PlannedRequest::Ended(finished),
            FindingTask::Planned(request, record) => PlannedRequest::Ready(request, Some(record)),
        });
    }
    let session = context.session;
    let paths = session.settings.recipes_apply.resolved_all(session.tree.root());
    if paths.is_empty() || request.given.is_some() {
        return Ok(PlannedRequest::Ready(Box::new(request), None));
    }
    let goal = request.input.goal.clone();
    if let Some((goal, path)) = goal.as_ref().zip(paths.first()) {
        check_route(goal, path)?;
    }
    let disk = context.runtime.system().disk;
    let read = |path: &std::path::PathBuf| read_recipe(disk, path).map_err(FixError::Recipe);
    let recipes: Vec<Recipe> = paths.iter().map(read).collect::<Result<_, _>>()?;
    let files = open_files(context, index, APPLY_LIMIT);
    let (changes, left) = apply_all(context, &recipes, files);
    for reason in left.iter().take(MAX_EVENTS) {
        context.events.emit(Event::new(EventName::RecipeSkipped).with("reason", reason.as_str()));
    }
    let titles: Vec<String> = recipes.iter().map(Recipe::title).collect();
    let after_recipe = goal.is_some().then(|| left.clone());
    if changes.is_empty() && goal.is_some() && !left.is_empty() && session.has_model() {
        let request = Request { after_recipe, ..request };
        return Ok(PlannedRequest::Ready(Box::new(request), None));
    }
    if changes.is_empty() {
        let reason = if left.is_empty() {
            format!("no file uses what the recipe changes: {}", titles.join("; "))
        } else {
            format!("the recipe changes no file: {}", left.join("; "))
        };
        let ended = ended_run(id, OutcomeKind::NothingToFix, reason);
        return Ok(PlannedRequest::Ended(Box::new(ended)));
    }
    let summary = format!("Apply recipe: {}", titles.join("; "));
    let words = goal.as_ref().map(|goal| format!("{}\n\n{summary}", goal.text));
    let summary = words.unwrap_or(summary);
    let actions: Vec<_> = changes.into_iter().filter_map(to_text).collect();
    let actions: Vec<_> = actions.iter().map(change_text).collect();
    let traced: Vec<_> = actions
        .iter()
        .map(|action| json!({ "kind": action.kind().name(), "path": action.path, "base_sha256": action.base_sha256() }))
        .collect();
    let validated = json!({ "actions": traced, "summary": summary });
    let given =
        Some(ActionSet { version: Version::V2, actions, summary: summary.clone(), validated });
    let mut input = request.input;
    input.goal = goal.or(Some(Goal { text: summary, route: Route::ApplyOnly }));
    let request = Request { input, given, given_by_recipe: true, after_recipe, ..request };
    Ok(PlannedRequest::Ready(Box::new(request), None))
}

/// Refuses a goal that wants no change.
fn check_route(goal: &Goal, recipe: &Path) -> Result<(), FixError> {
    if matches!(goal.route, Route::PlanThenApply | Route::ApplyOnly) {
        return Ok(());
    }
    Err(FixError::Recipe(RecipeError {
        file: recipe.display().to_string(),
        line: None,
        reason: "it changes files, and the goal asks for a plan or a review".to_owned(),
        hint: "leave out the recipe, or the first word of the goal",
    }))
}

/// Returns the change that a recipe would make in a repository, whatever fails in it, and the places that it leaves alone.
pub(crate) fn preview_recipe(
    session: &Session,
    runtime: &Runtime,
    recipe: &Recipe,
) -> (Vec<RecipeChange>, Vec<String>) {
    let context = RunContext { session, runtime, events: &NoEvents };
    let reading = BackgroundIndex::new(session, runtime.system(), &NoEvents);
    let files = open_files(context, &reading, APPLY_LIMIT);
    apply_all(context, std::slice::from_ref(recipe), files)
}

/// Returns the change of several recipes, one after the other, and the places that they leave alone.
fn apply_all(
    context: RunContext<'_>,
    recipes: &[Recipe],
    mut files: OldFiles<'_>,
) -> (Vec<RecipeChange>, Vec<String>) {
    let names = ImportIndex::new(files.index.index());
    let mut all: BTreeMap<String, RecipeChange> = BTreeMap::new();
    let mut notes = Vec::new();
    for recipe in recipes {
        let target = RecipeTarget {
            files: &files,
            reexports: &names,
            report: &FailureReport::default(),
            // The user chose the rule for these repositories.
            allows_untyped: true,
            allows_tests: context.session.settings.allowances().contains(&Allowance::Tests),
        };
        let changes = recipe.apply(target, RecipeReach::Repository);
        match recipe.check_version(&files) {
            VersionCheck::Differs(reason) => notes.push(reason),
            VersionCheck::Unknown(note) if !changes.is_empty() => notes.push(note),
            _ => {}
        }
        for change in changes {
            files.before.insert(change.path.clone(), change.after.clone());
            match all.get_mut(&change.path) {
                Some(known) => known.after = change.after,
                None => _ = all.insert(change.path.clone(), change),
            }
        }
    }
    let left = [notes, files.left_alone()].concat();
    (all.into_values().collect(), left)
}

/// Counts the recipes that a run tried, and keeps the one that it learned. That it cannot is an event, not an error.
pub(super) fn keep_recipes(
    context: RunContext<'_>,
    stage: Option<&RecipeStage<'_>>,
    finished: &mut Finished,
) {
    let Some(stage) = stage else { return };
    count_recipes(context, stage, finished);
    let (text, id) = match keep_learned(context, stage, finished) {
        None => (None, None),
        Some(Ok(recipe)) => (Some(recipe.title()), Some(recipe.id)),
        Some(Err(reason)) => (Some(format!("no recipe: {reason}")), None),
    };
    if let Some(text) = text {
        let event = Event::new(EventName::RecipeLearned).with("text", text);
        context.events.emit(event.with("recipe", id.clone().unwrap_or_default()));
    }
    if let Some(id) = id {
        finished.outcome.recipes.push(RecipeRecord { id, result: RecipeResult::Learned });
    }
    // Tasks with the same failure wait for the recipe, and not for the delivery.
    stage.release_turn();
}

/// Writes the results of the recipes that were tried.
fn count_recipes(context: RunContext<'_>, stage: &RecipeStage<'_>, finished: &mut Finished) {
    let is_fixed = finished.outcome.outcome == OutcomeKind::Fixed;
    if !is_fixed {
        // A change that helped is taken back with all others, which is no fault of the recipe.
        finished.outcome.recipes.retain(|it| it.result != RecipeResult::Healed);
    }
    if finished.outcome.recipes.is_empty() {
        return;
    }
    let System { disk, clock, .. } = context.runtime.system();
    let stored = stage.read_recipes();
    for record in &finished.outcome.recipes {
        let Some(stored) = stored.iter().find(|it| it.recipe.id == record.id) else { continue };
        if let Err(error) = stored.count(disk, clock, record.result == RecipeResult::Healed) {
            let event = Event::new(EventName::RecipeSkipped).with("reason", error.to_string());
            context.events.emit(event);
        }
    }
}

/// Writes the recipe that the run has learned, with its origin; `None` for a run that teaches none.
fn keep_learned(
    context: RunContext<'_>,
    stage: &RecipeStage<'_>,
    finished: &mut Finished,
) -> Option<Result<Recipe, String>> {
    let (learned, folder) = (finished.learned.take()?, stage.folder().own.as_ref()?);
    Some(learned.and_then(|recipe| {
        let recipe = Recipe { from: Some(find_origin(context, finished)), ..recipe };
        let text = recipe.to_yaml();
        if context.runtime.masker.mask(&text) != text {
            return Err("the fix has a secret".to_owned());
        }
        if names_this_machine(context, &text) {
            return Err("the fix names a folder of this machine".to_owned());
        }
        let System { disk, clock, .. } = context.runtime.system();
        let kept = keep_recipe(disk, clock, folder, &recipe);
        kept.map_err(|error| error.to_string())?;
        Ok(recipe)
    }))
}

/// Returns `true` if a text has the path of the repository or of the user's folder, which no other repository has.
fn names_this_machine(context: RunContext<'_>, text: &str) -> bool {
    let home = variable(context.session, "HOME").filter(|home| home.len() > 1);
    let root = context.session.tree.root().to_string_lossy().into_owned();
    home.into_iter().chain([root]).any(|folder| text.contains(&*folder))
}

/// Returns the run and the repository of a recipe.
fn find_origin(context: RunContext<'_>, finished: &Finished) -> Origin {
    let outcome = &finished.outcome;
    let timestamp = context.runtime.system().clock.timestamp();
    Origin {
        run: outcome.run_id.to_string(),
        repository: name_repository(context),
        proof: outcome.proof.map(|proof| proof.name().to_owned()).unwrap_or_default(),
        date: timestamp.split('T').next().unwrap_or_default().to_owned(),
    }
}

/// Returns the files of the repository.
fn open_files<'a>(
    context: RunContext<'a>,
    index: &'a dyn IndexSource,
    limit: Duration,
) -> OldFiles<'a> {
    let clock = context.runtime.system().clock;
    let until = (clock.elapsed() + limit).min(context.session.settings.run_timeout_sec.value);
    let tree = context.session.tree.as_ref();
    let (before, left, versions) = Default::default();
    OldFiles { tree, index, clock, until, before, left, versions }
}

/// Returns the address of the repository without credentials, else the name of its folder.
fn name_repository(context: RunContext<'_>) -> String {
    let name = context.session.remote_name();
    let remote = context.open_git().ok().and_then(|git| Remote::find_remote(&git, name).ok());
    let folder = || {
        let root = context.session.tree.root();
        root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let name = remote.map_or_else(folder, |remote| remote.address().to_string());
    context.runtime.masker.mask(&name).into_owned()
}

fn to_text(change: RecipeChange) -> Option<UpdatedText> {
    let path = RepoPath::parse(&change.path).ok()?;
    Some(UpdatedText { path, before: Some(change.before), after: change.after })
}
