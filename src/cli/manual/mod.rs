//! The manual: one page for each command, made from the definition of the command line and from tables.

mod environment;
mod examples;
mod files;
mod page;

pub use environment::{VARIABLES, Variable};
pub use examples::{EXAMPLES, Example};
pub use files::{FILES, UsedFile};
pub use page::{Page, render_pages};
