//! The source for Java: symbols and packages that javac did not find.

mod dispatch;
mod import;
mod standard;

pub(super) use dispatch::find_fixes;
