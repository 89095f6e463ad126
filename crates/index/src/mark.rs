//! The state and kind of a file when it was read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use papayu_system::survey::Stamp;

/// The SHA-256 of a file's bytes.
pub type ContentHash = [u8; 32];

/// The kind of file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Text.
    Text,
    /// A file that contains NUL.
    Binary,
    /// A file over the size limit.
    Large,
    /// Text in an unknown encoding.
    UnknownEncoding,
    /// A symbolic link.
    Link,
    /// A file that could not be read.
    Unreadable,
}

impl FileKind {
    /// Returns the name for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Binary => "binary",
            Self::Large => "large",
            Self::UnknownEncoding => "unknown encoding",
            Self::Link => "link",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The state of a file when its record was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Its stamp on the disk.
    pub stamp: Stamp,
    /// True if the file was old enough when it was read.
    ///
    /// A file written just before can be written again without a new timestamp, so it is read again
    /// next time.
    pub settled: bool,
    /// Its kind.
    pub kind: FileKind,
    /// The hash of the content of a text file.
    pub content: Option<ContentHash>,
}
