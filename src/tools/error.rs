//! The errors of tools.

use crate::apply::ApplyError;
use crate::verify::{Blocked, VerifyError};
use papayu_base::domain::ErrorCode;
use papayu_forge::git::GitError;
use papayu_patch::protocol::Refusal;

/// The reason why a tool has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// No tool has this name.
    #[error("there is no tool `{name}`{}", nearest_text(.nearest.as_deref()))]
    UnknownTool {
        /// The name as written.
        name: String,
        /// The known name most like it.
        nearest: Option<String>,
    },
    /// A parameter is missing, unknown or of another type.
    #[error("parameter `{name}`: {fault}")]
    Parameter {
        /// The name of the parameter.
        name: String,
        /// The fault and the expected value.
        fault: String,
    },
    /// The repository has no such file or definition.
    #[error("there is no {kind} `{name}`{}", nearest_text(.nearest.as_deref()))]
    NotFound {
        /// `file`, `definition`.
        kind: &'static str,
        /// The name as written.
        name: String,
        /// The known name most like it.
        nearest: Option<String>,
    },
    /// The file has secrets, is no text, or cannot be read.
    #[error("`{path}` cannot be shown: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// A gate refused the change.
    #[error("the change is refused: {0}")]
    Refused(Box<Refusal>),
    /// The change could not be written.
    #[error(transparent)]
    Apply(Box<ApplyError>),
    /// Git refused.
    #[error(transparent)]
    Git(Box<GitError>),
    /// The command is not allowed.
    #[error(transparent)]
    Blocked(Blocked),
    /// A rule of `tools.deny` names the command.
    #[error("`{command}` is denied by `{rule}` of `tools.deny`")]
    Denied {
        /// The command.
        command: String,
        /// The rule.
        rule: String,
    },
    /// The command needs a shell, which tools never start.
    #[error("`{command}` needs a shell; tools run one program with its arguments")]
    NeedsShell {
        /// The command.
        command: String,
    },
    /// The command could not be started.
    #[error(transparent)]
    NotStarted(VerifyError),
    /// The project has no command that runs its tests.
    #[error("no command runs the tests of this project; set `run.command`")]
    NoTests,
    /// The index could not be read.
    #[error("the index cannot be read: {0}")]
    Index(std::io::Error),
}

/// Returns `; there is NAME` for a message, or nothing.
fn nearest_text(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; there is `{name}`")).unwrap_or_default()
}

impl ToolError {
    /// Returns the code that outcomes and MCP results name.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownTool { .. } => ErrorCode::ToolUnknown,
            Self::Parameter { .. } => ErrorCode::ToolParameter,
            Self::NotFound { .. } | Self::NoTests => ErrorCode::ToolNotFound,
            Self::Unreadable { .. } | Self::Index(_) => ErrorCode::ToolUnreadable,
            Self::Refused(refusal) => refusal.code,
            Self::Apply(error) => error.code().unwrap_or(ErrorCode::ToolUnreadable),
            Self::Git(error) => error.code(),
            Self::Blocked(_) | Self::Denied { .. } | Self::NeedsShell { .. } => {
                ErrorCode::ToolCommandBlocked
            }
            Self::NotStarted(_) => ErrorCode::ToolCommandNotStarted,
        }
    }
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<ApplyError> for ToolError {
    fn from(error: ApplyError) -> Self {
        Self::Apply(Box::new(error))
    }
}

impl From<GitError> for ToolError {
    fn from(error: GitError) -> Self {
        Self::Git(Box::new(error))
    }
}
