//! The source for dependencies that changed: names that an installed package, or a message, replaces by others.

mod dispatch;
mod installed;
mod moved;
mod rename;
mod sources;

pub(super) use dispatch::find_fixes;
pub(super) use installed::{find_node_package, read_notes};
pub(super) use moved::{is_later_name, list_moved};
pub(super) use rename::write_replacement;
pub(super) use sources::read_beginning;
