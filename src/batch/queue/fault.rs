//! The errors of a queue: one table of codes, messages and hints.

use papayu_base::domain::ErrorCode;
use papayu_system::os::redis::RedisFault;

/// An error of a queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// No queue was named.
    #[error("no queue is named")]
    NoAddress,
    /// The server cannot be used: it does not answer, refuses the connection, or is not a Redis that fits.
    #[error("{}", describe_server(.queue, .fault))]
    Server {
        /// Its address, without the password.
        queue: String,
        /// The fault of the connection.
        fault: RedisFault,
    },
    /// Tasks of another program version.
    #[error("the queue has tasks of form {0}, and this program reads form {form}", form = super::FORM)]
    OtherForm(String),
    /// Tasks of another manifest are on their way.
    #[error("{0} tasks of another manifest wait or run in the queue")]
    OtherManifest(i64),
    /// The batch is no longer there.
    #[error("the batch is no longer in the queue")]
    Gone,
    /// Nothing was ever put there.
    #[error("nothing was ever put into the queue")]
    NeverFilled,
    /// The data in Redis is not as this program writes it.
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
            Self::Server { fault, .. } => server_code(fault),
            Self::OtherForm(_) => ErrorCode::QueueForm,
            Self::OtherManifest(_) => ErrorCode::QueueManifest,
            Self::Gone => ErrorCode::QueueGone,
            Self::NeverFilled => ErrorCode::QueueEmpty,
            Self::Damaged(_) => ErrorCode::QueueDamaged,
            Self::StaysInClone { .. } => ErrorCode::QueueEmit,
            Self::Unfit { .. } => ErrorCode::QueueUnfit,
        }
    }

    /// Returns whether the error may disappear by itself.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Server { fault: RedisFault::Away(_), .. })
    }
}

/// Returns the code of a fault of the connection.
fn server_code(fault: &RedisFault) -> ErrorCode {
    match fault {
        RedisFault::Address(_) => ErrorCode::QueueAddress,
        RedisFault::Away(_) => ErrorCode::QueueAway,
        RedisFault::Refused(_) => ErrorCode::QueueRefused,
        RedisFault::NotRedis(_) => ErrorCode::QueueNotRedis,
        RedisFault::Untrusted(_) => ErrorCode::QueueUntrusted,
        RedisFault::TooOld(_) => ErrorCode::QueueTooOld,
        RedisFault::Said(_) => ErrorCode::QueueDamaged,
    }
}

/// Returns the message about a server, which ends with the fault.
fn describe_server(queue: &str, fault: &RedisFault) -> String {
    match fault {
        RedisFault::Address(_) => format!("the address of the queue is wrong: {fault}"),
        RedisFault::Away(_) => format!("the queue at `{queue}` does not answer: {fault}"),
        RedisFault::Refused(_) => format!("the queue at `{queue}` refuses the connection: {fault}"),
        RedisFault::NotRedis(_) => format!("the server at `{queue}` is not a Redis: {fault}"),
        RedisFault::Untrusted(_) => format!("the server at `{queue}` is not trusted: {fault}"),
        RedisFault::TooOld(_) => format!("the Redis at `{queue}` is too old: {fault}"),
        RedisFault::Said(_) => format!("the queue is damaged: {fault}"),
    }
}
