//! Gitea and Forgejo.

mod client;
mod lifecycle;
mod values;

pub use client::Gitea;
