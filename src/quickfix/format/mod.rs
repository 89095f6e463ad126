//! The source for formatters that were only to check: what they would write, without letting them write it.

mod filter;
mod lines;
mod rustfmt;
mod tell;

pub(super) use tell::look;
