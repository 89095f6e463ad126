//! Statements of a model about lines of the repository, and the result of their check.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure::Severity;

/// The result of a self-check: how many claims of the summary are proved by the lines that the model cites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelfCheckRecord {
    /// The number of claims.
    pub claims: usize,
    /// The number of those with lines that exist and contain the quoted text.
    pub proved: usize,
    /// The others.
    pub unproved: Vec<UnprovedClaim>,
}

/// A claim without a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnprovedClaim {
    /// The claim, in the words of the model.
    pub claim: String,
    /// The file that it cites; empty if it cites none.
    pub path: String,
    /// The first line that it cites, from 1.
    pub start_line: u64,
    /// The last line.
    pub end_line: u64,
    /// The reason for which the lines prove nothing.
    pub reason: String,
}

/// The result of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewRecord {
    /// The summary of the review.
    pub summary: String,
    /// The remarks, each on a line that exists.
    pub remarks: Vec<Remark>,
    /// The remarks that were left out, because their line does not exist.
    pub dropped: Vec<DroppedRemark>,
}

/// A remark of a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The severity that the model gives it.
    pub severity: Severity,
    /// The remark, in the words of the model.
    pub text: String,
}

/// A remark that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DroppedRemark {
    /// The remark.
    #[serde(flatten)]
    pub remark: Remark,
    /// The reason.
    pub reason: String,
}
