//! The inputs of a run, and what a run needs at least.

use std::path::PathBuf;

use super::error::FixError;
use super::session::Session;
use crate::project::{self, Profile, TestCommand};
use crate::verify;
use papayu_base::domain::Goal;
use papayu_base::domain::goal::Route;
use papayu_logs::findings::Finding;
use papayu_system::Tree;

/// Location of the failure's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogSource {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl From<PathBuf> for LogSource {
    /// Takes a path as the command line has it; `-` is standard input.
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path) }
    }
}

/// The inputs of a run: at least one of goal, log and the setting `run.command` is present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The user's words, prefix read.
    pub goal: Option<Goal>,
    /// Logs of the failure.
    pub logs: Vec<LogSource>,
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

impl Input {
    /// Returns `true` if a failure can be read or shown.
    pub(crate) fn has_failure(&self, session: &Session) -> bool {
        !self.logs.is_empty()
            || !self.reports.is_empty()
            || self.ci_run.is_some()
            || session.settings.run_command.value.is_some()
    }

    /// Checks that a run can start with this input.
    ///
    /// Fails with [`FixError::EmptyGoal`], with [`FixError::NoModel`] for a goal in words or a review, and with
    /// [`FixError::NoInput`] if there is no goal, failure or command, and no test command is detected in the
    /// repository.
    pub(crate) fn check(&self, session: &Session) -> Result<(), FixError> {
        let has_failure = self.has_failure(session);
        let has_recipe = !session.settings.recipes_apply.value.is_empty();
        match &self.goal {
            Some(goal) if goal.text.is_empty() && !has_failure => Err(FixError::EmptyGoal),
            Some(goal) if goal.route == Route::Review && !session.has_model() => {
                Err(FixError::NoModel)
            }
            // The issue of a failure only describes it.
            Some(_) if self.issue.is_some() && has_failure => Ok(()),
            // Without a model the run would fix a failure and leave the goal as it is. A recipe does its part of it.
            Some(goal) if !goal.text.is_empty() && !session.has_model() && !has_recipe => {
                Err(FixError::NoModel)
            }
            None if !has_failure && detected_command(session.tree.as_ref()).is_none() => {
                Err(FixError::without_input(&session.repo, session.tree.as_ref()))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the test command of the project, if it is one that runs without being named by the user.
pub(crate) fn detected_command(tree: &dyn Tree) -> Option<TestCommand> {
    let Profile { verify, commands, .. } = project::detect(tree);
    verify.filter(|found| {
        verify::split_command(&found.command)
            .is_some_and(|words| verify::check_tool(&words, &commands).is_ok())
    })
}
