//! The state and kind of a file when it was read.

use serde::{Deserialize, Serialize};

use crate::system::survey::Stamp;

/// The SHA-256 of a file's bytes.
pub type ContentHash = [u8; 32];

/// The kind of file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// Text, with the hash of its content.
    Text(ContentHash),
    /// A file that contains NUL.
    Binary,
    /// A file over the size limit.
    Large,
    /// Text in an unknown encoding.
    NotText,
    /// A symbolic link.
    Link,
    /// A file that could not be read.
    Unreadable,
}

impl FileKind {
    /// Returns the content hash of a text file.
    pub fn content(self) -> Option<ContentHash> {
        match self {
            Self::Text(hash) => Some(hash),
            _ => None,
        }
    }
}

/// The state of a file when its record was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Its stamp on the disk.
    pub stamp: Stamp,
    /// True if the file was old enough when it was read.
    ///
    /// A file written just before can be written again without a new timestamp, so it is read again
    /// next time.
    pub settled: bool,
    /// Its kind.
    pub kind: FileKind,
}
