//! A repository with the limits of its package managers, and the update of a package.

use std::time::Duration;

use papayu_base::domain::RepoPath;
use papayu_system::{CommandNetwork, System, Tree};

/// Longest file that is copied or read back, in bytes: that of the gates.
pub(super) const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

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
    pub(super) system: System<'a>,
    /// The repository.
    pub(super) tree: &'a dyn Tree,
    /// The limits.
    pub(super) config: &'a BumpConfig,
    /// The changes of the update so far.
    done: &'a [UpdatedText],
}

impl<'a> BumpTools<'a> {
    /// Returns the tools for an update of a repository.
    pub fn new(system: System<'a>, tree: &'a dyn Tree, config: &'a BumpConfig) -> Self {
        Self { system, tree, config, done: &[] }
    }

    /// Returns the tools for the next file, after these changes.
    pub(super) fn after<'b>(self, done: &'b [UpdatedText]) -> BumpTools<'b>
    where
        'a: 'b,
    {
        BumpTools { system: self.system, tree: self.tree, config: self.config, done }
    }

    /// Returns the text of a file with the changes so far; `None` for one that cannot be read, and for a link out of
    /// the repository.
    pub(super) fn read_text(self, path: &RepoPath) -> Option<String> {
        let changed = self.done.iter().find(|it| it.path == *path);
        changed.map(|it| it.after.clone()).or_else(|| read_text(self.tree, path))
    }
}

/// A file with its new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatedText {
    /// The file.
    pub path: RepoPath,
    /// The text in the repository; `None` for a new file.
    pub before: Option<String>,
    /// The new text.
    pub after: String,
}

/// An update of every file that had an affected version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bump {
    /// The files that change, at least one.
    pub files: Vec<UpdatedText>,
    /// The file that is updated first: that of the scanner, else the nearest to the root.
    pub first: BumpedFile,
    /// The other files with an affected version.
    pub others: Vec<BumpedFile>,
}

/// The new version of the package in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BumpedFile {
    /// The lock file, or the manifest of a project without one.
    pub file: RepoPath,
    /// The lowest affected version before.
    pub from: String,
    /// The version after.
    pub to: String,
    /// The command that made the update, or the edit in words.
    pub by: String,
}

impl Bump {
    /// Returns every file with its new version.
    pub fn updated(&self) -> impl Iterator<Item = &BumpedFile> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Returns the names of these files, for messages.
    pub(super) fn file_names(&self) -> String {
        let names: Vec<String> = self.updated().map(|it| format!("`{}`", it.file)).collect();
        names.join(", ")
    }
}

/// Returns the text of a file of a repository. `None` if it cannot be read, is too long, or is not UTF-8.
pub(super) fn read_text(tree: &dyn Tree, path: &RepoPath) -> Option<String> {
    String::from_utf8(tree.read(path, MAX_FILE_BYTES).ok()?).ok()
}
