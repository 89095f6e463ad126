//! Errors of gcc and clang: names that the compiler corrects, and standard headers that are not included.

mod dispatch;
mod headers;
mod include;
mod own;

pub(super) use dispatch::find_fixes;
