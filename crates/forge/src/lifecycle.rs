//! The calls that follow a pull request through its life: checks, comments, reviews and commits by the API.

use super::error::{ForgeError, ForgeFault};

/// A pull request as far as we need to know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that a forge reports")]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// The address of its web page.
    pub url: String,
    /// Its name for the GraphQL API.
    pub node_id: String,
    /// True while it is open.
    pub is_open: bool,
    /// True once it was merged.
    pub is_merged: bool,
    /// True while it is a draft.
    pub is_draft: bool,
    /// Its description, Markdown.
    pub body: String,
    /// The branch it is to go into.
    pub base: String,
    /// The commit that the base branch was at when the forge last looked; empty if unknown.
    pub base_commit: String,
    /// Its own branch.
    pub head: String,
    /// The commit of its branch; empty if unknown.
    pub head_commit: String,
    /// The repository of its branch, `OWNER/NAME`; empty once a fork was deleted.
    pub head_repository: String,
    /// The address that git fetches that repository from; empty if unknown.
    pub head_address: String,
    /// True when its author allows maintainers to push to a fork's branch; only [`Lifecycle::pull_request`] reads it.
    pub can_modify: bool,
    /// False when it conflicts with its base; `None` while the forge has not computed it, and in lists.
    pub is_mergeable: Option<bool>,
}

/// The state of one check of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckConclusion {
    /// It passed.
    Success,
    /// It failed, or did not end in time.
    Failure,
    /// It waits or runs.
    Pending,
    /// It was created and does not run before a person approves it.
    ActionRequired,
    /// Its conditions did not apply.
    Skipped,
    /// It ended without a verdict, as a cancelled one does.
    Neutral,
}

impl CheckConclusion {
    /// Returns its name in `outcome.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Pending => "pending",
            Self::ActionRequired => "action_required",
            Self::Skipped => "skipped",
            Self::Neutral => "neutral",
        }
    }
}

/// A check of a commit, by the name that its forge shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitCheck {
    /// The name of the job, the workflow or the status.
    pub name: String,
    /// Its state.
    pub conclusion: CheckConclusion,
}

/// A file that a pull request changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullFile {
    /// The file, from the repository's top, after the change.
    pub path: String,
    /// The hunks of a unified diff; `None` for a binary or very large file.
    pub patch: Option<String>,
}

/// A branch with the rules that a merge into it has to satisfy, as far as the token may read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchState {
    /// The commit that it is at.
    pub commit: String,
    /// True when rules restrict pushes to it.
    pub is_protected: bool,
    /// The names of the checks that must pass.
    pub required_checks: Vec<String>,
    /// True when every commit needs a verified signature.
    pub requires_signatures: bool,
}

/// The texts of a pull request that this program closes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullClosing {
    /// The reason, Markdown.
    pub comment: String,
    /// The new text of the pull request, Markdown.
    pub body: String,
}

/// A comment, or an issue, that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The address of its web page.
    pub url: String,
    /// True when an earlier text of ours was replaced.
    pub is_update: bool,
}

/// A text that exists once in its place: a second one with the same marker replaces the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StickyText<'a> {
    /// The first line of `body`, up to where it changes; only a text of our own account that begins with it is replaced.
    pub marker: &'a str,
    /// Markdown; begins with the marker.
    pub body: &'a str,
}

/// A replacement of lines that a person can accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The file, from the repository's top.
    pub path: String,
    /// The first replaced line of the pull request's version, 1-based.
    pub start_line: u32,
    /// The last replaced line, 1-based.
    pub end_line: u32,
    /// The lines in their place, each with its line feed; empty deletes the lines.
    pub replacement: String,
}

/// A review that suggests changes; it neither approves nor requests changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewSpec {
    /// The commit of the pull request that the lines are of.
    pub commit: String,
    /// Markdown.
    pub body: String,
    /// At least one.
    pub suggestions: Vec<Suggestion>,
}

/// A commit that the forge makes, and signs with its own key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgeCommit {
    /// The repository, `OWNER/NAME`.
    pub repository: String,
    /// An existing branch of it.
    pub branch: String,
    /// The commit that the branch must be at; an error of kind `Exists` where it is at another.
    pub parent: String,
    /// The first line of the message.
    pub headline: String,
    /// The other lines, trailers included.
    pub message: String,
    /// Files with their new bytes, from the repository's top; each keeps its mode, a new one is not executable.
    pub additions: Vec<(String, Vec<u8>)>,
    /// Files to remove.
    pub deletions: Vec<String>,
}

/// The calls of a forge after a failure or a pull request is known.
///
/// A forge that lacks one returns an error of kind [`ForgeFault::Unsupported`], which is what the default does.
pub trait Lifecycle: Sync {
    /// Returns the state of all checks of a commit, the newest of each name; empty when there are none.
    fn commit_checks(&self, commit: &str) -> Result<Vec<CommitCheck>, ForgeError> {
        let _ = commit;
        unsupported("read the checks of a commit")
    }

    /// Returns a branch with its rules; `None` if there is no such branch.
    fn branch_state(&self, branch: &str) -> Result<Option<BranchState>, ForgeError> {
        let _ = branch;
        unsupported("read the rules of a branch")
    }

    /// Returns whether auto-merge waits for every check of a pull request and is refused without one, so that no rule of
    /// the branch has to require one.
    fn waits_for_every_check(&self) -> bool {
        false
    }

    /// Returns one pull request with every field of [`PullRequest`].
    fn pull_request(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let _ = number;
        unsupported("read a pull request")
    }

    /// Returns the files that a pull request changes.
    fn changed_files(&self, number: u64) -> Result<Vec<PullFile>, ForgeError> {
        let _ = number;
        unsupported("list the files of a pull request")
    }

    /// Returns the open pull requests from branches of this repository itself whose names begin with `prefix`; those
    /// of forks, whose branches anyone may name, are left out.
    fn open_pull_requests(&self, prefix: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let _ = prefix;
        unsupported("list the open pull requests")
    }

    /// Returns the address of an open issue or pull request with this label, in `repository` or else in this one; `None` if
    /// there is none.
    fn open_labelled(
        &self,
        label: &str,
        repository: Option<&str>,
    ) -> Result<Option<String>, ForgeError> {
        let _ = (label, repository);
        unsupported("look for a label")
    }

    /// Has the forge add the newest commits of its base to the branch of a pull request, by a merge or a rebase; the forge may
    /// do so after its answer. No code of the repository runs. An error of kind `Invalid` where they conflict, or where the
    /// branch is no longer at `head_commit` and the forge compares it.
    fn update_branch(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let _ = pull;
        unsupported("bring the branch up to date")
    }

    /// Closes a pull request after a comment with the reason, and replaces its text.
    fn close(&self, number: u64, closing: &PullClosing) -> Result<(), ForgeError> {
        let _ = (number, closing);
        unsupported("close a pull request")
    }

    /// Writes a comment at a pull request or issue, or replaces the one that our account wrote with this marker.
    fn comment(&self, number: u64, text: StickyText<'_>) -> Result<Posted, ForgeError> {
        let _ = (number, text);
        unsupported("write a comment")
    }

    /// Returns why no person could accept a suggestion with one click on this forge; `None` where one can.
    fn lacks_suggestions(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether a suggestion may be at any line of a changed file, not only at those of the hunks.
    fn suggests_at_any_line(&self) -> bool {
        false
    }

    /// Leaves a review with suggestions and returns its address.
    fn suggest(&self, number: u64, review: &ReviewSpec) -> Result<String, ForgeError> {
        let _ = (number, review);
        unsupported("suggest a change")
    }

    /// Makes a commit on a branch through the API and returns its identifier.
    fn commit_on_branch(&self, commit: &ForgeCommit) -> Result<String, ForgeError> {
        let _ = commit;
        unsupported("make a commit through the API")
    }

    /// Opens an issue, or replaces the text of the open one that our account wrote with this marker.
    fn report_issue(&self, title: &str, text: StickyText<'_>) -> Result<Posted, ForgeError> {
        let _ = (title, text);
        unsupported("open an issue")
    }
}

/// Returns the error of a call that the forge does not have.
fn unsupported<T>(doing: &str) -> Result<T, ForgeError> {
    Err(ForgeError::new(doing, ForgeFault::Unsupported, "this forge has no such call"))
}
