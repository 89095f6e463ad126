//! Masks secrets, so that none leaves the machine or is written to a file.

mod known;
mod known_forms;
mod masker;
mod rules;
mod vendors;

pub use masker::{MASK, Masker, mask};

#[cfg(test)]
mod known_tests;
#[cfg(test)]
mod tests;
