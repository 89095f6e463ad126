//! Turns arguments and settings into the plain values that a run takes.

use std::path::PathBuf;

use crate::cli::CliError;
use crate::cli::args::{GoalArgs, ModelArgs};
use crate::cli::session::{Session, text};
use crate::domain::Goal;

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
pub struct ContextInput {
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

/// What `fix` and `plan` take beside settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixInput {
    /// What it goes by.
    pub context: ContextInput,
    /// Where exchanges are recorded.
    pub record: Option<PathBuf>,
    /// Whether events and progress are kept back.
    pub quiet: bool,
}

impl ContextInput {
    /// Reads the goal file and checks that there is anything to go by.
    pub fn read(args: &GoalArgs, session: &Session) -> Result<Self, CliError> {
        let words = match (&args.goal, &args.goal_file) {
            (Some(words), _) => Some(words.clone()),
            (None, Some(path)) => Some(text(&session.disk, path)?),
            (None, None) => None,
        };
        let goal = words.filter(|words| !words.trim().is_empty()).map(|words| Goal::parse(&words));
        let log = args.log.clone().map(|path| {
            if path.as_os_str() == "-" { LogSource::Stdin } else { LogSource::File(path) }
        });
        let (github_run, issue) = (args.github_run, args.issue);
        let of_issue = |number| Goal::parse(&format!("Resolve issue {number}, quoted as ISSUE"));
        let goal = goal.or_else(|| issue.map(of_issue));
        let sarif = args.sarif.iter().map(|path| path.display().to_string());
        let reports: Vec<String> = args.junit.iter().cloned().chain(sarif).collect();
        let is_told = log.is_some() || !reports.is_empty() || github_run.is_some();
        if goal.is_none() && !is_told && session.settings.run_command.value.is_none() {
            return Err(CliError::NoInput);
        }
        Ok(Self { goal, log, reports, github_run, issue })
    }
}

impl FixInput {
    /// Reads what the arguments name.
    pub fn read(goal: &GoalArgs, model: &ModelArgs, session: &Session) -> Result<Self, CliError> {
        let context = ContextInput::read(goal, session)?;
        Ok(Self { context, record: model.record.clone(), quiet: model.quiet })
    }
}
