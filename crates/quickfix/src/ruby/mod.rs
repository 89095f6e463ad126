//! The source for Ruby: names, methods, constants and files that the interpreter did not find.

mod dispatch;
mod require;

pub(super) use dispatch::find_fixes;
