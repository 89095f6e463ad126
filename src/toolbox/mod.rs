//! The tools of one repository, kept ready: settings, index and rules for a sequence of calls.

mod calls;
mod failure_context;
mod what_changed;

pub(crate) use calls::{ToolCall, answer_calls};

use crate::tools::{self, ToolEntry};

/// `failure_context`, which chooses context as `fix` does.
const FAILURE_CONTEXT: ToolEntry = ToolEntry::of::<failure_context::FailureContext>();

/// `what_changed`, which compares with a commit on which the command passed.
const WHAT_CHANGED: ToolEntry = ToolEntry::of::<what_changed::WhatChanged>();

/// Returns the seven tools of the default profile.
pub(crate) fn default_tools() -> Vec<&'static ToolEntry> {
    [&FAILURE_CONTEXT, &WHAT_CHANGED].into_iter().chain(tools::COMPOSED).collect()
}

/// Returns every tool: the 18 single ones first.
pub(crate) fn all_tools() -> Vec<&'static ToolEntry> {
    tools::SINGLE.iter().chain(default_tools()).collect()
}
