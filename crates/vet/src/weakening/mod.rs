//! Refuses changes that make a check pass by weakening it: pure, on the whole texts before and after.
//!
//! Three things are counted in every changed file; what a change adds to one file and removes from another
//! nets out.
//!
//! - Marks may not become more: `.skip`, `# noqa`, `|| true`.
//! - Tests may not become fewer, nor check less.
//! - Settings of test and lint tools may not become laxer.
//!
//!
//! The flow: [`judge()`] cuts both sides of every file into tokens, `test_items` finds the
//! tests, `tests_compared` and `test_diff` compare them, and `comments`, `skip_markers`,
//! `lines`, `settings` and `limits` return the marks of each side, which `measure` subtracts.
//!
//! New tests, new assertions, renamed helpers and all other settings pass.

mod comments;
mod finding;
mod inline_tests;
mod judge;
mod limits;
mod lines;
mod measure;
mod settings;
mod settings_table;
mod skip_markers;
mod test_diff;
mod test_items;
mod tests_compared;

pub use finding::Weakening;
pub use inline_tests::inline_tests;
pub use judge::judge;

#[cfg(test)]
mod tests;
