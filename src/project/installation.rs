//! The usual installation of a project: its commands, and what shows that it is done.

use std::path::{Path, PathBuf};

use super::root::{Root, matches_pattern};
use papayu_base::domain::RepoPath;
use papayu_system::Tree;

/// The usual installation of a project of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installation {
    /// The commands, in their order.
    pub commands: Vec<String>,
    /// A file below the root that is newer than `inputs` when everything is installed; `None` if only the commands know.
    pub marker: Option<InstallMarker>,
    /// The files below the root that say what is to be installed.
    pub inputs: Vec<String>,
    /// Variables of the installation and of all later commands.
    pub variables: Vec<InstallVariable>,
    /// The caches of the package manager below the user's home, which all projects share.
    pub caches: &'static [&'static str],
}

/// The file that shows a finished installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstallMarker {
    /// Its path below the root.
    pub path: &'static str,
    /// `true` if this program writes it after the last command, because the package manager writes none at its end.
    pub is_ours: bool,
}

/// A variable that makes tools use what is installed in the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallVariable {
    /// A folder below the root becomes the first one of `PATH`.
    FirstInPath(&'static str),
    /// The path of a folder below the root.
    Folder(&'static str, &'static str),
    /// A word.
    Word(&'static str, &'static str),
}

impl InstallMarker {
    /// Returns a file that the package manager writes at the end.
    pub(super) const fn of_tool(path: &'static str) -> Self {
        Self { path, is_ours: false }
    }

    /// Returns a file that this program writes at the end.
    pub(super) const fn of_program(path: &'static str) -> Self {
        Self { path, is_ours: true }
    }
}

impl InstallVariable {
    /// Returns the variable's name and its value for a project at `root`. `path` is the present value of `PATH`.
    pub fn resolve(self, root: &Path, path: &str) -> (String, String) {
        let below = |folder: &str| root.join(folder).display().to_string();
        match self {
            Self::FirstInPath(folder) => ("PATH".to_owned(), format!("{}:{path}", below(folder))),
            Self::Folder(name, folder) => (name.to_owned(), below(folder)),
            Self::Word(name, word) => (name.to_owned(), word.to_owned()),
        }
    }
}

impl Installation {
    /// Returns the installation by one command.
    pub(super) fn by_command(command: &str, caches: &'static [&'static str]) -> Self {
        Self { commands: vec![command.to_owned()], caches, ..Self::default() }
    }

    /// Returns `true` if the marker shows that everything is installed: it is not older than any input.
    pub fn is_current(&self, tree: &dyn Tree) -> bool {
        let written = |path: &str| {
            let path = RepoPath::parse(path).ok()?;
            tree.stamp(&path).ok().map(|stamp| stamp.modified)
        };
        let Some(done) = self.marker.and_then(|marker| written(marker.path)) else { return false };
        self.inputs.iter().all(|input| written(input).is_some_and(|time| time <= done))
    }

    /// Returns the caches as absolute paths.
    pub fn caches_in(&self, home: &Path) -> Vec<PathBuf> {
        self.caches.iter().map(|cache| home.join(cache)).collect()
    }
}

/// Returns the lock files at the root, or the manifests where there is none.
pub(super) fn list_inputs(root: &Root<'_>, locks: &[&str], manifests: &[&str]) -> Vec<String> {
    let found = |patterns: &[&str]| -> Vec<String> {
        let is_one = |name: &&str| patterns.iter().any(|pattern| matches_pattern(pattern, name));
        root.names().filter(is_one).map(str::to_owned).collect()
    };
    let locked = found(locks);
    if locked.is_empty() { found(manifests) } else { locked }
}
