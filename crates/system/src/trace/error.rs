//! Why a trace file could not be read or written.

use std::io;
use std::path::PathBuf;

/// A trace file and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("trace `{}`: {fault}", path.display())]
pub struct TraceError {
    /// The file, or the folder that was listed.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub fault: TraceFault,
}

/// The reason why a trace file is unusable.
#[derive(Debug, thiserror::Error)]
pub enum TraceFault {
    /// The disk refused.
    #[error("{0}")]
    Disk(#[from] io::Error),
    /// Longer than any trace this program writes.
    #[error("longer than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Not JSON, or JSON of another form.
    #[error("not a trace: {0}")]
    Form(#[from] serde_json::Error),
    /// Its id cannot name a file.
    #[error("`{0}` is not a trace id: it has only letters, digits and `-`")]
    Id(String),
}
