//! Masks secrets, so that none leaves the machine or is written to a file.

mod address;
mod armour;
mod assigned;
mod assignment;
mod calls;
mod chance;
mod command;
mod cues;
mod decode;
mod forms;
mod generated;
mod joined;
mod judge;
mod known;
mod known_forms;
mod labels;
mod mask_commands;
mod masked;
mod masker;
mod names;
mod pairs;
mod repeated;
mod rule;
mod surroundings;
mod table;
mod tokens;
mod value;
mod vendors;
mod view;
mod visible;
mod wording;

pub use mask_commands::MaskCommands;
pub use masked::{Masked, mask_texts};
pub use masker::{MASK, Masker, mask, secrets_in};

#[cfg(test)]
mod forms_tests;
#[cfg(test)]
mod known_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod told_tests;
