//! A rule: one form of line, and the class of failures that it is evidence of.

use crate::domain::FailureClass;

/// One form of line and what it speaks for. The order inside a class does not matter.
#[derive(Debug)]
pub(in crate::triage) struct SignalRule {
    pub(in crate::triage) name: &'static str,
    pub(in crate::triage) class: FailureClass,
    /// A part of every line that the pattern matches; it keeps reading fast.
    pub(super) cue: &'static str,
    pub(super) pattern: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for who reads the table"))]
    pub(in crate::triage) source: &'static str,
    /// A line of that source.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test holds it to the pattern"))]
    pub(in crate::triage) sample: &'static str,
    /// The next step for a person.
    pub(in crate::triage) next: &'static str,
    /// The tool that cancels the signal by a later success.
    pub(in crate::triage) tool: Option<&'static str>,
    /// `true` if the line is the tool's final result: it counts together with a compiler's message,
    /// never with a failed test.
    pub(in crate::triage) decisive: bool,
}

impl SignalRule {
    /// Returns what the rules of a class have in common.
    pub(super) const fn of(class: FailureClass) -> Self {
        Self {
            name: "",
            class,
            cue: "",
            pattern: "",
            source: "",
            sample: "",
            next: "",
            tool: None,
            decisive: false,
        }
    }
}
