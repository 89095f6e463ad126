//! The services that host pull requests: one trait, and GitHub behind it.
//!
//! The client is a thin one over [`papayu_system::Http`]. octocrab would bring 54 crates, a second
//! HTTP client that ignores the run's interruption, typed answers that fail on a field that an
//! older GitHub Enterprise omits, and retries that ignore the `Retry-After` of the secondary rate
//! limit (docs/dependencies.md). The tests compare every request with GitHub's own description
//! of its API.

mod api;
mod azure;
mod bitbucket;
mod config;
mod contract;
mod diff;
mod error;
mod field;
mod forge_word;
pub mod git;
mod gitea;
mod github;
mod gitlab;
mod kind;
mod last_run;
mod lifecycle;
mod transport;
mod wire;

pub use azure::Azure;
pub use bitbucket::Bitbucket;
pub use config::{ForgeConfig, Outside};
pub use contract::{
    Annotation, CheckRun, CiJob, Forge, GreenRun, Issue, Level, OwnedRepository, PullRequestSpec,
};
pub use error::{ForgeError, ForgeFault};
pub use forge_word::ForgeKind;
pub use gitea::Gitea;
pub use github::{AppConfig, GitHub};
pub use gitlab::GitLab;
pub use lifecycle::{
    BranchState, CheckConclusion, CommitCheck, ForgeCommit, Lifecycle, Posted, PullClosing,
    PullFile, PullRequest, ReviewSpec, StickyText, Suggestion,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
