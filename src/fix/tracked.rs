//! The tracked files and the checked out commit of the repository of a run.

use super::run_context::RunContext;
use crate::engine::GitState;
use papayu_base::domain::RepoPath;
use papayu_forge::git::HeadPlace;
use papayu_system::Disk;

/// The git side of a repository, listed before any code of the repository runs.
pub(crate) struct Tracked<'a> {
    disk: &'a dyn Disk,
    files: Vec<RepoPath>,
    /// The path of the run's folder in the repository, with a `/` at its end; empty at the top.
    prefix: String,
    head: HeadPlace,
}

impl<'a> Tracked<'a> {
    /// Lists the files; `None` outside of a git repository and without git.
    pub(super) fn list(context: RunContext<'a>) -> Option<Self> {
        let git = context.open_git().ok()?;
        let (files, prefix) = (git.list_tracked().ok()?, git.prefix().to_owned());
        let head = git.place().head()?.clone();
        Some(Self { disk: context.runtime.system().disk, files, prefix, head })
    }

    /// Returns `true` if a path from the top of the repository is, or may be, a file of the index. Only files in the folder
    /// of the run are known.
    pub(super) fn has(&self, path: &str) -> bool {
        let below = path.strip_prefix(&self.prefix);
        below.is_none_or(|below| self.files.iter().any(|file| file.as_str() == below))
    }
}

impl GitState for Tracked<'_> {
    fn tracked(&self) -> &[RepoPath] {
        &self.files
    }

    fn head(&self) -> Option<String> {
        self.head.read_head(self.disk)
    }
}
