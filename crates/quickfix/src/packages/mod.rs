//! The source for dependencies that changed: names that an installed package, or a message, replaces by others.

mod dispatch;
mod installed;
mod rename;

pub(super) use dispatch::find_fixes;
pub(super) use installed::{find_node_package, read_notes};
