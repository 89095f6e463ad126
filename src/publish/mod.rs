//! From a proved change to a branch or a pull request: by the run itself, or by a second job from a bundle.
//!
//! A failure has one name ([`crate::domain::Fingerprint`]), that name one branch, that branch one pull
//! request. What earlier runs did stands in two places that outlive a job: the trailers of the branch's
//! commit and the marker on the first line of the pull request's text. [`History`] reads both.
//!
//! A [`bundle`] carries a change from a job that may not write to one that may. The second job trusts
//! nothing in it: digests and the base are checked, and the change is vetted again on the files as git
//! has them. No model is asked and no command of the repository is run.

pub mod bundle;
mod check_run;
mod error;
mod fix;
mod history;
mod marker;
mod pull_request;
mod pull_request_body;
mod snapshot;

pub use check_run::check_run;
pub use error::PublishError;
pub use fix::{Fix, VettedFiles};
pub use history::History;
pub use pull_request::{
    PublishTarget, Published, PullRequestOptions, publish_local_branch, publish_pull_request,
};
