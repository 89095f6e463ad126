//! The tracked files and the checked out commit of the repository of a run.

use super::run_context::RunContext;
use crate::engine::GitState;
use papayu_base::domain::RepoPath;
use papayu_forge::git::HeadPlace;
use papayu_system::Disk;

/// The git side of a repository, listed before any code of the repository runs.
pub(super) struct Tracked<'a> {
    disk: &'a dyn Disk,
    files: Vec<RepoPath>,
    head: HeadPlace,
}

impl<'a> Tracked<'a> {
    /// Lists the files; `None` outside of a git repository and without git.
    pub(super) fn list(context: RunContext<'a>) -> Option<Self> {
        let git = context.open_git().ok()?;
        let files = git.list_tracked().ok()?;
        Some(Self { disk: context.runtime.system().disk, files, head: git.place().head()?.clone() })
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
