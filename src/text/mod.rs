//! Plain text as it comes from logs and files: encodings, lines and their endings, terminal noise, secrets.
//!
//! Pure: no file, clock or network is touched here.

pub mod ansi;
pub mod encoding;
pub mod finder;
pub mod html;
mod invisible;
pub mod line_diff;
pub mod lines;
pub mod mask;
pub mod pattern;
mod word_list;

pub use ansi::clean_line;
pub use finder::Finder;
pub use html::Html;
pub use invisible::{is_invisible, show_hidden};
pub use lines::first_chars;
pub use mask::{MASK, MaskCommands, Masked, Masker, mask, secrets_in};
pub use pattern::{Pattern, group};
pub use word_list::WordList;
