//! The built program against software others wrote: a mock of the model APIs, the vendors' SDKs, schema engines, GitHub's
//! own description of its API, and those of Gitea and Bitbucket.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests look at files, processes and time themselves, and fail where they are wrong"
)]

mod action;
mod book;
mod direct;
mod edits;
mod faults;
mod findings;
#[path = "../forge/rig.rs"]
#[expect(dead_code, reason = "the integration tests use the rest")]
mod forge_rig;
mod forges;
mod github;
mod github_lifecycle;
mod judges;
mod linters;
mod llama;
mod mcp;
mod mock;
mod packages;
mod page;
mod project;
mod refusals;
mod replies;
mod rounds;
mod spans;
mod story;
mod workflows;
