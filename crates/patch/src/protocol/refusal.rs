//! Why a reply or one of its actions is refused.

use std::fmt;

use papayu_base::domain::hunk::HunkFault;
use papayu_base::domain::{Action, ErrorCode, PathFault, RepoPath};

/// A refusal with its contract code; the reason is written for the model and for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// The code of protocol section 4.
    pub code: ErrorCode,
    /// The path concerned, control characters escaped and cut to a readable length.
    pub path: Option<String>,
    /// Position of the action in the reply, from 0.
    pub action: Option<usize>,
    /// The fault and the expected form, as the end of a sentence that begins with the path.
    pub reason: String,
    /// The hunk or edit that does not apply.
    pub hunk: Option<Box<HunkFault>>,
    /// Other faults of the same reply, so that one repair corrects them all.
    pub others: Vec<Refusal>,
}

impl Refusal {
    /// Refuses the reply as a whole.
    pub fn of_reply(code: ErrorCode, reason: impl Into<String>) -> Self {
        let others = Vec::new();
        Self { code, path: None, action: None, reason: reason.into(), hunk: None, others }
    }

    /// Refuses a change for one of its files.
    pub fn of_file(code: ErrorCode, path: &RepoPath, reason: impl Into<String>) -> Self {
        Self { path: Some(path.to_string()), ..Self::of_reply(code, reason) }
    }

    /// Refuses one action; `index` is its place in the reply, from 0. The path is escaped and cut to a readable
    /// length.
    pub fn of_action(code: ErrorCode, index: usize, path: &str, reason: impl Into<String>) -> Self {
        let path = path.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
        Self { path: Some(path), action: Some(index), ..Self::of_reply(code, reason) }
    }

    /// Refuses one action for its path; `index` is its place in the reply, from 0.
    pub fn of_path(index: usize, fault: PathFault) -> Self {
        let PathFault { code, shown, reason } = fault;
        Self { path: Some(shown), action: Some(index), ..Self::of_reply(code, reason) }
    }

    /// Refuses one decoded action; `index` is its place in the reply, from 0.
    pub(super) fn of(
        code: ErrorCode,
        index: usize,
        action: &Action,
        reason: impl Into<String>,
    ) -> Self {
        Self::of_action(code, index, &action.path, reason)
    }
}

/// Characters of a path shown; a legal path is never cut.
const MAX_SHOWN: usize = papayu_base::domain::repo_path::MAX_PATH_BYTES;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code)?;
        match &self.path {
            Some(path) => write!(f, "`{path}` {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}
