//! The errors of publishing a change.

use papayu_base::domain::ErrorCode;
use papayu_forge::git::{GitError, GitFault, Remote};
use papayu_forge::{ForgeError, ForgeKind};
use papayu_patch::protocol::Refusal;

/// An error of publishing a change; each has a code for `outcome.json`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PublishError {
    /// A git command failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A request to the forge failed.
    #[error(transparent)]
    Forge(#[from] ForgeError),
    /// A gate refused the change of a bundle.
    #[error("the bundle is refused: {0}")]
    Gate(Refusal),
    /// The bundle cannot be read.
    #[error("the bundle cannot be read: {0}")]
    Unreadable(String),
    /// The bundle was changed after it was written.
    #[error("the bundle is not what was written: {0}")]
    Tampered(String),
    /// The bundle has no proved fix.
    #[error("the bundle has no proved fix: {0}")]
    Unproved(String),
    /// The branch has moved on since the change was made.
    #[error("the base has moved: {0}")]
    BaseMoved(String),
    /// The failure's branch has commits of other people.
    #[error("`{0}` has commits of other people, which are kept")]
    BranchTaken(String),
    /// A person has closed the pull request.
    #[error("{0} was closed by a person and is not reopened")]
    Closed(String),
    /// Earlier runs have used up the attempts.
    #[error("{attempts} attempts were made at failure {fingerprint}, and {max} are allowed")]
    Exhausted {
        /// The failure.
        fingerprint: String,
        /// Number of earlier attempts.
        attempts: u32,
        /// The most attempts that are allowed.
        max: u32,
    },
    /// The repository has enough pull requests of this program.
    #[error("{open} pull requests of papayu-batch are open in the repository")]
    TooManyOpen {
        /// Their number.
        open: usize,
    },
    /// A person paused the pull requests of this program with a label.
    #[error("pull requests are paused: {place} has the label `{label}`")]
    Paused {
        /// The address of the issue or pull request.
        place: String,
        /// The label.
        label: String,
    },
    /// The commit that was fixed is not on the branch that the fix is for.
    #[error("the branch would contain more than the fix: {0}")]
    BaseNotPushed(String),
    /// The branch that the fix is for has a name that git does not accept.
    #[error("`{0}` is not a valid branch name")]
    BadBranch(String),
    /// No option, bundle or checkout names the branch that the fix is for.
    #[error("the target branch of the fix is not known")]
    NoBase,
}

impl PublishError {
    /// Returns the next step of the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Forge(error) => error.hint(),
            Self::Git(error) if error.fault == GitFault::Authentication => {
                // The message names the address of the remote.
                let host = error
                    .doing
                    .split_whitespace()
                    .find_map(|word| ForgeKind::from_host(&Remote::at_address(word).place().host));
                host.map_or_else(|| self.code().hint().to_owned(), ForgeKind::token_hint)
            }
            _ => self.code().hint().to_owned(),
        }
    }

    /// Returns the code for `outcome.json`.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Git(error) => error.code(),
            Self::Forge(error) => error.code(),
            Self::Gate(refusal) => refusal.code,
            Self::Unreadable(_) => ErrorCode::BundleUnreadable,
            Self::Tampered(_) => ErrorCode::BundleTampered,
            Self::Unproved(_) => ErrorCode::BundleUnproved,
            Self::BaseMoved(_) => ErrorCode::BaseMoved,
            Self::BranchTaken(_) => ErrorCode::BranchTaken,
            Self::Closed(_) => ErrorCode::PullRequestClosed,
            Self::Exhausted { .. } => ErrorCode::AttemptsExhausted,
            Self::TooManyOpen { .. } => ErrorCode::TooManyOpen,
            Self::Paused { .. } => ErrorCode::Paused,
            Self::BaseNotPushed(_) => ErrorCode::BaseNotPushed,
            Self::BadBranch(_) | Self::NoBase => ErrorCode::NoBaseBranch,
        }
    }
}
