//! Finds the parts of a change that touch what a proof rests on: tests, what they read, and the settings
//! that say what runs. Pure, on the whole texts before and after.
//!
//! - A test, a file that tests read, and a configuration without keys may change its layout only.
//! - A configuration with keys may change where its keys name dependencies (`keys`).
//! - The tests inside a source file must be there again, token for token (`inline_items`).
//! - A new file must not be one that a runner, an interpreter or a build loads by its name.

mod allowances;
mod dependency_lines;
mod finder;
mod ignored_paths;
mod inline_items;
mod judge;
mod key_table;
mod keys;
mod layout;
mod script_items;
#[cfg(test)]
mod tests;
mod xml_keys;

pub use judge::{BasisChange, BasisFile, find_basis_changes};
