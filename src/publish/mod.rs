//! Makes a branch or a pull request of a proved change: in the run itself, or in a second job from
//! a bundle.
//!
//! A failure has one [`Fingerprint`](papayu_base::domain::Fingerprint), which names one branch, which has
//! one pull request. Two records of earlier runs outlive a job: the trailers of the branch's
//! commit, and the marker on the first line of the pull request's text. [`History`] reads both.
//!
//! A [`bundle`] carries a change from a job without push rights to one that has them. The second
//! job trusts nothing in it: it checks digests and base, and vets the change again on the files as
//! git has them. It asks no model and runs no command of the repository.

mod branch_reader;
pub mod bundle;
mod check_run;
mod code_owners;
mod error;
mod fix;
mod forge_commit;
mod history;
mod marker;
mod pause;
mod pull_checks;
mod pull_request;
mod pull_request_body;
mod quoting;
mod rebase;
mod snapshot;
mod sweep;
mod target;
mod withdrawal;
mod work_pull;

pub use branch_reader::BranchReader;
pub use check_run::check_run;
pub use error::PublishError;
pub use fix::{ProvedFix, VettedFiles};
pub use history::{AttemptLimits, History};
pub use pause::PauseLabel;
pub use pull_checks::{are_green, describe_checks, wait_for_checks};
pub use pull_request::{
    ApiCommits, Published, PullRequestOptions, find_base_branch, parse_branch,
    publish_local_branch, publish_pull_request, publish_remote_branch,
};
pub use rebase::Rebased;
pub use sweep::{SweepAction, SweptPull, sweep};
pub use target::PublishTarget;
pub use withdrawal::{is_for_commit, withdraw};
pub use work_pull::{
    WorkReport, comment_result, commit_to_pull_request, report_infrastructure, suggest_fix,
};
