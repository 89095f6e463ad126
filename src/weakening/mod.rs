//! Refuses changes that make a check pass by weakening it: pure, on the whole texts before and after.
//!
//! Three sorts of things are counted in every changed file, and what a change adds to one file and takes
//! from another nets out. *Marks* may not become more (`.skip`, `# noqa`, `|| true`), *tests* may not
//! become fewer or say less, *settings* of test and lint tools may not become laxer. A new test, a new
//! assertion, a renamed helper and any other setting pass.

mod comments;
mod inline_tests;
mod judge;
mod limits;
mod lines;
mod marks;
mod measure;
mod pairs;
mod settings;
mod settings_table;
mod syntax;
mod test_items;
mod tests_compared;
mod token;

pub use inline_tests::inline_tests;
pub use judge::{FileChange, Weakening, judge};

#[cfg(test)]
mod tests;
