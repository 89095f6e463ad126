//! The manual: one page for each command, made from the definition of the command line and from tables.

mod environment;
mod examples;
mod help;
mod page;

pub use environment::{FILES, VARIABLES, VariableEntry};
pub use examples::{EXAMPLES, Example};
pub use help::with_examples;
pub use page::{Page, render_pages};
