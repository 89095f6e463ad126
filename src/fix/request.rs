//! Request and result of a run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::continued::RunHistory;
use super::error::FixError;
use super::fetched_recipes::FetchedRecipes;
use super::input::Input;
use super::session::SessionSource;
use crate::engine::plan_file::PlanFile;
use crate::recipes::RecipeGate;
use papayu_base::domain::goal::Route;
use papayu_base::domain::{ActionSet, FailureReport, Goal, Outcome, RunId};
use papayu_patch::Preview;

/// The request of [`fix`](super::fix()).
#[derive(Clone, Debug, Default)]
pub struct FixRequest {
    /// The run's name: a new one where there is none. That of a run that was cut off goes on with what
    /// that one handed over, so that doing it again makes no second attempt of it.
    pub id: Option<RunId>,
    /// The repository, and every source of its settings.
    pub place: SessionSource,
    /// Inputs of the run.
    pub input: Input,
    /// Set by the caller to stop the run soon; the tree is restored.
    pub interrupted: Arc<AtomicBool>,
    /// The gate through which tasks of a batch wait for each other's recipes.
    pub gate: Option<Arc<RecipeGate>>,
    /// The recipes of git repositories, which the runs of a batch share.
    pub fetched: FetchedRecipes,
}

/// The result of a run.
pub struct FixReport {
    /// The outcome; `outcome.json` has the same content.
    pub outcome: Outcome,
    /// The change as a git patch; empty where there is none to use.
    pub patch: Vec<u8>,
    /// The plan file's text, where a plan was asked for.
    pub plan: Option<String>,
    /// The failures before any change, masked.
    pub failure: FailureReport,
    /// The change itself, of the tree as it was.
    pub change: Option<Preview>,
    /// The result folder; empty where the repository could not be opened.
    pub out: PathBuf,
    /// Why the run could not begin, or its results not be written.
    pub error: Option<FixError>,
    /// `true` if `outcome.json` was written.
    pub outcome_written: bool,
}

/// The part of a run that a command determines, in addition to the settings.
#[derive(Default)]
pub struct Request {
    /// The run's name, where it is not a new one.
    pub id: Option<RunId>,
    /// Inputs of the run.
    pub input: Input,
    /// PLAN only: the plan is written as a file.
    pub plan_only: bool,
    /// A plan that was accepted.
    pub plan: Option<PlanFile>,
    /// Why what was named cannot be used; the run ends with it.
    pub blocked: Option<FixError>,
    /// Actions given by the caller; no provider is asked.
    pub given: Option<ActionSet>,
    /// `true` if recipes made them.
    pub given_by_recipe: bool,
    /// The places that the recipes leave to a model, which goes on with the goal after them; `None` if none does.
    pub after_recipe: Option<Vec<String>>,
    /// File for recorded exchanges.
    pub record: Option<PathBuf>,
    /// The gate through which tasks of a batch wait for each other's recipes.
    pub gate: Option<Arc<RecipeGate>>,
    /// The recipes of git repositories.
    pub fetched: FetchedRecipes,
    /// The run that this one continues, and the record for the run that continues this one.
    pub(crate) history: RunHistory,
}

impl FixRequest {
    /// Returns a request for the repository in this folder, with the default settings, that of its
    /// `papayu.toml`, and an empty environment but for what the commands need: nothing is inherited.
    pub fn new(repo: impl Into<PathBuf>) -> Self {
        let place = SessionSource { repo: repo.into(), ..SessionSource::default() };
        Self { place, ..Self::default() }
    }

    /// Sets the goal in words.
    #[must_use]
    pub fn goal(mut self, words: &str) -> Self {
        self.input.goal = Some(Goal::parse(words));
        self
    }

    /// Sets a setting by its dotted name, overriding every file. An invalid name or value ends the run with an
    /// outcome that names it.
    #[must_use]
    pub fn setting(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.place.flags.push((name, value.into(), "request"));
        self
    }

    /// Gives the run an environment: `PAPAYU_*` settings, tokens, and what commands inherit.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.place.environment.extend(variables);
        self
    }
}

impl Request {
    /// Returns the goal as a replay must be given it to go the same way; `None` for a repair without a goal.
    pub(crate) fn written_goal(&self) -> Option<String> {
        let is_review = |goal: &&Goal| goal.route == Route::Review;
        if let Some(goal) = self.input.goal.as_ref().filter(is_review) {
            return Some(goal.written());
        }
        let words = || self.input.goal.as_ref().map(|goal| goal.text.clone()).unwrap_or_default();
        if self.plan_only {
            return Some(Goal { text: words(), route: Route::PlanOnly }.written());
        }
        self.input.goal.as_ref().map(Goal::written)
    }
}

impl FixReport {
    /// Returns the report of an outcome that is not written yet.
    pub(crate) fn of_outcome(outcome: Outcome, out: PathBuf) -> Self {
        Self {
            outcome,
            patch: Vec::new(),
            plan: None,
            failure: FailureReport::default(),
            change: None,
            out,
            error: None,
            outcome_written: false,
        }
    }

    /// Returns the end of a run that could not begin; nothing is written yet.
    pub(crate) fn failed_to_start(id: RunId, error: FixError, out: PathBuf) -> Self {
        let mut outcome = Outcome::new(id, error.outcome(), error.to_string());
        outcome.hint = error.hint();
        outcome.error_code = error.code_name().map(str::to_owned);
        Self {
            outcome,
            patch: Vec::new(),
            plan: None,
            failure: FailureReport::default(),
            change: None,
            out,
            error: Some(error),
            outcome_written: false,
        }
    }
}
