//! Everything that can be wrong with a queue: one table of codes, what is said, what to do next.

use crate::domain::ErrorCode;
use crate::system::os::redis::RedisFault;

/// What is wrong with a queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// None was named.
    #[error("no queue is named")]
    NoAddress,
    /// The address cannot be one.
    #[error("the address of the queue is wrong: {0}")]
    Address(String),
    /// Nobody answers.
    #[error("the queue at `{queue}` does not answer: {said}")]
    Away {
        /// Its address, without the password.
        queue: String,
        /// What the system or the server said.
        said: String,
    },
    /// The server lets us not in.
    #[error("the queue at `{queue}` refuses us: {said}")]
    Refused {
        /// Its address.
        queue: String,
        /// What the server said.
        said: String,
    },
    /// Somebody else answers.
    #[error("what answers at `{queue}` is no Redis: {said}")]
    NotRedis {
        /// The address.
        queue: String,
        /// What is odd about it.
        said: String,
    },
    /// A certificate that is not trusted, or no TLS at all.
    #[error("there is no trust in what answers at `{queue}`: {said}")]
    Untrusted {
        /// The address.
        queue: String,
        /// What the TLS library said.
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
    #[error("the queue holds tasks of form {0}, and this program reads form {form}", form = super::job::FORM)]
    OtherForm(String),
    /// Tasks of another manifest are on their way.
    #[error("{0} tasks of another manifest wait or run in the queue")]
    OtherManifest(i64),
    /// The batch is no longer there.
    #[error("the batch is gone from the queue")]
    Gone,
    /// Nothing was ever put there.
    #[error("nothing was ever put into the queue")]
    NeverFilled,
    /// Redis refused what it never refuses.
    #[error("the queue is damaged: {0}")]
    Damaged(String),
    /// The worker would leave what it does where nobody finds it.
    #[error("`--emit {emit}` would stay in the clone of `{task}`, which is deleted")]
    StaysInClone {
        /// As written.
        emit: &'static str,
        /// The task.
        task: String,
    },
    /// A task cannot be told as a job.
    #[error("`{name}` cannot be put into a queue: {said}")]
    Unfit {
        /// The task.
        name: String,
        /// Why.
        said: String,
    },
}

impl QueueError {
    /// Returns a fault of the connection as one of the queue.
    pub(super) fn of(fault: RedisFault, queue: &str) -> Self {
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

    /// Tells whether waiting may help.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Away { .. })
    }
}
