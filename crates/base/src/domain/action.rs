//! The actions of a reply, in one form for all protocol versions.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::code::ErrorCode;
use super::edit::Edit;

/// A protocol version (protocol section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Whole files; root array or object.
    V1,
    /// Patches against a stated base; the default.
    V2,
    /// v2 and anchored edits; opt-in.
    V3,
}

impl Version {
    /// Every version, the oldest first.
    pub const ALL: [Self; 3] = [Self::V1, Self::V2, Self::V3];

    /// Returns 1, 2 or 3.
    pub fn number(self) -> u8 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
        }
    }

    /// Returns the version of that number, if there is one.
    /// Takes the type of JSON numbers, so that callers need no conversion.
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|version| u64::from(version.number()) == number)
    }

    /// Returns the version that an APPLY may fall back to for a code (protocol section 5): v3 to v2, v2 to
    /// v1. A patch that fits in neither try, or whole files in the place of patches, lead from v3 to
    /// v1 at once: in both v2 has nothing to offer that v3 has not.
    ///
    /// ```
    /// use papayu_base::domain::{ErrorCode, Version};
    ///
    /// assert_eq!(Version::V3.fallback(ErrorCode::EditAmbiguous), Some(Version::V2));
    /// assert_eq!(Version::V3.fallback(ErrorCode::PatchApplyFailed), Some(Version::V1));
    /// assert_eq!(Version::V1.fallback(ErrorCode::PatchApplyFailed), None);
    /// ```
    pub fn fallback(self, code: ErrorCode) -> Option<Self> {
        match (self, code) {
            // v1 is the oldest: nothing is left to step down to.
            (Self::V1, _) => None,
            (Self::V2, _)
            // An edit of v3 that failed as a patch would fail as a patch of v2 again.
            | (Self::V3, ErrorCode::PatchApplyFailed | ErrorCode::V2UpdateExistingForbidden) => {
                Some(Self::V1)
            }
            (Self::V3, _) => Some(Self::V2),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.number())
    }
}

/// The kind names of protocol section 1, for metrics and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "each variant is the protocol's own name")]
pub enum ActionKind {
    CreateDir,
    CreateFile,
    UpdateFile,
    PatchFile,
    ReplaceRange,
    EditFile,
    DeleteFile,
    DeleteDir,
}

impl ActionKind {
    /// Returns the protocol's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::CreateDir => "CREATE_DIR",
            Self::CreateFile => "CREATE_FILE",
            Self::UpdateFile => "UPDATE_FILE",
            Self::PatchFile => "PATCH_FILE",
            Self::ReplaceRange => "REPLACE_RANGE",
            Self::EditFile => "EDIT_FILE",
            Self::DeleteFile => "DELETE_FILE",
            Self::DeleteDir => "DELETE_DIR",
        }
    }
}

/// The operation of one action; it is not checked yet, so a field that a gate requires can be
/// `None`.
/// The gates of the module `vet` turn it into a tree action, which has every field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Makes a directory.
    CreateDir,
    /// Writes a new file.
    CreateFile {
        /// The whole text.
        content: Option<String>,
    },
    /// Replaces a file's whole text.
    UpdateFile {
        /// The whole new text.
        content: Option<String>,
    },
    /// Applies a unified diff to the file with the digest `base_sha256`.
    PatchFile {
        /// As the model wrote it.
        base_sha256: Option<String>,
        /// As the model wrote it.
        patch: Option<String>,
    },
    /// Replaces lines `start_line..=end_line` (1-based) of that same base.
    ReplaceRange {
        /// As the model wrote it.
        base_sha256: Option<String>,
        /// First line replaced.
        start_line: u64,
        /// Last line replaced; `start_line - 1` inserts before `start_line`.
        end_line: u64,
        /// The lines that take their place.
        content: Option<String>,
    },
    /// Makes anchored edits in that same base.
    EditFile {
        /// As the model wrote it.
        base_sha256: Option<String>,
        /// In the order written, which means nothing.
        edits: Vec<Edit>,
    },
    /// Removes a file.
    DeleteFile,
    /// Removes a directory and all in it.
    DeleteDir,
}

/// One action as decoded: the path is still the model's own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Unchecked path.
    pub path: String,
    /// The operation on that path.
    pub op: Op,
}

impl Action {
    /// Returns the protocol's kind.
    pub fn kind(&self) -> ActionKind {
        match self.op {
            Op::CreateDir => ActionKind::CreateDir,
            Op::CreateFile { .. } => ActionKind::CreateFile,
            Op::UpdateFile { .. } => ActionKind::UpdateFile,
            Op::PatchFile { .. } => ActionKind::PatchFile,
            Op::ReplaceRange { .. } => ActionKind::ReplaceRange,
            Op::EditFile { .. } => ActionKind::EditFile,
            Op::DeleteFile => ActionKind::DeleteFile,
            Op::DeleteDir => ActionKind::DeleteDir,
        }
    }

    /// Returns the digest of the base as the model wrote it, if the operation has one.
    /// The text is not checked: it may be of another length than a digest.
    pub fn base_sha256(&self) -> Option<&str> {
        match &self.op {
            Op::PatchFile { base_sha256, .. }
            | Op::ReplaceRange { base_sha256, .. }
            | Op::EditFile { base_sha256, .. } => base_sha256.as_deref(),
            _ => None,
        }
    }
}

/// A decoded APPLY reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSet {
    /// The version it was decoded as.
    pub version: Version,
    /// In the order written.
    pub actions: Vec<Action>,
    /// The model's description of the change and its check.
    pub summary: String,
    /// The reply as validated, for the trace.
    pub validated: Value,
}

impl ActionSet {
    /// Returns `true` if the summary begins with the strict form `NO_CHANGES:`.
    /// A summary with the form does not count together with actions.
    pub fn says_no_changes(&self) -> bool {
        self.actions.is_empty() && self.summary.starts_with("NO_CHANGES:")
    }

    /// Returns other actions of the same version, without a summary, for a check of a part.
    #[must_use]
    pub fn with_actions(&self, actions: Vec<Action>) -> Self {
        Self { version: self.version, actions, summary: String::new(), validated: Value::Null }
    }
}
