//! Finds code that a change adds to satisfy a check instead of being right: pure, on the texts before and after.
//!
//! - [`find_watchers`]: code that asks who runs it, which is refused.
//! - [`find_flags`]: code that may be honest, and that a person should read before the fix counts.

mod added_text;
mod constants;
mod disguises;
mod endings;
mod evasions;
mod flag;
mod flags;
mod foreign_code;
mod functions;
mod handlers;
mod interference;
mod literals;
mod lost_types;
mod special_cases;
#[cfg(test)]
mod tests;
mod watchers;

pub use flag::Flag;
pub use flags::{FailureEvidence, find_flags};
pub use literals::read_literals;
pub use watchers::find_watchers;
