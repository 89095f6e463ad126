//! The manifest: which repositories, and what is to be done in each; TOML, YAML, JSON, or one a line.
//!
//! YAML is read event by event through `saphyr-parser`, the kept successor of `yaml-rust`: its events carry
//! lines, and nothing is expanded or built before its depth is known. serde's YAML crates carry no lines
//! of keys, and the well-known one is no longer kept.

mod fields;
mod json;
mod lines;
mod node;
mod problem;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod toml;
mod words;
mod yaml;

pub use problem::{ManifestError, Problem, ProblemKind};
pub use read::read;
pub use schema::manifest_schema;
pub use words::{Form, Limits, Manifest, Pattern, Source, Task, Wish};
