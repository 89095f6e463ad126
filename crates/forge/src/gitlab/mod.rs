//! GitLab, also on an own server.

mod client;
mod lifecycle;
mod values;

pub use client::GitLab;
