//! Reads the logs and reports of builds: failures, their class, test results and findings.

mod cue_finder;
pub mod failure;
pub mod findings;
pub mod test_results;
pub mod triage;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
