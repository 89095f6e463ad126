//! The sources that are linters: they say where, what and how sure they are, in JSON.
//!
//! A linter is asked when the project has it and what failed has to do with it; its own words (`invocation`)
//! say with which options. It never writes: what it would write is landed as any other change.

pub(super) mod biome;
mod correction;
pub(super) mod eslint;
mod invocation;
mod meaning;
mod remark;
pub(super) mod ruff;
pub(super) mod sarif;
pub(super) mod typos;
mod unified;
pub(super) mod vet;
