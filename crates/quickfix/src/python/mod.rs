//! The source for Python: names, attributes and imports that an interpreter or type checker did not find.

mod attribute;
mod declared;
mod dispatch;
mod import;
mod message;
mod module;
mod name;
mod standard;
mod statement;
mod successor;

pub use declared::declared_packages;
pub(super) use dispatch::{find_fixes, is_about_name};
pub(super) use successor::{find_use, write_successor};
