//! The source for Rust: what rustc and clippy suggest in cargo's JSON messages.

mod choose;
mod command;
mod imports;
mod locate;
mod message;
mod probe;

pub(super) use probe::look;
