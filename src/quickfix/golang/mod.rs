//! The source for Go: names and imports that the compiler's errors say how to mend.

mod import;
mod name;
mod standard;
mod tell;

pub(super) use tell::{is_error, look};
