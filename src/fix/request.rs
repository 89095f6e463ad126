//! What a run is asked for, and what comes of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::error::FixError;
use super::session::{Place, Session};
use crate::domain::goal::Route;
use crate::domain::{ActionSet, FailureReport, Goal, Outcome, RunId};
use crate::engine::plan_file::PlanFile;
use crate::patch::Preview;

/// Where the failure's log is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogSource {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// What a run goes by: at least one of goal, log and the setting `run.command` is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The user's words, prefix read.
    pub goal: Option<Goal>,
    /// The failure, if it is in a log already.
    pub log: Option<LogSource>,
    /// Patterns of report files: JUnit XML, SARIF.
    pub reports: Vec<String>,
    /// A run of GitHub Actions whose failed jobs' logs are read.
    pub github_run: Option<u64>,
    /// An issue that says what is wrong.
    pub issue: Option<u64>,
}

/// What [`fix`](super::fix()) is asked for.
#[derive(Clone, Debug, Default)]
pub struct FixRequest {
    /// The run's name: a new one where there is none. That of a run that was cut off goes on with what
    /// that one handed over, so that doing it again makes no second attempt of it.
    pub id: Option<RunId>,
    /// The repository, and every place that says something about it.
    pub place: Place,
    /// What the run goes by.
    pub input: Input,
    /// Set by the caller to have the run stop soon and settle its tree.
    pub interrupted: Arc<AtomicBool>,
}

/// How a run ended, and what it leaves.
pub struct Fixed {
    /// How it ended; `outcome.json` says the same.
    pub outcome: Outcome,
    /// The change as a git patch; empty where there is none to use.
    pub patch: Vec<u8>,
    /// The plan file's text, where a plan was asked for.
    pub plan: Option<String>,
    /// What failed before anything was changed, masked.
    pub failure: FailureReport,
    /// The change itself, of the tree as it was.
    pub change: Option<Preview>,
    /// The result folder; empty where the repository could not be opened.
    pub out: PathBuf,
    /// Why the run could not begin, or its results not be written.
    pub error: Option<FixError>,
    /// Whether `outcome.json` was written.
    pub told: bool,
}

/// What a command brings to a run, beside the settings.
#[derive(Default)]
pub struct Request {
    /// The run's name, where it is not a new one.
    pub id: Option<RunId>,
    /// What the run goes by.
    pub input: Input,
    /// PLAN only: the plan is written as a file.
    pub plan_only: bool,
    /// A plan that was accepted.
    pub plan: Option<PlanFile>,
    /// Why what was named cannot be used; the run ends with it.
    pub blocked: Option<FixError>,
    /// Actions that need nobody to be asked.
    pub given: Option<ActionSet>,
    /// Where exchanges are recorded.
    pub record: Option<PathBuf>,
}

impl Input {
    /// Tells whether a run has anything to go by.
    pub(crate) fn says_something(&self, session: &Session) -> bool {
        self.goal.is_some()
            || self.log.is_some()
            || !self.reports.is_empty()
            || self.github_run.is_some()
            || session.settings.run_command.value.is_some()
    }
}

impl FixRequest {
    /// Returns a request for the repository in this folder, with the default settings, that of its
    /// `papayu.toml`, and an empty environment but for what the commands need: nothing is inherited.
    pub fn new(repo: impl Into<PathBuf>) -> Self {
        let place = Place { repo: repo.into(), ..Place::default() };
        Self { place, ..Self::default() }
    }

    /// Says in words what is wanted.
    #[must_use]
    pub fn goal(mut self, words: &str) -> Self {
        self.input.goal = Some(Goal::parse(words));
        self
    }

    /// Sets a setting by its dotted name, over every file; a name or value that is wrong ends the run with
    /// an outcome that says so.
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
    /// Returns the goal as a replay must be given it to go the same way.
    pub(crate) fn written_goal(&self) -> Option<String> {
        let words = || self.input.goal.as_ref().map(|goal| goal.text.clone()).unwrap_or_default();
        if self.plan_only {
            return Some(Goal { text: words(), route: Route::PlanOnly }.written());
        }
        self.input.goal.as_ref().map(Goal::written)
    }
}

impl Fixed {
    /// Returns the end of a run that could not begin; nothing is written yet.
    pub(crate) fn unbegun(id: RunId, error: FixError, out: PathBuf) -> Self {
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
            told: false,
        }
    }
}
