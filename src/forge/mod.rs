//! The services that host pull requests: one trait, and GitHub behind it.
//!
//! The client is a thin one over [`crate::system::Http`]. octocrab would bring 54 crates, a second
//! HTTP client that ignores the run's interruption, typed answers that fail on a field that an
//! older GitHub Enterprise omits, and retries that ignore the `Retry-After` of the secondary rate
//! limit (docs/dependencies.md). The tests compare every request with GitHub's own description
//! of its API.

mod contract;
mod error;
mod github;
mod github_lifecycle;
mod github_text;
mod lifecycle;
mod page;
mod request;
mod transport;

pub use contract::{
    Annotation, CheckRun, CiJob, Forge, Issue, Level, OwnedRepository, PullRequestSpec,
};
pub use error::{ForgeError, ForgeFault};
pub use github::{GitHub, GitHubConfig};
pub use lifecycle::{
    BranchState, ChangedFile, CheckConclusion, Closing, CommitCheck, ForgeCommit, Lifecycle,
    Posted, PullRequest, ReviewSpec, StickyText, Suggestion,
};
