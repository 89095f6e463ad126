//! The source for Go: names and imports that the compiler's errors say how to mend.

mod dispatch;
mod import;
mod name;
mod standard;

pub(super) use dispatch::{find_fixes, is_error};
