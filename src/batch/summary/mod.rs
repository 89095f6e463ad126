//! What a batch says at its end, to people and to programs: JSON, Markdown, JUnit XML and one HTML page.

mod html;
mod junit;
mod markdown;
mod merge;
mod sum;

pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use merge::{MergeError, merged};
pub use sum::{Summary, Totals};

#[cfg(test)]
mod tests;
