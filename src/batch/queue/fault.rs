//! The errors of a queue: one table of codes, messages and hints.

use crate::domain::ErrorCode;
use crate::system::os::redis::RedisFault;

/// An error of a queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// No queue was named.
    #[error("no queue is named")]
    NoAddress,
    /// The address is invalid.
    #[error("the address of the queue is wrong: {0}")]
    Address(String),
    /// The server does not answer.
    #[error("the queue at `{queue}` does not answer: {said}")]
    Away {
        /// Its address, without the password.
        queue: String,
        /// The message of the system or the server.
        said: String,
    },
    /// The server refuses the connection.
    #[error("the queue at `{queue}` refuses the connection: {said}")]
    Refused {
        /// Its address.
        queue: String,
        /// The message of the server.
        said: String,
    },
    /// Another kind of server answers.
    #[error("the server at `{queue}` is not a Redis: {said}")]
    NotRedis {
        /// The address.
        queue: String,
        /// The difference.
        said: String,
    },
    /// The certificate is not trusted, or the server has no TLS.
    #[error("the server at `{queue}` is not trusted: {said}")]
    Untrusted {
        /// The address.
        queue: String,
        /// The message of the TLS library.
        said: String,
    },
    /// An old server.
    #[error("the Redis at `{queue}` is too old: {said}")]
    TooOld {
        /// Its address.
        queue: String,
        /// Its version and ours.
        said: String,
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
    #[error("`{name}` cannot be put into a queue: {said}")]
    Unfit {
        /// The task.
        name: String,
        /// Why.
        said: String,
    },
}

impl QueueError {
    /// Converts an error of the connection.
    pub(super) fn from_redis(fault: RedisFault, queue: &str) -> Self {
        let queue = queue.to_owned();
        match fault {
            RedisFault::Address(said) => Self::Address(said),
            RedisFault::Away(said) => Self::Away { queue, said },
            RedisFault::Refused(said) => Self::Refused { queue, said },
            RedisFault::NotRedis(said) => Self::NotRedis { queue, said },
            RedisFault::Untrusted(said) => Self::Untrusted { queue, said },
            RedisFault::TooOld(_) => Self::TooOld { queue, said: fault.to_string() },
            RedisFault::Said(said) => Self::Damaged(said),
        }
    }

    /// Returns the code for messages and rows.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoAddress => ErrorCode::QueueNoAddress,
            Self::Address(_) => ErrorCode::QueueAddress,
            Self::Away { .. } => ErrorCode::QueueAway,
            Self::Refused { .. } => ErrorCode::QueueRefused,
            Self::NotRedis { .. } => ErrorCode::QueueNotRedis,
            Self::Untrusted { .. } => ErrorCode::QueueUntrusted,
            Self::TooOld { .. } => ErrorCode::QueueTooOld,
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
        matches!(self, Self::Away { .. })
    }
}
