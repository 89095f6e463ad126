//! The strategy by which a hunk of a patch applied, or the reason why it did not.

use serde::{Deserialize, Serialize};

/// The strategy by which a hunk applied, strictest first; `patch_strategy` in the trace.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum HunkStrategy {
    /// At the line the header states.
    Exact,
    /// At another position with exactly the same lines.
    Offset,
    /// Context lines lost the column of their marks.
    LostMarks,
    /// Only blanks at line ends differ.
    TrailingSpace,
    /// Every line is indented otherwise, all by one rule, which the new lines follow.
    Indent,
    /// Blanks inside lines, quotes or dashes differ.
    Spelling,
    /// The patch was written with entities or escaped quotes that the file does not have.
    Unescaped,
    /// The patch has `...` in the place of lines.
    Elided,
    /// A new line inside a run of new lines lost its `+`.
    LostPlus,
    /// Two hunks were written as one.
    Merged,
    /// A line is misquoted or left out.
    Drift,
}

impl HunkStrategy {
    /// Returns the name used in traces and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Offset => "offset",
            Self::LostMarks => "lost_marks",
            Self::TrailingSpace => "trailing_space",
            Self::Indent => "indent",
            Self::Spelling => "spelling",
            Self::Unescaped => "unescaped",
            Self::Elided => "elided",
            Self::LostPlus => "lost_plus",
            Self::Merged => "merged",
            Self::Drift => "drift",
        }
    }
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
