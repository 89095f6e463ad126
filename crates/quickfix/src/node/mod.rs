//! The source for plain JavaScript: names, members and modules that Node.js did not find.

mod dispatch;
mod import;
mod name;
mod package;

pub(super) use dispatch::find_fixes;
