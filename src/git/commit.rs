//! Creates commits without the user's checkout: an index of its own, no hook, no branch moved.

use super::change::FileChange;
use super::error::{GitError, GitFault};
use super::program::Git;
use super::repository::{Oid, parse_oid};

/// The author's name where git is not configured with one, as in most CI jobs.
const NAME: &str = "papayu-batch";
const MAIL: &str = "papayu-batch@noreply.invalid";

/// The content and message of a commit.
pub struct CommitSpec<'a> {
    /// Its parent.
    pub base: &'a Oid,
    /// The changed files.
    pub files: &'a [FileChange],
    /// The whole message, trailers at its end.
    pub message: &'a str,
}

/// Creates the commit and returns its object id; no ref points to it yet.
///
/// It is signed where `commit.gpgSign` is set. Trees are read, blobs are not: a partial clone
/// fetches nothing.
pub fn create_commit(git: &Git<'_>, spec: &CommitSpec<'_>) -> Result<Oid, GitError> {
    let doing = "make the commit";
    let fault = |error: std::io::Error| GitError::new(doing, GitFault::Other, error.to_string());
    let scratch = git.system.disk.scratch().map_err(fault)?;
    let place = |name: &str| scratch.path().join(name);
    let index = place("index").to_string_lossy().into_owned();
    let index = [("GIT_INDEX_FILE".to_owned(), index)];
    // The index of the checkout stays as it is: the user may have staged changes there.
    git.run_local(doing, &["read-tree", spec.base.as_str()], &index)?;
    for file in spec.files {
        let path = file.path.as_str();
        match &file.after {
            Some(bytes) => {
                let blob = git.store_blob(&place("blob"), bytes)?;
                let info = format!("{},{blob},{path}", file.mode);
                git.run_local(doing, &["update-index", "--add", "--cacheinfo", &info], &index)?;
            }
            None => {
                // Without the flag, git would keep the entry of a file that exists in the working
                // tree.
                git.run_local(doing, &["update-index", "--force-remove", "--", path], &index)?;
            }
        }
    }
    // A partial clone does not have the blobs of unchanged files.
    let tree = git.run_local(doing, &["write-tree", "--missing-ok"], &index)?;
    let tree = parse_oid(doing, &tree)?;
    let message = place("message");
    git.system.disk.write(&message, spec.message.as_bytes()).map_err(fault)?;
    let message = message.to_string_lossy();
    let mut arguments =
        vec!["commit-tree", tree.as_str(), "-p", spec.base.as_str(), "-F", &message];
    // `commit-tree` does not read this setting itself.
    if git.config_value("commit.gpgSign").is_some_and(|value| is_true(&value)) {
        arguments.push("-S");
    }
    let said = git.run_local(doing, &arguments, &git.identity_variables())?;
    parse_oid(doing, &said)
}

fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

impl Git<'_> {
    /// Returns the author and committer variables where git has no identity configured.
    fn identity_variables(&self) -> Vec<(String, String)> {
        let mut variables = Vec::new();
        for (key, value) in [("name", NAME), ("email", MAIL)] {
            for role in ["AUTHOR", "COMMITTER"] {
                let name = format!("GIT_{role}_{}", key.to_uppercase());
                if !self.has_variable(&name) && self.config_value(&format!("user.{key}")).is_none()
                {
                    variables.push((name, value.to_owned()));
                }
            }
        }
        variables
    }
}
