//! Bitbucket Cloud.

mod client;
mod lifecycle;
mod values;

pub use client::Bitbucket;
