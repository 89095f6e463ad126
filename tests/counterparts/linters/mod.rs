//! The linters' sources against the real linters: what is proposed is what the tool itself writes.

mod biome;
mod eslint;
mod rig;
mod ruff;
mod sarif;
mod typos;
mod vet;
