//! Reads node's own errors and the test runners jest, vitest, mocha and `node --test`.

mod block;
mod runner;
mod stack;

pub(super) use block::Node;
