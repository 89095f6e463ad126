//! The summary of a batch, for people and for programs: JSON, Markdown, JUnit XML and one HTML page.

mod html;
mod junit;
mod markdown;
mod merge;
mod sum;

pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use merge::{MergeError, merge_summaries};
pub use sum::{BatchEnd, BatchSummary, RecipeSummary};

#[cfg(test)]
mod tests;
