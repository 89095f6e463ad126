//! The records of scanners' findings in an outcome.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure::{Failure, FailureKind};
use super::location::Location;

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

/// A finding of a scanner that a run has in addition to a failing command. The run shows it to the model and reports it;
/// only the command decides whether the run is a fix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedFinding {
    /// `snyk` for one of Snyk's scanners, by its report or as an open issue in Snyk, `sarif` for another report.
    pub source: String,
    /// The identifier of the rule or the advisory; empty if there is none.
    #[serde(default)]
    pub code: String,
    /// The fault in words.
    pub message: String,
    /// The file; `null` if the finding is about none.
    pub path: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
}

impl ReportedFinding {
    /// Returns the finding of a failure of a report.
    pub fn of_failure(failure: &Failure) -> Self {
        let place = failure.locations.first();
        Self {
            source: failure.toolchain.clone(),
            code: failure.code.clone().unwrap_or_default(),
            message: failure.message.clone(),
            path: place.map(|place| place.path.clone()),
            line: place.and_then(|place| place.line),
        }
    }

    /// Returns the finding as a failure of a linter, for lists of failures.
    pub fn to_failure(&self) -> Failure {
        let place = |path: &String| Location { path: path.clone(), line: self.line, column: None };
        Failure {
            kind: FailureKind::Lint,
            toolchain: self.source.clone(),
            code: Some(self.code.clone()).filter(|code| !code.is_empty()),
            message: self.message.clone(),
            locations: self.path.iter().map(place).collect(),
            ..Failure::default()
        }
    }

    /// Returns `true` for a finding of a scanner, by the toolchain of its failure.
    pub fn is_scanner(toolchain: &str) -> bool {
        matches!(toolchain, "sarif" | "snyk")
    }
}
