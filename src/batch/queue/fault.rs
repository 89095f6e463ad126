//! Everything that can be wrong with a queue: one table of codes, what is said, what to do next.

use crate::domain::OutcomeKind;
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

/// The code of a job that nobody can read, in its row.
pub(super) const UNREADABLE: &str = "ERR_QUEUE_JOB";
/// The code of a task whose workers died, in its row.
pub(super) const PARKED: &str = "ERR_QUEUE_PARKED";

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

    /// Returns the row of the table: the code, how a call that it ends is called, what to do next.
    #[expect(clippy::too_many_lines, reason = "one table")]
    pub fn row(&self) -> (&'static str, OutcomeKind, &'static str) {
        use OutcomeKind::{NotFixed, UsageError};
        match self {
            Self::NoAddress => (
                "ERR_QUEUE_NO_ADDRESS",
                UsageError,
                "name it with `--queue redis://HOST`, or set `PAPAYU_QUEUE`, which keeps its password out of sight",
            ),
            Self::Address(_) => (
                "ERR_QUEUE_ADDRESS",
                UsageError,
                "redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER], rediss:// for TLS, or unix:///SOCKET; signs such as `@` in a password are written %40",
            ),
            Self::Away { .. } => (
                "ERR_QUEUE_AWAY",
                NotFixed,
                "is it started (`redis-server --appendonly yes`), may this machine reach it, and is it one that speaks TLS (`rediss://`)?",
            ),
            Self::Refused { .. } => (
                "ERR_QUEUE_REFUSED",
                UsageError,
                "look at user and password in `PAPAYU_QUEUE`; the user needs scripts, streams and hashes of the keys `papayu:*`, and INFO",
            ),
            Self::NotRedis { .. } => ("ERR_QUEUE_NOT_REDIS", UsageError, "look at host and port"),
            Self::Untrusted { .. } => (
                "ERR_QUEUE_UNTRUSTED",
                UsageError,
                "the certificate must be of that host and of an authority that this machine trusts (`SSL_CERT_FILE` names others); without TLS it is `redis://`",
            ),
            Self::TooOld { .. } => ("ERR_QUEUE_TOO_OLD", UsageError, "take Redis 7 or newer"),
            Self::OtherForm(_) => (
                "ERR_QUEUE_FORM",
                UsageError,
                "let workers of the version that put them there end them, or put them there again with `enqueue --restart`",
            ),
            Self::OtherManifest(_) => (
                "ERR_QUEUE_MANIFEST",
                UsageError,
                "wait until they have ended, take another database of that Redis (redis://HOST/1), or drop them with `--restart`",
            ),
            Self::Gone => (
                "ERR_QUEUE_GONE",
                NotFixed,
                "somebody emptied the Redis, or it was restarted without `--appendonly yes`; put the manifest there again, what ended is in the folders of results",
            ),
            Self::NeverFilled => (
                "ERR_QUEUE_EMPTY",
                UsageError,
                "`papayu-batch enqueue MANIFEST` comes first; a worker without `--until-empty` waits for it",
            ),
            Self::Damaged(_) => (
                "ERR_QUEUE_DAMAGED",
                NotFixed,
                "keys `papayu:*` of that Redis are ours alone; `enqueue --restart` begins anew",
            ),
            Self::StaysInClone { .. } => (
                "ERR_QUEUE_EMIT",
                UsageError,
                "for addresses say `pr`, `bundle` or `patch`; the task was given back",
            ),
            Self::Unfit { .. } => {
                ("ERR_QUEUE_UNFIT", UsageError, "give the repository a plainer path or name")
            }
        }
    }

    /// Tells whether waiting may help.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Away { .. })
    }
}
