//! The source for Rust: what rustc and clippy suggest in cargo's JSON messages.

mod choose;
mod command;
mod dispatch;
mod imports;
mod locate;
mod message;
mod module;

pub(super) use dispatch::find_fixes;
