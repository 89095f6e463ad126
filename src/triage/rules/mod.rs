//! Forms of lines that speak for a class of failure: one table a sort, and how a line is held against them.

mod dependency;
mod environment;
mod flake;
mod formatting;
mod machine;
mod network;
mod table;

pub(super) use table::{RULES, SignalRule, WENT_WELL};
