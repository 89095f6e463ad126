//! A location in a log.

use serde::{Deserialize, Serialize};

/// A location as a log prints it; the file may not exist.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Location {
    /// The path as printed: absolute runner paths and bare base names included.
    pub path: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column.
    pub column: Option<u32>,
}

impl Location {
    /// Returns the location of a whole file.
    pub fn file(path: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, column: None }
    }
}
