//! Finds code that a change adds to satisfy a check instead of being right: pure, on the texts before and after.
//!
//! [`find_suspicious()`] returns the places with their grades. Patterns are in `rules.toml`; the files here have the rules that
//! need the tree.

mod added_text;
mod constants;
mod dropped_errors;
mod entries;
mod failure_evidence;
mod find_suspicious;
mod foreign_code;
mod functions;
mod literals;
mod lost_checks;
mod new_branches;
mod new_files;
mod only_values;
mod special_cases;
mod suspicious_place;
mod test_helpers;
#[cfg(test)]
mod tests;

pub use failure_evidence::{FailureEvidence, TestText};
pub use find_suspicious::find_suspicious;
pub use literals::read_literals;
pub use suspicious_place::SuspiciousPlace;
