//! The types of a manifest.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use papayu_base::domain::Sha256;

/// The format of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestFormat {
    /// `.toml`
    Toml,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.json`
    Json,
    /// Anything else: one path or address a line.
    Lines,
}

/// The repository of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskRepository {
    /// A folder, changed in place.
    Folder(Arc<str>),
    /// An address that git clones from.
    Address(Arc<str>),
    /// All repositories of an owner with names that match a pattern.
    Owner(Box<RepositoryPattern>),
}

/// Repositories of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryPattern {
    /// The organisation or user.
    pub owner: String,
    /// A glob on the repository's name.
    pub names: String,
}

/// The budget of one task; `None` is the value of the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TaskBudget {
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Requests to providers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests: Option<u64>,
    /// Seconds of the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_sec: Option<u64>,
    /// Seconds of one call of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_timeout_sec: Option<u64>,
}

/// A repository and its options, with the defaults applied.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestTask {
    /// The line in the manifest.
    pub line: usize,
    /// The name given by the user.
    pub name: Option<Arc<str>>,
    /// Identifies the task in the manifest.
    pub key: Arc<str>,
    /// The repository as written in the manifest.
    pub repo: Arc<str>,
    /// The parsed repository.
    pub source: TaskRepository,
    /// The options.
    pub options: Arc<TaskOptions>,
}

/// The options of a task; tasks without options of their own share one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TaskOptions {
    /// The branch to start from and to merge into; `None` is the current branch, or the remote's
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The goal in plain words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// A log of the failure; `{name}` is replaced by the task's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// A scanner's report; `{name}` is replaced by the task's name. Each finding becomes a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<String>,
    /// The only finding of that report that is meant, as `ADVISORY:PACKAGE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// The commands that install what the project needs; `auto` is the usual installation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<Vec<String>>,
    /// The command that shows the failure and proves the fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emit: Option<Vec<String>>,
    /// The provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Labels of the pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// The budget.
    #[serde(rename = "budget")]
    pub limits: TaskBudget,
}

/// A parsed manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchManifest {
    /// In the order of the file.
    pub tasks: Vec<ManifestTask>,
    /// The digest of the file's bytes, which identifies the batch.
    pub digest: Sha256,
}

impl ManifestFormat {
    /// Returns the format of a file name.
    pub fn from_path(path: &Path) -> Self {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Self::Toml,
            "yaml" | "yml" => Self::Yaml,
            "json" => Self::Json,
            _ => Self::Lines,
        }
    }
}
