//! Rules for lines that are evidence of a class: one table per cause.

mod dependency;
mod environment;
mod flake;
mod formatting;
mod machine;
mod network;
mod table;

pub(super) use table::{RULES, SignalRule, WENT_WELL};
