//! How a hunk of a patch landed, or why it did not.

use serde::{Deserialize, Serialize};

/// How a hunk found its place; named in the trace's `patch_strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// At the line the header states.
    Exact,
    /// At the only other place where its lines stand.
    Offset,
}

/// A hunk, or an edit of v3, that did not land, with what a repair needs to see.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hunk {hunk} does not apply: {reason}")]
pub struct HunkFault {
    /// 1-based.
    pub hunk: usize,
    /// The rule it broke.
    pub reason: String,
    /// Its lines.
    pub body: String,
    /// 1-based number of the first of the real lines.
    pub first_line: usize,
    /// The file's lines around the place most like it.
    pub real: Vec<String>,
}
