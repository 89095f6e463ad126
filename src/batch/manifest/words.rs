//! What a manifest says once it is read.

use std::path::Path;
use std::sync::Arc;

use crate::domain::Sha256;

/// How a manifest is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `.toml`
    Toml,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.json`
    Json,
    /// Anything else: one path or address a line.
    Lines,
}

/// Where a task's repository is; its text is in memory once, with [`Task::repo`] and [`Task::key`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder, worked on in place.
    Folder(Arc<str>),
    /// An address that git clones from.
    Address(Arc<str>),
    /// Every repository of an owner on the forge whose name fits a pattern.
    Owner(Box<Pattern>),
}

/// Repositories of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The organisation or user.
    pub owner: String,
    /// A glob on the repository's name.
    pub names: String,
}

/// What one task may spend; `None` is what the settings say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// US dollars.
    pub max_cost: Option<f64>,
    /// Tokens.
    pub max_tokens: Option<u64>,
    /// Requests to providers.
    pub max_requests: Option<u64>,
    /// Seconds of the whole run.
    pub timeout_sec: Option<u64>,
    /// Seconds of one call of the command.
    pub verify_timeout_sec: Option<u64>,
}

/// One repository and what is to be done in it, the shared defaults laid under. A batch has many.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The line it stands on.
    pub line: usize,
    /// The name that the user gave it.
    pub name: Option<Arc<str>>,
    /// What tells it from every other task of the manifest.
    pub key: Arc<str>,
    /// The repository as written.
    pub repo: Arc<str>,
    /// The same, read.
    pub source: Source,
    /// What is wanted.
    pub wish: Arc<Wish>,
}

/// What is wanted of a task; tasks that say nothing of their own share one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// The branch to work from and to offer the fix to; `None` is the one checked out, or the remote's own.
    pub branch: Option<String>,
    /// What is wanted, in words.
    pub goal: Option<String>,
    /// A log that shows the failure; `{name}` stands for the task's name.
    pub log: Option<String>,
    /// The command that shows the failure and proves the fix.
    pub run: Option<String>,
    /// What is handed over.
    pub emit: Option<Vec<String>>,
    /// Who answers.
    pub provider: Option<String>,
    /// Which model.
    pub model: Option<String>,
    /// Labels of the pull request.
    pub labels: Option<Vec<String>>,
    /// What it may spend.
    pub limits: Limits,
}

/// A manifest, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// In the order of the file.
    pub tasks: Vec<Task>,
    /// Of the file's bytes: what tells a batch from another one.
    pub digest: Sha256,
}

impl Form {
    /// Returns the form that a file's name promises.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Self::Toml,
            "yaml" | "yml" => Self::Yaml,
            "json" => Self::Json,
            _ => Self::Lines,
        }
    }
}
