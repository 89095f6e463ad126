//! From a proved change to a branch or a pull request: by the run itself, or by a second job from a bundle.
//!
//! A failure has one name ([`crate::domain::Fingerprint`]), that name one branch, that branch one pull
//! request. What earlier runs did stands in two places that outlive a job: the trailers of the branch's
//! commit and the marker on the first line of the pull request's text. [`History`] reads both.
//!
//! A [`bundle`] carries a change from a job that may not write to one that may. The second job trusts
//! nothing in it: digests, the base, and every gate that the change went through are checked again, in
//! [`gates`], on the files as git has them. No model is asked and no command of the repository is run.

pub mod bundle;
mod check;
mod error;
pub mod gates;
mod history;
mod marker;
mod offer;
mod story;

use crate::domain::{FailureReport, Fingerprint, Outcome, RunId};
use crate::git::{FileChange, Oid};

pub use check::check_run;
pub use error::PublishError;
pub use history::History;
pub use marker::Marker;
pub use offer::{Desk, Offer, Published, local_branch, pull_request};
pub use story::{Story, shown};

/// A proved change with its story, ready to be handed over.
#[derive(Clone, Debug)]
pub struct Fix {
    /// The run that made it.
    pub run_id: RunId,
    /// What it mends.
    pub fingerprint: Fingerprint,
    /// The commit that it was made and proved on.
    pub base: Oid,
    /// The branch that commit was on, where that is known.
    pub base_branch: Option<String>,
    /// The change.
    pub files: Vec<FileChange>,
    /// How the run ended, proof and all.
    pub outcome: Outcome,
    /// What failed, masked.
    pub failure: FailureReport,
    /// What whoever made the change says of it, masked; untrusted.
    pub summary: String,
}
