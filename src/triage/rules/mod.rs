//! Rules for lines that are evidence of a class: one table per cause.
//!
//! To add a rule, add a row with its cue, pattern, next step, the source of the line and a sample of it. A test checks that
//! the sample matches its own row, and that lines which programs print about the same things match none.

mod dependency;
mod environment;
mod flake;
mod formatting;
mod machine;
mod network;
mod rule;
mod table;

pub(super) use rule::SignalRule;
pub(super) use table::{RULES, WENT_WELL};
