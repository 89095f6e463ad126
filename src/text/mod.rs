//! Plain text as it comes from logs and files: cleaned of terminal noise, and with its secrets masked.
//!
//! Pure: no file, clock or network is touched here.

pub mod ansi;
pub mod mask;

pub use ansi::clean_line;
pub use mask::{Masker, mask};
