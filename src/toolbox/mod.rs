//! The tools of one repository, kept ready: settings, index and rules for a sequence of calls.

mod calls;
mod failure_context;

pub(crate) use calls::{ToolCall, answer_calls};

use crate::tools::{self, ToolEntry};

/// `failure_context`, which chooses context as `fix` does.
const FAILURE_CONTEXT: ToolEntry = ToolEntry::of::<failure_context::FailureContext>();

/// Returns the six tools of the default profile.
pub(crate) fn default_tools() -> Vec<&'static ToolEntry> {
    std::iter::once(&FAILURE_CONTEXT).chain(tools::COMPOSED).collect()
}

/// Returns every tool: the 18 single ones first.
pub(crate) fn all_tools() -> Vec<&'static ToolEntry> {
    tools::SINGLE.iter().chain(default_tools()).collect()
}
