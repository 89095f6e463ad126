//! Reads linters and formatters whose findings take more than one line.

mod biome;
mod eslint;
mod format;
mod ruff;

pub(super) use biome::Biome;
pub(super) use eslint::Eslint;
pub(super) use format::Formatters;
pub(super) use ruff::Ruff;
