//! Masks secrets, so that none leaves the machine or is written to a file.

mod known;
mod known_forms;
mod mask_commands;
mod masked;
mod masker;
mod rule;
mod rules;
mod vendors;
mod visible;

pub use mask_commands::MaskCommands;
pub use masked::{Masked, mask_texts};
pub use masker::{MASK, Masker, mask, secrets_in};

#[cfg(test)]
mod known_tests;
#[cfg(test)]
mod tests;
