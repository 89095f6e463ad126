//! The source for Go: fixes names and imports as the compiler's errors describe them.

mod dispatch;
mod import;
mod message;
mod name;
mod standard;

pub(super) use dispatch::{find_fixes, is_error};
