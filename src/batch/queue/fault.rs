//! The errors of a queue: one table of codes, messages and hints.

use papayu_base::domain::ErrorCode;
use papayu_system::os::nats::NatsFault;

/// An error of a queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// No queue was named.
    #[error("no queue is named")]
    NoAddress,
    /// The server cannot be used: it does not answer, or refuses the connection.
    #[error("{}", describe_server(.queue, .fault))]
    Server {
        /// Its address, without the password.
        queue: String,
        /// The fault of the connection.
        fault: NatsFault,
    },
    /// The file of the credentials cannot be read.
    #[error("`{setting}` names `{path}`, which cannot be read: {reason}")]
    Credentials {
        /// The variable or the setting.
        setting: String,
        /// The file.
        path: String,
        /// The error of the system.
        reason: String,
    },
    /// Tasks of another program version.
    #[error("the queue has tasks of form {0}, and this program reads form {form}", form = super::FORM)]
    OtherForm(u32),
    /// Tasks of another manifest are on their way.
    #[error("{}", describe_others(*.0))]
    OtherManifest(usize),
    /// The batch is no longer there.
    #[error("the batch is no longer in the queue")]
    Gone,
    /// Nothing was ever put there.
    #[error("nothing was ever put into the queue")]
    NeverFilled,
    /// The data in the queue is not as this program writes it.
    #[error("the queue is damaged: {0}")]
    Damaged(String),
    /// The result would be deleted with the clone.
    #[error("`--emit {emit}` would stay in the clone of `{task}`, which is deleted")]
    StaysInClone {
        /// As written.
        emit: &'static str,
        /// The task.
        task: String,
    },
    /// A task cannot be written as a job.
    #[error("`{name}` cannot be put into a queue: {reason}")]
    Unfit {
        /// The task.
        name: String,
        /// Why.
        reason: String,
    },
}

impl QueueError {
    /// Returns the code for messages and rows.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoAddress => ErrorCode::QueueNoAddress,
            Self::Server { fault: NatsFault::Address(_), .. } => ErrorCode::QueueAddress,
            Self::Server { fault: NatsFault::Away(_), .. } => ErrorCode::QueueAway,
            Self::Server { fault: NatsFault::Refused(_), .. } | Self::Credentials { .. } => {
                ErrorCode::QueueRefused
            }
            Self::Server { fault: NatsFault::Untrusted(_), .. } => ErrorCode::QueueUntrusted,
            Self::Server { .. } | Self::Damaged(_) => ErrorCode::QueueDamaged,
            Self::OtherForm(_) => ErrorCode::QueueForm,
            Self::OtherManifest(_) => ErrorCode::QueueManifest,
            Self::Gone => ErrorCode::QueueGone,
            Self::NeverFilled => ErrorCode::QueueEmpty,
            Self::StaysInClone { .. } => ErrorCode::QueueEmit,
            Self::Unfit { .. } => ErrorCode::QueueUnfit,
        }
    }

    /// Returns whether the error may disappear by itself.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Server { fault: NatsFault::Away(_), .. })
    }
}

/// Returns the message about tasks of another manifest.
fn describe_others(tasks: usize) -> String {
    if tasks == 1 {
        "1 task of another manifest waits or runs in the queue".to_owned()
    } else {
        format!("{tasks} tasks of another manifest wait or run in the queue")
    }
}

/// Returns the message about a server, which ends with the fault.
fn describe_server(queue: &str, fault: &NatsFault) -> String {
    match fault {
        NatsFault::Address(_) => format!("the address of the queue is wrong: {fault}"),
        NatsFault::Away(_) => format!("the queue at `{queue}` does not answer: {fault}"),
        NatsFault::Refused(_) => format!("the queue at `{queue}` refuses this: {fault}"),
        NatsFault::Untrusted(_) => format!("the server at `{queue}` is not trusted: {fault}"),
        NatsFault::Failed(_) => format!("the queue at `{queue}` failed: {fault}"),
    }
}
