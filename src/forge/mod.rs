//! Where pull requests live: one trait, GitHub behind it.
//!
//! A thin client over [`crate::system::Http`] and not octocrab: about fifteen calls are made, and with
//! octocrab they would come with 35 more crates, a second HTTP client that knows neither the run's
//! interruption nor its one door, async in every layer above, typed answers that fail on a field that an
//! older GitHub Enterprise leaves out, and retries that do not know the secondary rate limit's
//! `Retry-After`. GitHub's own description of its API holds ours to the wire instead, in the tests.

mod contract;
mod error;
mod github;
mod page;
mod request;
mod transport;

pub use contract::{
    Annotation, CheckRun, FailedJob, Forge, Issue, Level, OwnedRepository, PullRequest,
    PullRequestSpec,
};
pub use error::{ForgeError, ForgeFault};
pub use github::{GitHub, GitHubConfig};
