//! Finds code that a change adds to satisfy a check instead of being right: pure, on the texts before and after.
//!
//! [`find_suspicious()`] returns the places with their grades. Patterns are in `rules.toml`; the files here have the rules that
//! need the tree.

mod added_text;
mod constants;
mod entries;
mod find_suspicious;
mod foreign_code;
mod functions;
mod literals;
mod new_files;
mod special_cases;
mod suspicious_place;
#[cfg(test)]
mod tests;

pub use find_suspicious::{FailureEvidence, find_suspicious};
pub use literals::read_literals;
pub use suspicious_place::SuspiciousPlace;
