//! Queries of the repository's present state.

use super::error::{GitError, GitFault};
use super::oid::Oid;
use super::program::Git;
use super::trailer::Trailers;
use papayu_base::domain::RepoPath;

/// The object of a commit at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitEntry {
    /// `100644`, `100755`, `120000` (a link), `160000` (a submodule).
    pub mode: String,
    /// The blob.
    pub oid: Oid,
}

impl Git<'_> {
    /// Returns the files of the index in the folder that the run works in, relative to it. Names that no path of a
    /// change can have are left out.
    ///
    /// # Errors
    ///
    /// The error of `git ls-files`.
    pub fn list_tracked(&self) -> Result<Vec<RepoPath>, GitError> {
        // `-z` because names with special characters are quoted otherwise.
        let mut words = vec!["ls-files", "-z", "--cached"];
        if !self.prefix().is_empty() {
            // The run's folder may be below the top of the repository; git lists from the top.
            words.extend(["--", self.prefix()]);
        }
        let bytes = self.local_bytes("list the tracked files", &words)?;
        let text = String::from_utf8_lossy(&bytes);
        let paths = text.split('\0').filter_map(|path| path.strip_prefix(self.prefix()));
        let mut found: Vec<RepoPath> =
            paths.filter_map(|path| RepoPath::parse(path).ok()).collect();
        // An unmerged file has several entries.
        found.dedup();
        Ok(found)
    }

    /// Returns the commit that HEAD names.
    ///
    /// # Errors
    ///
    /// [`GitFault::NoRepository`] if there is no commit yet.
    pub fn head_commit(&self) -> Result<Oid, GitError> {
        let doing = "find the current commit";
        let output = self.run_local(doing, &["rev-parse", "--verify", "HEAD^{commit}"], &[])?;
        parse_oid(doing, &output)
    }

    /// Returns the branch that is checked out; `None` for a detached HEAD, and outside a repository.
    pub fn current_branch(&self) -> Option<String> {
        let output =
            self.run_local("", &["symbolic-ref", "--quiet", "--short", "HEAD"], &[]).ok()?;
        Some(output.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// Returns true when the repository lacks the history before some commits.
    ///
    /// # Errors
    ///
    /// The error of git, as outside a repository.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        let doing = "look for missing history";
        let output = self.run_local(doing, &["rev-parse", "--is-shallow-repository"], &[])?;
        Ok(output.trim() == "true")
    }

    /// Returns true when the object store has the commit.
    pub fn has_commit(&self, commit: &Oid) -> bool {
        let name = format!("{commit}^{{commit}}");
        self.run_local("", &["cat-file", "-e", &name], &[]).is_ok()
    }

    /// Returns the commit that a local branch names; `None` where there is no such branch.
    pub fn branch_tip(&self, branch: &str) -> Option<Oid> {
        let name = format!("refs/heads/{branch}^{{commit}}");
        let output = self.run_local("", &["rev-parse", "--quiet", "--verify", &name], &[]).ok()?;
        Oid::parse(output.trim())
    }

    /// Returns the commit that a branch of a remote had when it was last fetched. `None` if it was not.
    pub fn tracked_tip(&self, remote: &str, branch: &str) -> Option<Oid> {
        let name = format!("refs/remotes/{remote}/{branch}^{{commit}}");
        let output = self.run_local("", &["rev-parse", "--quiet", "--verify", &name], &[]).ok()?;
        Oid::parse(output.trim())
    }

    /// Returns the tree of a commit that is here.
    ///
    /// # Errors
    ///
    /// The error of git if the commit is not in the repository; nothing is fetched.
    pub fn tree_of(&self, commit: &Oid) -> Result<Oid, GitError> {
        let doing = "find the tree of a commit";
        let output =
            self.run_local(doing, &["rev-parse", "--verify", &format!("{commit}^{{tree}}")], &[])?;
        parse_oid(doing, &output)
    }

    /// Returns our trailers of a commit that is here.
    pub fn read_trailers(&self, commit: &Oid) -> Trailers {
        let output = self.run_local("", &["log", "-1", "--format=%B", commit.as_str()], &[]);
        output.map(|message| Trailers::parse(&message)).unwrap_or_default()
    }

    /// Returns every path of a commit with its object. Blobs are not read, so that a partial clone
    /// fetches nothing.
    ///
    /// # Errors
    ///
    /// The error of git if the commit or one of its trees is not in the repository. Lines that cannot be parsed
    /// are left out.
    pub fn list_entries(&self, commit: &Oid) -> Result<Vec<(String, CommitEntry)>, GitError> {
        let doing = "list the files of the commit";
        let arguments = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()];
        let bytes = self.local_bytes(doing, &arguments)?;
        Ok(parse_entries(&bytes))
    }

    /// Returns a blob's bytes; a partial clone fetches them.
    ///
    /// # Errors
    ///
    /// The error of git if there is no such blob, or a partial clone cannot fetch it; [`GitFault::Other`] over
    /// 256 MiB.
    pub fn read_blob(&self, oid: &Oid) -> Result<Vec<u8>, GitError> {
        let doing = "read a file of the commit";
        self.local_bytes(doing, &["cat-file", "blob", oid.as_str()])
    }

    /// Sets a local branch to a commit; fails when the branch is no longer at the expected commit.
    pub fn set_branch(
        &self,
        branch: &str,
        commit: &Oid,
        expected: Option<&Oid>,
    ) -> Result<(), GitError> {
        let doing = format!("set the branch `{branch}`");
        if self.current_branch().as_deref() == Some(branch) {
            let message = "it is checked out, and a checkout is not touched";
            return Err(GitError::new(doing, GitFault::Refused, message));
        }
        let name = format!("refs/heads/{branch}");
        let zeros = "0".repeat(commit.as_str().len());
        let old = expected.map_or(zeros.as_str(), Oid::as_str);
        let reason = "papayu-batch: a fix";
        let arguments = ["update-ref", "-m", reason, &name, commit.as_str(), old];
        self.run_local(&doing, &arguments, &[]).map(drop)
    }

    /// Returns a value of git's configuration. `None` if it is not set or empty.
    pub(super) fn config_value(&self, name: &str) -> Option<String> {
        let output = self.run_local("", &["config", "--get", name], &[]).ok()?;
        Some(output.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Returns the repository's path of a path that the run knows.
    ///
    /// Fails with [`GitFault::Other`] if the path with the prefix is too long to be a [`RepoPath`].
    pub(super) fn whole_path(&self, path: &RepoPath) -> Result<RepoPath, GitError> {
        RepoPath::parse(&format!("{}{path}", self.prefix())).map_err(|fault| {
            GitError::new("name a changed file", GitFault::Other, fault.to_string())
        })
    }
}

/// Reads the one object name that a command printed.
///
/// Fails with [`GitFault::Other`] and the text if it is no object name of 40 or 64 hexadecimal digits.
pub(super) fn parse_oid(doing: &str, output: &str) -> Result<Oid, GitError> {
    let wrong =
        || GitError::new(doing, GitFault::Other, format!("git answered `{}`", output.trim()));
    Oid::parse(output.trim()).ok_or_else(wrong)
}

/// Returns the paths and objects that `git ls-tree -r -z` printed. Lines that cannot be parsed are left out.
pub(super) fn parse_entries(output: &[u8]) -> Vec<(String, CommitEntry)> {
    let text = String::from_utf8_lossy(output);
    let entry = |line: &str| -> Option<(String, CommitEntry)> {
        let (head, path) = line.split_once('\t')?;
        let mut words = head.split(' ');
        let (mode, _, name) = (words.next()?, words.next()?, words.next()?);
        let entry = CommitEntry { mode: mode.to_owned(), oid: Oid::parse(name)? };
        Some((path.to_owned(), entry))
    };
    text.split('\0').filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_named_by_40_or_64_lower_case_hex_digits() {
        for digits in [40, 64] {
            assert!(Oid::parse(&"a1".repeat(digits / 2)).is_some(), "{digits}");
        }
        let wrong = ["", "HEAD", "A1", &"g".repeat(40), &"a".repeat(39), &"a".repeat(41)];
        assert!(wrong.iter().all(|text| Oid::parse(text).is_none()));
        let blob = Oid::of_blob(b"hello\n", &Oid::parse(&"a".repeat(40)).unwrap());
        assert_eq!(blob.as_str(), "ce013625030ba8dba906f756967f9e9ca394464a");
        let blob = Oid::of_blob(b"hello\n", &Oid::parse(&"a".repeat(64)).unwrap());
        assert_eq!(
            blob.as_str(),
            "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4"
        );
        let long = "a".repeat(39) + "\n";
        assert!(parse_oid("read it", &long).is_err());
        assert_eq!(parse_oid("read it", &("a".repeat(40) + "\n")).unwrap().as_str().len(), 40);
    }
}
