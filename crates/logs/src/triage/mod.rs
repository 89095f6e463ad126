//! Separates failures of the code from those of runner, network, secrets, lockfiles and chance.
//!
//! [`SignalCollector`] reads the lines of a log as they stream by and keeps a bounded number of those that
//! match a rule. [`classify()`] compares them with the failures that the parsers found. A wrong answer is
//! expensive, so a failed test or a compiler error always means the code, and `unknown` is a valid answer.

mod classify;
mod packages;
mod rules;
mod signals;
mod unbuilt;

pub use classify::{CommandEnd, classify};
pub use packages::{missing_package, missing_python_package};
pub use signals::{SignalCollector, Signals};
pub use unbuilt::{find_install_step, triage_unbuilt};

/// Builds the tables that every log needs, if they are not built yet: it takes milliseconds.
pub fn prepare() {
    SignalCollector::default().push_line("error", false);
}

#[cfg(test)]
mod tests;
