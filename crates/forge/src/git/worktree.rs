//! The state of the working tree, and commits of named files of it.

use super::change::FileChange;
use super::commit::{CommitSpec, create_commit};
use super::error::{GitError, GitFault};
use super::oid::Oid;
use super::program::Git;
use papayu_base::domain::RepoPath;

/// A file that differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPath {
    /// The path from the top of the repository.
    pub path: String,
    /// The two letters of `git status --porcelain`: the index, then the working tree.
    pub state: String,
}

/// A file to commit as it is on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedFile {
    /// The path from the folder of the run.
    pub path: RepoPath,
    /// The bytes; `None` for a removed file.
    pub after: Option<Vec<u8>>,
    /// True if the file is executable.
    pub executable: bool,
}

impl Git<'_> {
    /// Returns the files that differ from the last commit, untracked files included; with a path, only
    /// those at or below it.
    ///
    /// # Errors
    ///
    /// The error of `git status` within two minutes, and of a path that is too long.
    pub fn list_changes(&self, below: Option<&RepoPath>) -> Result<Vec<ChangedPath>, GitError> {
        let doing = "read the state of the working tree";
        let whole = below.map(|path| self.whole_path(path)).transpose()?;
        let mut arguments =
            // `-z`: names as they are, not quoted; without renames each entry has one path.
            vec!["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
        arguments.extend(whole.iter().flat_map(|path| ["--", path.as_str()]));
        let output = self.run_in_tree(doing, &arguments)?;
        let row = |row: &str| {
            let (state, path) = row.split_at_checked(3)?;
            Some(ChangedPath { path: path.to_owned(), state: state.get(..2)?.to_owned() })
        };
        Ok(output.split('\0').filter_map(row).collect())
    }

    /// Returns the changes of tracked files since the last commit as a unified diff. No external diff or
    /// text conversion runs.
    ///
    /// # Errors
    ///
    /// The error of `git diff`, also if there is no commit yet.
    pub fn diff_worktree(&self, below: Option<&RepoPath>) -> Result<String, GitError> {
        let whole = below.map(|path| self.whole_path(path)).transpose()?;
        let mut arguments = vec!["diff", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD"];
        arguments.extend(whole.iter().flat_map(|path| ["--", path.as_str()]));
        self.run_in_tree("compare the working tree with the last commit", &arguments)
    }

    /// Commits these files on top of HEAD and moves the branch that is checked out. Hooks and filter
    /// programs do not run; other staged changes stay staged. Nothing is pushed.
    ///
    /// # Errors
    ///
    /// `Filtered` for a file that is stored through a filter program; `LeaseLost` if HEAD moved meanwhile.
    pub fn commit_files(&self, files: &[CommittedFile], message: &str) -> Result<Oid, GitError> {
        let base = self.head_commit()?;
        let entries = self.list_entries(&base)?;
        let mut changes = Vec::new();
        for file in files {
            let path = self.whole_path(&file.path)?;
            let known = entries.iter().find(|(known, _)| known == path.as_str());
            let before = known.map(|(_, entry)| entry.oid.clone());
            let mode = if file.executable { "100755" } else { "100644" };
            let after = match &file.after {
                Some(bytes) => Some(self.stored_bytes(&path, bytes)?),
                None => None,
            };
            changes.push(FileChange { path, mode: mode.to_owned(), before, after });
        }
        let spec = CommitSpec { base: &base, entries: &entries, files: &changes, message };
        let commit = create_commit(self, &spec)?;
        let doing = "move the branch to the new commit";
        let reason = "commit by papayu-batch";
        // With the old value git refuses the update if the branch moved since it was read.
        let arguments = ["update-ref", "-m", reason, "HEAD", commit.as_str(), base.as_str()];
        self.run_local(doing, &arguments, &[])?;
        // The index still has the old blobs of these files, which would show as staged changes.
        let mut arguments = vec!["reset", "--quiet", "--"];
        arguments.extend(changes.iter().map(|change| change.path.as_str()));
        self.run_local("update the index", &arguments, &[])?;
        Ok(commit)
    }

    /// Returns the bytes that git stores of a file, line endings converted.
    fn stored_bytes(&self, path: &RepoPath, bytes: &[u8]) -> Result<Vec<u8>, GitError> {
        let doing = "store a changed file";
        let fault =
            |error: std::io::Error| GitError::new(doing, GitFault::Other, error.to_string());
        if let Some(name) = self.filter_of(path)? {
            let message =
                format!("`{path}` is stored through the filter `{name}`; commit it with git");
            return Err(GitError::new("commit the file", GitFault::Filtered, message));
        }
        let scratch = self.system.disk.scratch().map_err(fault)?;
        let file = scratch.path().join("blob");
        self.system.disk.write(&file, bytes).map_err(fault)?;
        let oid = self.hash_unfiltered(path, &file)?;
        self.read_blob(&oid)
    }
}
