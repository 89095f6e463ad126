//! What many runs say together: metrics over traces, the graduation verdict, week over week.
//!
//! Pure: traces and outcomes in, numbers and pages out. Traces count exchanges with models only; what the
//! zero-token provider did is in the outcomes (protocol section 9).

pub mod diff;
mod graduation;
mod metrics;
pub mod render;
mod sum;
mod week;

pub use graduation::{Criterion, Graduation};
pub use metrics::{Metrics, Percentiles};
pub use sum::{Report, Run};
pub use week::Week;

#[cfg(test)]
mod tests;
