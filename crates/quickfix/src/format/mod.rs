//! Formatters in a form that prints and does not write: as a source where one was only to check, and for the files of a change.

mod declared;
mod dispatch;
mod filter;
mod formatter;
mod hooks;
mod lines;
mod rustfmt;

pub(super) use dispatch::find_fixes;
pub use formatter::Formatter;
pub(super) use hooks::find_hook_fixes;
