//! The source for Rust: what rustc and clippy suggest in cargo's JSON messages, landed by rustfix.

mod choose;
mod command;
mod land;
mod message;
mod probe;

pub(super) use probe::{Interrupted, Probe, look};
