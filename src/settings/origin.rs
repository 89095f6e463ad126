//! A value and where it came from.

use std::fmt;
use std::path::{Path, PathBuf};

/// The one who answers for the values of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOwner {
    /// The repository: anybody who can change the code can change the file.
    Repository,
    /// The user, also for the file of a repository that the user trusts.
    User,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    /// On the command line.
    Flag(&'static str),
    /// In the environment.
    Env(String),
    /// In a settings file.
    File {
        /// The file.
        path: PathBuf,
        /// 1-based line of the key.
        line: usize,
        /// The one who answers for the value.
        owner: FileOwner,
    },
    /// Nowhere: it is the default of the repository's kind of project, by its name.
    Profile(&'static str),
    /// Nowhere: it is the compiled-in default.
    Default,
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "flag {flag}"),
            Self::Env(name) => write!(f, "env {name}"),
            Self::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
            Self::Profile(kind) => write!(f, "profile ({kind})"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// One resolved setting.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// The place of the value.
    pub origin: ValueOrigin,
}

impl Setting<Option<PathBuf>> {
    /// Returns the path as this process can open it. A path in a settings file is relative to that file, a
    /// default to the repository, any other path to the current folder. `None` if the path is not set.
    pub fn resolved(&self, repo: &Path) -> Option<PathBuf> {
        self.value.as_deref().map(|path| self.origin.anchor(path, repo))
    }
}

impl Setting<Vec<String>> {
    /// Returns the paths of a list as this process can open them, each relative to the same place as in
    /// [`Setting::resolved`].
    pub fn resolved_all(&self, repo: &Path) -> Vec<PathBuf> {
        self.value.iter().map(|path| self.origin.anchor(Path::new(path), repo)).collect()
    }
}

impl ValueOrigin {
    /// Returns `path` made relative to the place this origin's paths start from.
    pub(super) fn anchor(&self, path: &Path, repo: &Path) -> PathBuf {
        match self {
            Self::Flag(_) | Self::Env(_) => path.to_owned(),
            Self::File { path: file, .. } => match file.parent() {
                Some(folder) => folder.join(path),
                None => path.to_owned(),
            },
            Self::Profile(_) | Self::Default => repo.join(path),
        }
    }
}
