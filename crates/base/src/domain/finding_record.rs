//! The record of a scanner's finding in an outcome.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The check that shows that a finding is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingProof {
    /// The scanner ran with the change and did not report the finding.
    Scanner,
    /// The version in the lock file, or in the manifest of a project without one, is not affected.
    Version,
}

impl FindingProof {
    /// Returns the proof in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Scanner => "the scanner does not report it with the change",
            Self::Version => "its version is outside the affected range; the scanner did not run",
        }
    }
}

/// A further file in which a package was updated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingFile {
    /// The lock file, or the manifest of a project without one.
    pub file: String,
    /// The affected version.
    pub from: String,
    /// The version of the change.
    pub to: String,
    /// The command that made the change.
    pub updated_by: String,
}

/// A scanner's finding and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingRecord {
    /// The identifier of the advisory.
    pub advisory: String,
    /// `npm`, `PyPI`, `crates.io`, `Go` or `Maven`.
    pub ecosystem: String,
    /// The package.
    pub package: String,
    /// `unknown`, `low`, `medium`, `high` or `critical`.
    pub severity: String,
    /// The advisory's title.
    pub title: String,
    /// The lock file, or the manifest of a project without one; `null` if none has the package.
    pub file: Option<String>,
    /// The affected version; `null` if none was found.
    pub from: Option<String>,
    /// The version of the change; `null` without one.
    pub to: Option<String>,
    /// The command that made the change.
    pub updated_by: Option<String>,
    /// The other files that had an affected version.
    #[serde(default)]
    pub other_files: Vec<FindingFile>,
    /// The check that shows that the finding is removed; `null` unless there is a change.
    pub proof: Option<FindingProof>,
}
