//! Statistics over many runs: metrics over traces, the graduation check, weekly figures.
//!
//! Pure functions from traces and outcomes to numbers and pages. Traces count exchanges with models
//! only; fixes without a model are in the outcomes (protocol section 9).

pub mod diff;
mod graduation;
mod metrics;
mod proposals;
pub mod render;
mod sum;
mod week;

pub use graduation::{Criterion, Graduation};
pub use metrics::{Metrics, Percentiles, RecordedRun};
pub use proposals::ReportProposal;
pub use sum::Report;
pub use week::Week;

#[cfg(test)]
mod tests;
