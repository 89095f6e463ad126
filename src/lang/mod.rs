//! What is known of a file by its name and its language: pure, text in, values out.
//!
//! - [`Language`] and [`Family`]: the language of a path, from one table of endings.
//! - [`is_test`], [`FileRole`]: the part a file plays by its path.

mod language;
mod test_path;

pub use language::{Family, Language};
pub use test_path::{FileRole, concerns_tests, is_declaration, is_test};
