//! Finds tests that a change makes check less: pure, on the whole texts before and after.
//!
//! The flow: [`judge()`] cuts both sides of every file into tokens, `test_items` finds the tests, and `tests_compared` and
//! `test_diff` compare them. What a change adds to one file and removes from another nets out. New tests, new assertions and
//! renamed helpers pass.

mod finding;
mod inline_tests;
mod judge;
mod test_diff;
mod test_items;
mod tests_compared;

pub use finding::Weakening;
pub use inline_tests::inline_tests;
pub use judge::has_tests;
pub use judge::judge;

#[cfg(test)]
mod tests;
