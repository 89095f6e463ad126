//! Separates failures of the code from those of runner, network, secrets, lockfiles and chance.
//!
//! [`SignalCollector`] reads the lines of a log as they stream by and keeps a bounded number of those that
//! match a rule. [`classify()`] compares them with the failures that the parsers found. A wrong answer is
//! expensive, so a failed test or a compiler error always means the code, and `unknown` is a valid answer.

mod classify;
mod evidence;
mod packages;
mod rules;
mod signals;
mod similar;
mod unbuilt;

use papayu_base::domain::Triage;

pub use classify::{CommandEnd, classify};
pub use evidence::put_evidence_first;
pub use packages::{missing_package, missing_python_package};
pub use signals::{SignalCollector, Signals};
pub use unbuilt::{find_install_step, triage_unbuilt};

/// Returns `true` if the evidence shows that a program did not start, or found no project to work on.
pub fn has_not_started(triage: &Triage) -> bool {
    let is_row = |rule: &rules::SignalRule, name: &str| rule.not_started && rule.name == name;
    let mut names = triage.evidence.iter().map(|evidence| evidence.rule.as_str());
    names.any(|name| rules::RULES.iter().any(|rule| is_row(rule, name)))
}

/// Builds the tables that every log needs, if they are not built yet: it takes milliseconds.
pub fn prepare() {
    SignalCollector::default().push_line("error", false);
}

#[cfg(test)]
mod tests;
