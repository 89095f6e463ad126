//! Request and result of a run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::error::FixError;
use super::session::{Place, Session};
use crate::domain::goal::Route;
use crate::domain::{ActionSet, FailureReport, Goal, Outcome, RunId};
use crate::engine::plan_file::PlanFile;
use crate::findings::Finding;
use crate::patch::Preview;
use crate::project::{self, TestCommand};
use crate::system::Tree;
use crate::verify;

/// Location of the failure's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogSource {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// The inputs of a run: at least one of goal, log and the setting `run.command` is present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The user's words, prefix read.
    pub goal: Option<Goal>,
    /// The failure, if it is in a log already.
    pub log: Option<LogSource>,
    /// The log of a run that passed; its lines are left out of the excerpt of the failure.
    pub green_log: Option<PathBuf>,
    /// Patterns of report files: JUnit XML, SARIF.
    pub reports: Vec<String>,
    /// A run of the forge's CI (a pipeline, a build); the logs of its failed jobs are read.
    pub ci_run: Option<u64>,
    /// An issue that describes the failure.
    pub issue: Option<u64>,
    /// A finding of a scanner that is to be fixed; the goal follows from it.
    pub finding: Option<Finding>,
}

/// The request of [`fix`](super::fix()).
#[derive(Clone, Debug, Default)]
pub struct FixRequest {
    /// The run's name: a new one where there is none. That of a run that was cut off goes on with what
    /// that one handed over, so that doing it again makes no second attempt of it.
    pub id: Option<RunId>,
    /// The repository, and every source of its settings.
    pub place: Place,
    /// Inputs of the run.
    pub input: Input,
    /// Set by the caller to stop the run soon; the tree is restored.
    pub interrupted: Arc<AtomicBool>,
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
    /// File for recorded exchanges.
    pub record: Option<PathBuf>,
}

impl Input {
    /// Returns `true` if a failure can be read or shown.
    pub(crate) fn has_failure(&self, session: &Session) -> bool {
        self.log.is_some()
            || !self.reports.is_empty()
            || self.ci_run.is_some()
            || session.settings.run_command.value.is_some()
    }

    /// Returns why no run can start with this input.
    pub(crate) fn check(&self, session: &Session) -> Result<(), FixError> {
        let has_failure = self.has_failure(session);
        match &self.goal {
            Some(goal) if goal.text.is_empty() && !has_failure => Err(FixError::EmptyGoal),
            // The issue of a failure only describes it.
            Some(_) if self.issue.is_some() && has_failure => Ok(()),
            // Without a model the run would fix a failure and leave the goal as it is.
            Some(goal) if !goal.text.is_empty() && !session.has_model() => Err(FixError::NoModel),
            None if !has_failure && detected_command(session.tree.as_ref()).is_none() => {
                Err(FixError::NoInput)
            }
            _ => Ok(()),
        }
    }
}

/// Returns the test command of the project, if it is one that runs without being named by the user.
pub(crate) fn detected_command(tree: &dyn Tree) -> Option<TestCommand> {
    let is_allowed = |found: &TestCommand| {
        verify::split_command(&found.command)
            .is_some_and(|words| verify::is_allowed_tool(&words).is_ok())
    };
    project::detect(tree).verify.filter(is_allowed)
}

impl FixRequest {
    /// Returns a request for the repository in this folder, with the default settings, that of its
    /// `papayu.toml`, and an empty environment but for what the commands need: nothing is inherited.
    pub fn new(repo: impl Into<PathBuf>) -> Self {
        let place = Place { repo: repo.into(), ..Place::default() };
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
    /// Returns the goal as a replay must be given it to go the same way.
    pub(crate) fn written_goal(&self) -> Option<String> {
        let words = || self.input.goal.as_ref().map(|goal| goal.text.clone()).unwrap_or_default();
        if self.plan_only {
            return Some(Goal { text: words(), route: Route::PlanOnly }.written());
        }
        self.input.goal.as_ref().map(Goal::written)
    }
}

impl FixReport {
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
