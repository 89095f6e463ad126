//! A repository with the limits of its package managers, and the update of a package.

use std::time::Duration;

use crate::domain::RepoPath;
use crate::system::{CommandNetwork, System, Tree};

/// The limits of the package managers' commands.
#[derive(Clone, Debug)]
pub struct BumpConfig {
    /// Longest time for one command.
    pub timeout: Duration,
    /// Most bytes of its output.
    pub max_output: u64,
    /// Names of variables that it keeps although they look like secrets.
    pub keep_env: Vec<String>,
    /// Its network.
    pub network: CommandNetwork,
}

/// A repository and the limits.
#[derive(Clone, Copy)]
pub struct BumpTools<'a> {
    /// The outside.
    pub system: System<'a>,
    /// The repository.
    pub tree: &'a dyn Tree,
    /// The limits.
    pub config: &'a BumpConfig,
}

/// A file with its new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedText {
    /// The file.
    pub path: RepoPath,
    /// The text in the repository; `None` for a new file.
    pub before: Option<String>,
    /// The new text.
    pub after: String,
}

/// An update that leads to a version without the weakness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bump {
    /// The files that change, at least one.
    pub files: Vec<ChangedText>,
    /// The lock file, or the manifest of a project without one.
    pub file: RepoPath,
    /// The lowest affected version before.
    pub from: String,
    /// The version after.
    pub to: String,
    /// The command that made the update, or the edit in words.
    pub by: String,
}
