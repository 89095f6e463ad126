//! The manifest: which repositories, and what is to be done in each; TOML, YAML, JSON, or one a line.

mod fields;
mod problem;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod words;

pub use problem::{ManifestError, ManifestProblem, ManifestProblemKind};
pub use read::read_manifest;
pub use schema::manifest_schema;
pub use words::{
    BatchManifest, ManifestFormat, ManifestTask, RepositoryPattern, TaskBudget, TaskOptions,
    TaskRepository,
};
