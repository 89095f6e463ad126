//! The errors that end a run outside the table.

use std::fmt::Display;

use crate::apply::ApplyError;
use papayu_base::domain::ErrorCode;
use papayu_base::domain::outcome::OutcomeKind;

/// An environment failure outside the state machine, such as a disk error, which ends the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fatal {
    pub(super) kind: OutcomeKind,
    pub(super) code: Option<ErrorCode>,
    pub(super) reason: String,
    pub(super) hint: Option<String>,
}

impl Fatal {
    pub(super) fn new(kind: OutcomeKind, reason: impl Into<String>, hint: &str) -> Self {
        Self { kind, code: None, reason: reason.into(), hint: Some(hint.to_owned()) }
    }

    /// Returns the error of a state that the table excludes.
    pub(super) fn bug(reason: impl Display) -> Self {
        let reason = format!("internal error: {reason}");
        Self::new(OutcomeKind::NotFixed, reason, "please report it with the trace")
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is the form of `map_err`")]
    pub(super) fn apply(error: ApplyError) -> Self {
        Self { code: error.code(), ..Self::new(error.outcome(), error.to_string(), error.hint()) }
    }
}
