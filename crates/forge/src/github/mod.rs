//! GitHub and GitHub Enterprise.

mod app;
mod client;
mod lifecycle;
pub(super) mod request;
mod text;

pub(super) use app::App;
pub use app::AppConfig;
pub use client::GitHub;
