//! The source for Python: names, attributes and imports that an interpreter or type checker did not find.

mod attribute;
mod import;
mod module;
mod name;
mod statement;
mod tell;

pub(super) use tell::{is_about_name, look};
