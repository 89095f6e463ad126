//! The source for formatters that were only to check: what they would write, without letting them write it.

mod dispatch;
mod filter;
mod lines;
mod rustfmt;

pub(super) use dispatch::find_fixes;
