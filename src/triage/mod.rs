//! Tells failures of the code from those of runner, network, secrets, lockfiles and luck.
//!
//! [`SignalCollector`] hears the lines of a log as they stream by and keeps a bounded number of those that fit a
//! rule; [`classify()`] weighs them against what the parsers found. Wrong answers cost, so a failed test or
//! a compiler's error is the code's, whatever the log says beside it, and `unknown` is a good answer.

mod classify;
mod rules;
mod signals;

pub use classify::{Ending, classify};
pub use signals::{SignalCollector, Signals};

/// Makes what the lines of every log are held against, if that has not been done yet: it takes milliseconds.
pub fn prepare() {
    SignalCollector::default().line("error", false);
}

#[cfg(test)]
mod tests;
