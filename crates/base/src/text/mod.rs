//! Plain text as it comes from logs and files: encodings, lines and their endings, terminal noise, secrets.
//!
//! Pure: no file, clock or network is touched here.

pub mod ansi;
pub mod bm25;
mod ci_orders;
pub mod encoding;
mod fence;
pub mod finder;
pub mod html;
mod identifiers;
mod invisible;
pub mod line_diff;
pub mod lines;
pub mod mask;
mod paths;
pub mod pattern;
mod requirement;
pub mod spelling;
mod word_list;
mod words;

pub use ansi::clean_line;
pub use ci_orders::without_ci_orders;
pub use fence::fence_text;
pub use finder::WordFinder;
pub use html::Html;
pub use identifiers::{Identifier, each_identifier};
pub use invisible::{is_invisible, show_hidden};
pub use lines::first_chars;
pub use mask::{MASK, MaskCommands, Masked, Masker, mask, mask_texts, secrets_in};
pub use paths::join_path;
pub use pattern::{Pattern, group};
pub use requirement::{NamedRequirement, read_requirement};
pub use word_list::WordList;
pub use words::{has_word, is_word_char, split_identifier};
