//! Reads linters and formatters with findings of more than one line.

mod biome;
mod eslint;
mod format;
mod java_style;
mod ruff;

pub(super) use biome::Biome;
pub(super) use eslint::Eslint;
pub(super) use format::Formatters;
pub(super) use java_style::JavaStyle;
pub(super) use ruff::Ruff;
