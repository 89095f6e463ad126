//! Bare clones without blobs that many tasks share, and their working trees.

use std::path::Path;

use super::error::GitError;
use super::program::Git;
use super::remote::Remote;

/// The ref of a mirror that stores the remote's own HEAD.
const HEAD: &str = "refs/papayu/HEAD";

impl Git<'_> {
    /// Makes the folder that git runs in a bare repository that knows the remote as `origin` and
    /// leaves contents there until they are needed.
    ///
    /// # Errors
    ///
    /// The error of `git init` or `git config`. The folder may be half made then; a second call completes it.
    /// The remote is not contacted.
    pub fn begin_mirror(&self, remote: &Remote) -> Result<(), GitError> {
        let doing = format!("begin a clone of {}", remote.address());
        self.run_local(&doing, &["init", "--quiet", "--bare", "--template=", "."], &[])?;
        for (key, value) in [
            ("remote.origin.url", remote.address()),
            // With these two, git fetches blobs on demand.
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
            ("core.bare", "true"),
        ] {
            self.run_local(&doing, &["config", key, value], &[])?;
        }
        Ok(())
    }

    /// Brings the remote's HEAD and these branches up to date, in one fetch. A branch that does not
    /// exist is no error here.
    ///
    /// # Errors
    ///
    /// The error of `git fetch` after at most ten minutes: [`Network`](super::error::GitFault::Network),
    /// `Authentication`, or `Other` if the remote has no HEAD. The refs of the last fetch remain.
    pub fn refresh_mirror(&self, remote: &Remote, branches: &[String]) -> Result<(), GitError> {
        let doing = format!("fetch {}", remote.address());
        let mut arguments: Vec<String> = [
            "fetch", "--quiet", "--no-tags",
            // A branch deleted on the remote must not be used as a base.
            "--prune", "--filter=blob:none", "--no-write-fetch-head",
        ]
        .map(str::to_owned)
        .into();
        arguments.extend(["origin".to_owned(), format!("+HEAD:{HEAD}")]);
        // A pattern may match nothing, but a deleted branch by its name would fail the whole fetch.
        let pattern = |name: &String| format!("+refs/heads/{name}*:refs/papayu/heads/{name}*");
        arguments.extend(branches.iter().map(pattern));
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.run_network(&doing, &words, &remote.credential_variables(self)).map(drop)
    }

    /// Puts a branch, or the remote's HEAD, into a folder of its own, which must not exist.
    ///
    /// # Errors
    ///
    /// The error of `git worktree add`, after at most ten minutes: the folder exists, the branch was not
    /// fetched, or contents that the mirror lacks cannot be fetched.
    pub fn add_worktree(
        &self,
        remote: &Remote,
        folder: &Path,
        branch: Option<&str>,
    ) -> Result<(), GitError> {
        let doing = format!("check out {}", remote.address());
        let name = start_ref(branch);
        let folder = folder.to_string_lossy();
        // Given twice, it also replaces the locked entry of a process that was killed while it
        // added one.
        let force = ["--force", "--force"];
        let add = ["worktree", "add", "--quiet", "--detach"];
        let arguments = [&add[..], &force, &["--", &folder, &name]].concat();
        self.run_network(&doing, &arguments, &remote.credential_variables(self)).map(drop)
    }

    /// Returns true when the mirror has the branch, or the remote's HEAD for `None`.
    pub fn knows_start(&self, branch: Option<&str>) -> bool {
        self.run_local("", &["rev-parse", "--quiet", "--verify", &start_ref(branch)], &[]).is_ok()
    }

    /// Removes the entries of working trees with deleted folders.
    ///
    /// # Errors
    ///
    /// The error of `git worktree prune`. Working trees that exist are never removed.
    pub fn prune_worktrees(&self) -> Result<(), GitError> {
        self.run_local("forget old working trees", &["worktree", "prune"], &[]).map(drop)
    }
}

/// Returns what a branch of the remote, or its HEAD, is called in a mirror.
fn start_ref(branch: Option<&str>) -> String {
    branch.map_or(HEAD.to_owned(), |name| format!("refs/papayu/heads/{name}"))
}
