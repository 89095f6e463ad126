//! Reads node's own errors and the test runners jest, vitest, mocha, ava and `node --test`.

mod block;
mod file_findings;
mod runner;
mod stack;

pub(super) use block::NodeParser;
pub(in crate::failure) use stack::{StackFrame, parse_frame};
