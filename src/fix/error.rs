//! The errors that prevent a run from starting, with a hint for the user.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::apply::ApplyError;
use crate::project::{EnclosingProject, Subproject, find_enclosing, find_subprojects};
use crate::publish::PublishError;
use crate::settings::SettingsError;
use papayu_base::domain::{ErrorCode, ExitCode, OutcomeKind, Stage};
use papayu_index::notes::NoteError;
use papayu_patch::protocol::Refusal;
use papayu_providers::RecordingError;
use papayu_recipes::RecipeError;
use papayu_system::Tree;
use papayu_system::memory::MemoryError;

/// The outputs that are possible for a repository given as an address.
pub(crate) const STAYS_IN_CLONE: &str =
    "for an address use `pr`, `patch` or `bundle`; for a folder also `branch` or `worktree`";

/// An error that prevents a run, or the writing of its results.
#[derive(Debug, thiserror::Error)]
pub enum FixError {
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A file named on the command line, or a settings file, could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The change is kept, and its result could not be written.
    #[error("the change is in the tree, but `{}` cannot be written: {source}", path.display())]
    KeptUntold {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// `--repo` names no folder.
    #[error("`{}` is not a folder that can be opened: {source}", path.display())]
    Repository {
        /// As written.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// No goal, log or command was given, and the project shows none.
    #[error(
        "no input: no goal, no log and no command, and no file directly in the folder of the run shows a test command{}",
        describe_folders(below, above.as_ref())
    )]
    NoInput {
        /// The folder of the run, as the user wrote it.
        repo: PathBuf,
        /// Folders of the repository that show one.
        below: Vec<Subproject>,
        /// The nearest folder above that shows one.
        above: Option<EnclosingProject>,
    },
    /// The goal has no words.
    #[error("the goal is empty")]
    EmptyGoal,
    /// A goal in words, which only a model understands.
    #[error("a goal needs a model, and none is configured")]
    NoModel,
    /// The requested output would remain in a folder that is deleted.
    #[error("`emit = {0}` would stay in a clone that is deleted after the run")]
    StaysInClone(&'static str),
    /// A recording could not be used.
    #[error(transparent)]
    Recording(RecordingError),
    /// The provider cannot be set up, or a setting does not fit.
    #[error("{0}")]
    Provider(String),
    /// `--record` with two models.
    #[error("a recording has the replies of one model, but `--second-model` names another")]
    RecordedTwoModels,
    /// `--max-cost` with a model of unknown price.
    #[error("no price is known for the model `{0}`, so the cost cannot be limited")]
    NoPrice(String),
    /// The tree could not be restored or locked before the run.
    #[error(transparent)]
    Apply(ApplyError),
    /// A file of the engineering memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The file of the repository's notes.
    #[error(transparent)]
    Notes(#[from] NoteError),
    /// The user has no data folder.
    #[error(
        "there is no data folder: neither `XDG_DATA_HOME` nor `HOME` is an absolute path outside the repository"
    )]
    NoDataFolder,
    /// A plan file that the protocol refuses.
    #[error("the plan is refused: {0}")]
    Plan(Refusal),
    /// A recipe file is refused.
    #[error("the recipe {0}")]
    Recipe(RecipeError),
    /// An error, and its outcome file could not be written either.
    #[error("{first}\n{second}")]
    Twice {
        /// The error that ended the command.
        first: Box<FixError>,
        /// Why `outcome.json` does not say so.
        second: String,
    },
    /// A change cannot be published.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// `--green` names a commit that neither the clone nor its remote has.
    #[error("the green commit `{name}` is not known: {reason}")]
    NoGreen {
        /// As written.
        name: String,
        /// Why it cannot be found or fetched.
        reason: String,
    },
    /// `--ci-run` names a run in which nothing failed.
    #[error("no job of run {0} has failed")]
    NoFailedJob(u64),
    /// `--ci-run` or `--issue` in a repository with no known name on its forge.
    #[error("the repository's name on its forge is not known: no remote `{remote}` names it")]
    NoForgeName {
        /// The remote that was looked at.
        remote: String,
    },
    /// Snyk's API did not give the findings.
    #[error("the findings cannot be read from Snyk: {0}")]
    Snyk(String),
    /// A command that needs the shared store, and none is configured.
    #[error("no shared store is configured")]
    NoSharedStore,
    /// The shared store in a program that was built without it.
    #[error("this program was built without the shared store (the feature `redis`)")]
    StoreNotBuilt,
    /// A command that needs the shared store, which cannot be read.
    #[error("the shared store cannot be read: {0}")]
    SharedStore(String),
    /// The time limit came before the run began, or while the index was read.
    #[error("the time limit of {} s is reached", limit.as_secs())]
    OverTime {
        /// The limit.
        limit: Duration,
    },
    /// A signal came before the run began.
    #[error("a signal ended the run while `{}` was read", path.display())]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
}

impl FixError {
    /// Returns the error of a run without input, with the folders of the repository that show a test command.
    pub(crate) fn without_input(repo: &Path, tree: &dyn Tree) -> Self {
        let (repo, below) = (repo.to_owned(), find_subprojects(tree));
        Self::NoInput { repo, below, above: find_enclosing(tree) }
    }

    /// Returns the error for a repository that cannot be opened, or with files that cannot be listed.
    pub(crate) fn of_repository(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        // The operating system reports a signal while a file is read as this kind.
        match source.kind() {
            io::ErrorKind::Interrupted => Self::Interrupted { path },
            _ => Self::Repository { path, source },
        }
    }

    /// Returns advice for the user; `None` if the message itself names the remedy.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Repository { source, .. } if is_want(source) => {
                Some("the machine has too little memory or too few threads left; try again".into())
            }
            Self::Repository { .. } => Some("`--repo DIR` names the folder of the repository".into()),
            Self::NoInput { repo, below, above } => {
                Some(hint_without_input(repo, below, above.as_ref()))
            }
            Self::EmptyGoal => Some("write the goal in words, or leave out `--goal`".into()),
            Self::NoModel => Some(
                "set `PAPAYU_LLM_API_URL`, `PAPAYU_LLM_API_KEY` and `PAPAYU_LLM_MODEL` (`--provider`, `--api-url` and `--model`), or leave out the goal to fix what the tools can fix themselves".into(),
            ),
            Self::StaysInClone(_) => Some(STAYS_IN_CLONE.into()),
            Self::RecordedTwoModels => Some("record without `--second-model`".into()),
            Self::NoPrice(_) => Some(
                "name a price file (`llm.price_file`), or limit tokens with `--max-tokens`".into(),
            ),
            Self::Apply(error) => Some(error.hint().into()),
            Self::KeptUntold { .. } => Some("`papayu-batch undo` reverts it".into()),
            Self::Plan(refusal) if refusal.code.row().stage == Stage::Schema => Some(
                "the file must be a `plan.json` of `papayu-batch plan`, or a reply of the protocol"
                    .into(),
            ),
            Self::Plan(refusal) => Some(refusal.code.row().hint.into()),
            Self::Publish(error) => Some(error.hint()),
            Self::Twice { first, .. } => first.hint(),
            Self::NoGreen { name, .. } => Some(format!(
                "name a commit, tag or branch of the remote with `--green`, or get more history: `git fetch --depth=100 origin {name}`, or `fetch-depth: 0` for actions/checkout"
            )),
            Self::NoFailedJob(_) => Some("name a run that has failed jobs".into()),
            Self::NoForgeName { .. } => Some(
                "set `PAPAYU_FORGE_REPOSITORY=OWNER/NAME`, or name another remote with `git.remote`".into(),
            ),
            Self::Memory(_) => {
                Some("`papayu-batch memory check` lists what is wrong in the files".into())
            }
            Self::NoDataFolder => Some("set `HOME` to a folder outside the repository".into()),
            Self::Recipe(_) => Some("`papayu-batch recipe test FILE` checks a recipe".into()),
            Self::Recording(_)
            | Self::Notes(_)
            | Self::Provider(_)
            | Self::Read { .. }
            | Self::Write { .. }
            | Self::Interrupted { .. } => None,
            Self::Snyk(_) => Some("`papayu-batch doctor` shows `snyk.api_url` and where it is set; other regions have other hosts".into()),
            Self::NoSharedStore => Some("set `PAPAYU_STORE`, for example to `redis://HOST`".into()),
            Self::StoreNotBuilt => Some(
                "`cargo install --path . --locked --features redis` in a clone of papayu-batch builds one with it, or unset `PAPAYU_STORE`".into(),
            ),
            Self::SharedStore(_) => {
                Some("check `PAPAYU_STORE`, and that the Redis is started and reachable".into())
            }
            Self::OverTime { .. } => Some("raise `--timeout`, or give the run less to read".into()),
        }
    }

    /// Returns the error code of the protocol; `None` for an error without one.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Apply(error) => error.code(),
            Self::Plan(refusal) => Some(refusal.code),
            Self::Twice { first, .. } => first.code(),
            _ => None,
        }
    }

    /// Returns the `error_code` of `outcome.json`. `None` for an error without a code.
    pub fn code_name(&self) -> Option<&'static str> {
        match self {
            Self::Publish(error) => Some(error.code().as_str()),
            Self::Twice { first, .. } => first.code_name(),
            error => error.code().map(ErrorCode::as_str),
        }
    }

    /// Returns the outcome that a run with this error has.
    pub fn outcome(&self) -> OutcomeKind {
        match self {
            Self::Apply(error) => error.outcome(),
            Self::Publish(_) => OutcomeKind::PublishFailed,
            Self::Plan(refusal) => refusal.code.row().outcome,
            Self::Twice { first, .. } => first.outcome(),
            Self::Snyk(_) => OutcomeKind::ProviderError,
            Self::Interrupted { .. } => OutcomeKind::Interrupted,
            Self::OverTime { .. } => OutcomeKind::OverBudget,
            Self::Repository { source, .. } if is_want(source) => OutcomeKind::NotFixed,
            Self::Write { .. } | Self::KeptUntold { .. } => OutcomeKind::NotFixed,
            _ => OutcomeKind::UsageError,
        }
    }

    /// Returns the exit code: an error in the user's input, or a refusal of the machine.
    pub fn exit_code(&self) -> ExitCode {
        self.outcome().exit_code()
    }
}

/// Returns the next step where a run has no command, and these folders of the repository have one.
fn hint_without_input(
    repo: &Path,
    below: &[Subproject],
    above: Option<&EnclosingProject>,
) -> String {
    if let Some(EnclosingProject { folder, command }) = above {
        let folder = folder.display();
        return format!("`papayu-batch fix --repo {folder}` runs `{command}` there");
    }
    let Some(Subproject { folder, command }) = below.first() else {
        return "pass `--run CMD`, `--log FILE` or `--goal TEXT`, or set `run.command` in the papayu.toml that `papayu-batch init` writes".to_owned();
    };
    if repo == Path::new(".") {
        return format!(
            "`papayu-batch fix --repo {folder}` works on one of them, `--run \"cd {folder} && {command}\"` runs its tests from here"
        );
    }
    let folder = repo.join(folder.as_str());
    format!("`papayu-batch fix --repo {}` works on one of them", folder.display())
}

/// Returns the folders that have a test command, as the end of a sentence.
fn describe_folders(below: &[Subproject], above: Option<&EnclosingProject>) -> String {
    let below = below.iter().map(|it| format!("`{}` (`{}`)", it.folder, it.command));
    let above = above.map(|it| format!("`{}` (`{}`)", it.folder.display(), it.command));
    let named: Vec<String> = above.into_iter().chain(below).collect();
    if named.is_empty() { String::new() } else { format!("; folders do: {}", named.join(", ")) }
}

/// Returns `true` if the machine lacked a resource, which is not an error in the user's input.
fn is_want(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_that_was_not_read_to_the_end_is_the_users_fault_only_where_it_is() {
        let outcome = |kind: io::ErrorKind| {
            let error = FixError::of_repository(Path::new("r"), kind.into());
            error.outcome()
        };
        assert_eq!(outcome(io::ErrorKind::NotFound), OutcomeKind::UsageError);
        assert_eq!(outcome(io::ErrorKind::NotADirectory), OutcomeKind::UsageError);
        assert_eq!(outcome(io::ErrorKind::Interrupted), OutcomeKind::Interrupted);
        assert_eq!(outcome(io::ErrorKind::OutOfMemory), OutcomeKind::NotFixed);
        assert_eq!(outcome(io::ErrorKind::WouldBlock), OutcomeKind::NotFixed);
    }
}
