//! Creates commits without the user's checkout: an index of its own, no hook, no branch moved.

use std::collections::{BTreeMap, BTreeSet};

use super::change::FileChange;
use super::error::{GitError, GitFault};
use super::oid::Oid;
use super::program::Git;
use super::repository::{CommitEntry, parse_oid};

/// The author's name where git is not configured with one, as in most CI jobs.
/// `.invalid` is reserved (RFC 2606), so that no mail reaches a stranger.
const NAME: &str = "papayu-batch";
const MAIL: &str = "papayu-batch@noreply.invalid";

/// The content and message of a commit.
/// The commit has exactly one parent.
pub struct CommitSpec<'a> {
    /// Its parent.
    pub base: &'a Oid,
    /// The files of the parent, as they were listed before the repository's code ran.
    pub entries: &'a [(String, CommitEntry)],
    /// The changed files.
    pub files: &'a [FileChange],
    /// The whole message, trailers at its end.
    pub message: &'a str,
}

/// Creates the commit and returns its object id; no ref points to it yet.
///
/// Its tree is compared with the files of the base and the change, path by path. Fails with an error
/// of kind `Mismatch` when it has anything else.
///
/// It is signed where `commit.gpgSign` is set. Trees are read, blobs are not: a partial clone
/// fetches nothing.
pub fn create_commit(git: &Git<'_>, spec: &CommitSpec<'_>) -> Result<Oid, GitError> {
    let doing = "make the commit";
    let fault = |error: std::io::Error| GitError::new(doing, GitFault::Other, error.to_string());
    // The temporary folder and all files in it are deleted at the end of the function.
    let scratch = git.system.disk.scratch().map_err(fault)?;
    let place = |name: &str| scratch.path().join(name);
    let index = place("index").to_string_lossy().into_owned();
    let index = [("GIT_INDEX_FILE".to_owned(), index)];
    // The index of the checkout stays as it is: the user may have staged changes there.
    // Starts from the tree of the base, so that only changed files are added or removed.
    git.run_local(doing, &["read-tree", spec.base.as_str()], &index)?;
    for file in spec.files {
        let path = file.path.as_str();
        match &file.after {
            Some(bytes) => {
                let blob = git.store_blob(&place("blob"), bytes)?;
                // The form is `mode,object,path`; the path needs no escaping, since it is the
                // last part.
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
    // A file and not an argument: the message may be longer than a command line.
    let message = place("message");
    // The summary of a model can quote a secret from the output of the command.
    let words = git.masker.masked(spec.message);
    git.system.disk.write(&message, words.as_bytes()).map_err(fault)?;
    let message = message.to_string_lossy();
    let mut arguments =
        vec!["commit-tree", tree.as_str(), "-p", spec.base.as_str(), "-F", &message];
    if git.signs_commits() {
        arguments.push("-S");
    }
    // Values of the user's configuration win over the default identity.
    let output = git.run_local(doing, &arguments, &git.identity_variables())?;
    let commit = parse_oid(doing, &output)?;
    check_tree(git, spec, &commit)?;
    Ok(commit)
}

// Blobs are not read again: their names are digests of the vetted bytes.
/// Compares a commit with the files and the parent that it was made of. The objects of the repository
/// are files that its code can replace, so that a tree may not have the content of its name.
fn check_tree(git: &Git<'_>, spec: &CommitSpec<'_>, commit: &Oid) -> Result<(), GitError> {
    let doing = "check the commit";
    let differs = |message: String| GitError::new(doing, GitFault::Mismatch, message);
    // The expected content of the commit: the files of the base with the change on top.
    let mut expected: BTreeMap<&str, CommitEntry> =
        spec.entries.iter().map(|(path, entry)| (path.as_str(), entry.clone())).collect();
    for file in spec.files {
        match &file.after {
            Some(bytes) => {
                // Computed here, because the answer of git is what is checked.
                let entry =
                    CommitEntry { mode: file.mode.clone(), oid: Oid::of_blob(bytes, spec.base) };
                expected.insert(file.path.as_str(), entry);
            }
            None => drop(expected.remove(file.path.as_str())),
        }
    }
    let listed = git.list_entries(commit)?;
    let listed: BTreeMap<&str, &CommitEntry> =
        listed.iter().map(|(path, entry)| (path.as_str(), entry)).collect();
    // Files of only one side are differences too.
    let paths: BTreeSet<&str> = expected.keys().chain(listed.keys()).copied().collect();
    let other = |path: &&str| expected.get(path) != listed.get(path).copied();
    // Five names are enough for a message.
    let other: Vec<String> = paths
        .into_iter()
        .filter(other)
        .take(5)
        .map(|path| format!("`{}`", path.escape_debug()))
        .collect();
    if !other.is_empty() {
        return Err(differs(format!("it differs from the checked change in {}", other.join(", "))));
    }
    // The headers end at the first empty line; a message could contain `parent` as well.
    let output = git.run_local(doing, &["cat-file", "commit", commit.as_str()], &[])?;
    let parents = output.lines().take_while(|line| !line.is_empty());
    let parents: Vec<&str> = parents.filter_map(|line| line.strip_prefix("parent ")).collect();
    if parents == [spec.base.as_str()] {
        return Ok(());
    }
    Err(differs(format!("its parent is not {}", spec.base)))
}

impl Git<'_> {
    /// Returns true when commits are signed with a key of the user.
    pub fn signs_commits(&self) -> bool {
        // `commit-tree` does not read this setting itself.
        self.config_value("commit.gpgSign").is_some_and(|value| is_true(&value))
    }

    /// Returns a text with its secrets masked, as the messages of commits are.
    pub fn masked(&self, text: &str) -> String {
        self.masker.mask(text).into_owned()
    }
}

/// Returns `true` for a value that git reads as true (git-config, Values).
fn is_true(value: &str) -> bool {
    // Numbers other than 0 are true for git too, but they are unusual for this setting.
    ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

impl Git<'_> {
    /// Returns the author and committer variables where git has no identity configured.
    /// Only what is missing is set: an identity with a name and no address gets the default
    /// address.
    pub(super) fn identity_variables(&self) -> Vec<(String, String)> {
        let mut variables = Vec::new();
        for (key, value) in [("name", NAME), ("email", MAIL)] {
            for role in ["AUTHOR", "COMMITTER"] {
                let name = format!("GIT_{role}_{}", key.to_uppercase());
                // The environment wins over the configuration in git, so that both are asked.
                if !self.has_variable(&name) && self.config_value(&format!("user.{key}")).is_none()
                {
                    variables.push((name, value.to_owned()));
                }
            }
        }
        variables
    }
}
