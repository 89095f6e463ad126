//! Errors of git, distinguished by the action that the user takes.

use std::fmt;

use papayu_base::domain::ErrorCode;

/// The kind of a failure.
/// Each leads to one error code with its own hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitFault {
    /// The git program cannot be run.
    NoGit,
    /// The folder is in no repository, or has no commit yet.
    NoRepository,
    /// A file differs from the commit that it is to be changed in.
    Dirty,
    /// Git's configuration is not what it was before the repository's code ran.
    Reconfigured,
    /// A file is stored through a filter program, which does not run here.
    Filtered,
    /// The commit, or what git stores of a file, is not the checked change.
    Mismatch,
    /// The remote wants credentials, or refuses those it got.
    Authentication,
    /// The remote refuses the branch: a rule, a hook, missing rights.
    Refused,
    /// Somebody else moved the branch meanwhile; theirs is kept.
    LeaseLost,
    /// No connection, or it was lost.
    Network,
    /// A signal.
    Interrupted,
    /// Anything else.
    Other,
}

/// Why git could not do something.
/// It is printed as `cannot DOING: SAID`, so that `doing` begins in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitError {
    /// The action that failed, in the infinitive: `push to origin`.
    pub doing: String,
    /// The kind of the failure.
    pub fault: GitFault,
    /// The first relevant line of git's message, secrets masked.
    pub message: String,
}

impl GitError {
    /// Returns an error of that sort.
    pub fn new(doing: impl Into<String>, fault: GitFault, message: impl Into<String>) -> Self {
        Self { doing: doing.into(), fault, message: message.into() }
    }

    /// Reads git's own words; its messages are those of the C locale.
    // The order matters: a refused push has several of these phrases, and the first cause is
    // the one to act on.
    pub(super) fn from_output(doing: &str, words: &str) -> Self {
        let has = |needles: &[&str]| needles.iter().any(|needle| words.contains(needle));
        let fault =
            // All of them mean that the remote branch is not at the expected commit.
            if has(&["(stale info)", "(fetch first)", "(non-fast-forward)", "cannot lock ref"]) {
                GitFault::LeaseLost
            } else if has(&[
                "Authentication failed", "could not read Username", "could not read Password",
                "returned error: 401", "Permission denied (publickey", "HTTP Basic: Access denied",
            ]) {
                GitFault::Authentication
            } else if has(&["hash mismatch"]) {
                // An object of the repository does not match its name.
                GitFault::Mismatch
            } else if has(&[
                // GitHub answers 403 for missing rights, where others ask for credentials.
                "[remote rejected]", "returned error: 403", "protected branch", "denied to",
            ]) {
                GitFault::Refused
            } else if has(&[
                // curl's messages, then those of ssh and of git's own transport.
                "Could not resolve host", "unable to access", "Failed to connect",
                "Connection refused", "Connection reset", "Connection timed out",
                "hung up unexpectedly", "RPC failed", "early EOF", "unexpected disconnect",
            ]) {
                GitFault::Network
            } else if has(&["not a git repository", "unknown revision", "Needed a single revision"])
            {
                GitFault::NoRepository
            } else {
                GitFault::Other
            };
        Self::new(doing, fault, relevant_lines(words))
    }

    /// Returns the code for `outcome.json`.
    pub fn code(&self) -> ErrorCode {
        match self.fault {
            GitFault::NoGit | GitFault::NoRepository => ErrorCode::GitRepository,
            GitFault::Dirty => ErrorCode::GitDirty,
            GitFault::Reconfigured => ErrorCode::GitReconfigured,
            GitFault::Filtered => ErrorCode::GitFiltered,
            GitFault::Mismatch => ErrorCode::GitMismatch,
            GitFault::Authentication => ErrorCode::GitAuthentication,
            GitFault::Refused => ErrorCode::GitRefused,
            GitFault::LeaseLost => ErrorCode::GitLeaseLost,
            GitFault::Network => ErrorCode::GitNetwork,
            GitFault::Interrupted => ErrorCode::GitInterrupted,
            GitFault::Other => ErrorCode::Git,
        }
    }
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.doing, self.message)
    }
}

impl std::error::Error for GitError {}

/// Returns the lines that say what is wrong, as one; at most a few, cut to a readable length.
/// Lines with a mark of importance come first; without one, the beginning of the output is
/// shown.
fn relevant_lines(words: &str) -> String {
    // `!` begins the line of a rejected reference in the output of `git push`.
    let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_informative = |line: &&str| {
        ["fatal:", "error:", "remote:", "!"].iter().any(|start| line.starts_with(start))
    };
    let mut shown: Vec<&str> = lines.clone().filter(is_informative).take(4).collect();
    if shown.is_empty() {
        // Tabs separate the columns of git's table of references.
        shown.extend(lines.take(2));
    }
    let all = shown.join("; ").replace('\t', " ");
    if all.is_empty() { "git gave no reason".to_owned() } else { all.chars().take(400).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trouble_is_known_by_gits_words() {
        for (words, fault) in [
            ("!\ta:b\t[rejected] (stale info)\nDone", GitFault::LeaseLost),
            ("!\ta:b\t[rejected] (fetch first)", GitFault::LeaseLost),
            ("!\ta:b\t[remote rejected] (pre-receive hook declined)", GitFault::Refused),
            ("fatal: Authentication failed for 'http://h/'", GitFault::Authentication),
            (
                "fatal: could not read Username for 'http://h': terminal prompts disabled",
                GitFault::Authentication,
            ),
            (
                "fatal: unable to access 'u': The requested URL returned error: 403",
                GitFault::Refused,
            ),
            ("fatal: unable to access 'u': Failed to connect to h", GitFault::Network),
            (
                "error: RPC failed; curl 18\nfatal: the remote end hung up unexpectedly",
                GitFault::Network,
            ),
            (
                "fatal: not a git repository (or any of the parent directories)",
                GitFault::NoRepository,
            ),
            ("", GitFault::Other),
        ] {
            assert_eq!(GitError::from_output("push", words).fault, fault, "{words}");
        }
    }

    #[test]
    fn a_message_is_the_lines_that_tell() {
        let words = "Enumerating objects\nremote: no pushes on Fridays\nTo u\n!\ta:b\t[remote rejected] (x)\n";
        let error = GitError::from_output("push to `u`", words);
        assert_eq!(
            error.to_string(),
            "cannot push to `u`: remote: no pushes on Fridays; ! a:b [remote rejected] (x)"
        );
    }
}
