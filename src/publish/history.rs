//! The earlier attempts at a failure, read from its branch and its pull requests.

use super::error::PublishError;
use super::marker::Marker;
use crate::domain::Fingerprint;
use crate::forge::{Forge, PullRequest};
use crate::git::{Git, Remote, Tip};

/// The earlier attempts at one failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The tip of the failure's branch, if there is one.
    pub tip: Option<Tip>,
    /// Every pull request from that branch, newest first.
    pub pulls: Vec<PullRequest>,
    /// Set when only the local branch was read: it alone is a complete attempt then.
    pub is_local: bool,
}

/// The user's limits of further attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptLimits {
    /// Opens a pull request again that a person closed.
    pub reopen: bool,
    /// Most attempts at one failure across runs; 0 is no limit.
    pub max_attempts: u32,
}

impl History {
    /// Returns the history on the remote and the forge.
    ///
    /// # Errors
    ///
    /// `Git` and `Forge` when these cannot be read.
    pub fn read(
        git: &Git<'_>,
        remote: &Remote,
        forge: &dyn Forge,
        fingerprint: &Fingerprint,
    ) -> Result<Self, PublishError> {
        // Hours may have passed since the token of an app was obtained.
        forge.renew_token()?;
        let branch = fingerprint.branch();
        let tip = remote.branch_tip(git, &branch)?;
        let pulls = forge.pull_requests(&branch)?;
        Ok(Self { tip, pulls, is_local: false })
    }

    /// Returns the history of the local branch alone; a branch that cannot be read counts as
    /// absent.
    pub fn read_local(git: &Git<'_>, fingerprint: &Fingerprint) -> Self {
        let commit = git.branch_tip(&fingerprint.branch());
        let tip = commit.and_then(|commit| {
            Some(Tip {
                trailers: git.read_trailers(&commit),
                tree: git.tree_of(&commit).ok()?,
                commit,
            })
        });
        Self { tip, pulls: Vec::new(), is_local: true }
    }

    /// Returns the open pull request.
    pub fn open_pull_request(&self) -> Option<&PullRequest> {
        self.pulls.iter().find(|pull| pull.is_open)
    }

    /// Returns the newest pull request if a person closed it.
    pub fn closed_pull_request(&self) -> Option<&PullRequest> {
        let closed = self.pulls.first().filter(|pull| !pull.is_open && !pull.is_merged);
        closed.filter(|_| !self.is_withdrawn())
    }

    /// Returns true when the newest pull request was closed by this program, because its failure was fixed elsewhere: the
    /// same failure is a new one then.
    fn is_withdrawn(&self) -> bool {
        let newest = self.pulls.first().filter(|pull| !pull.is_open);
        newest.and_then(|pull| Marker::read(&pull.body)).is_some_and(|marker| marker.is_withdrawn)
    }

    /// Returns true when the branch has the work of this run.
    pub fn is_from_run(&self, run: &str) -> bool {
        self.tip.as_ref().is_some_and(|tip| tip.trailers.run.as_deref() == Some(run))
    }

    /// Returns the number of attempts that a person could have looked at, that of `run` included.
    pub fn count_attempts(&self, run: &str) -> u32 {
        if self.is_withdrawn() {
            return u32::from(self.is_from_run(run));
        }
        let pushed = self.tip.as_ref().and_then(|tip| tip.trailers.attempt).unwrap_or(0);
        let is_visible = self.is_local || self.is_from_run(run) || !self.pulls.is_empty();
        // A branch whose pull request was never opened is no attempt: no person was asked to review
        // it.
        let pushed = if is_visible { pushed } else { pushed.saturating_sub(1) };
        let marked = self.pulls.iter().filter_map(|pull| Marker::read(&pull.body));
        marked.map(|marker| marker.attempts).max().unwrap_or(0).max(pushed)
    }

    /// Returns the runs that the newest marker names.
    pub fn earlier_runs(&self) -> Vec<String> {
        let markers = self.pulls.iter().filter_map(|pull| Marker::read(&pull.body));
        markers.max_by_key(|marker| marker.attempts).map(|marker| marker.runs).unwrap_or_default()
    }

    /// Returns the reason why `run` may make no further attempt; `None` when it may.
    pub fn find_refusal(
        &self,
        fingerprint: &Fingerprint,
        run: &str,
        limits: AttemptLimits,
    ) -> Option<PublishError> {
        if self.tip.as_ref().is_some_and(|tip| !tip.trailers.is_ours()) {
            return Some(PublishError::BranchTaken(fingerprint.branch()));
        }
        let is_open = self.open_pull_request().is_some();
        if let Some(pull) = self.closed_pull_request().filter(|_| !is_open && !limits.reopen) {
            return Some(PublishError::Closed(shown_name(pull)));
        }
        let (attempts, max) = (self.count_attempts(run), limits.max_attempts);
        // A run that continues its own attempt makes no further one.
        let is_exhausted = max > 0 && attempts >= max && !self.is_from_run(run);
        let fingerprint = fingerprint.to_string();
        is_exhausted.then_some(PublishError::Exhausted { fingerprint, attempts, max })
    }
}

/// Returns a pull request as messages name it.
fn shown_name(pull: &PullRequest) -> String {
    if pull.url.is_empty() {
        format!("pull request {}", pull.number)
    } else {
        format!("pull request {}", pull.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorCode;
    use crate::git::{Oid, Trailers};

    fn fingerprint() -> Fingerprint {
        Fingerprint::parse("0123456789ab").unwrap()
    }

    fn pull(number: u64, is_open: bool, attempts: u32) -> PullRequest {
        marked_pull(number, is_open, &marker(attempts))
    }

    fn marker(attempts: u32) -> Marker {
        Marker {
            fingerprint: fingerprint(),
            attempts,
            runs: Vec::new(),
            commit: String::new(),
            base: String::new(),
            is_withdrawn: false,
        }
    }

    fn marked_pull(number: u64, is_open: bool, marker: &Marker) -> PullRequest {
        PullRequest {
            number,
            is_open,
            body: marker.to_line(),
            base: "main".to_owned(),
            ..PullRequest::default()
        }
    }

    fn tip(attempt: Option<u32>) -> Tip {
        let run = attempt.map(|_| "r1".to_owned());
        let trailers = Trailers { run, attempt, ..Trailers::default() };
        let oid = |digit: &str| Oid::parse(&digit.repeat(40)).unwrap();
        Tip { commit: oid("a"), tree: oid("b"), trailers }
    }

    fn history(attempt: Option<u32>, pulls: Vec<PullRequest>) -> History {
        History { tip: Some(tip(attempt)), pulls, is_local: false }
    }

    fn limits(max_attempts: u32, reopen: bool) -> AttemptLimits {
        AttemptLimits { reopen, max_attempts }
    }

    #[test]
    fn the_third_attempt_is_refused_whoever_remembers_the_first_two() {
        for (history, attempts) in [
            (history(Some(2), vec![pull(1, true, 1)]), 2),
            (History { pulls: vec![pull(1, true, 2)], ..History::default() }, 2),
            (history(Some(1), vec![pull(1, true, 1)]), 1),
            // The branch was pushed and the pull request never opened: that is made up for.
            (history(Some(2), Vec::new()), 1),
            (History::default(), 0),
        ] {
            assert_eq!(history.count_attempts("r9"), attempts, "{history:?}");
            let refused = history.find_refusal(&fingerprint(), "r9", limits(2, false));
            assert_eq!(refused.is_some(), attempts >= 2, "{history:?}");
            assert_eq!(history.find_refusal(&fingerprint(), "r9", limits(0, false)), None);
        }
        let local = History { is_local: true, ..history(Some(2), Vec::new()) };
        assert_eq!(local.count_attempts("r9"), 2);
        assert_eq!(local.find_refusal(&fingerprint(), "r1", limits(2, false)), None);
    }

    #[test]
    fn a_closed_pull_request_stays_closed_unless_a_newer_one_or_the_user_says_otherwise() {
        let refusal = |pulls: Vec<PullRequest>, reopen| {
            let history = History { pulls, ..History::default() };
            let refused = history.find_refusal(&fingerprint(), "r9", limits(0, reopen));
            refused.map(|error| error.code())
        };
        let closed = Some(ErrorCode::PullRequestClosed);
        assert_eq!(refusal(vec![pull(1, false, 1)], false), closed);
        assert_eq!(refusal(vec![pull(1, false, 1)], true), None);
        assert_eq!(refusal(vec![pull(2, true, 1), pull(1, false, 1)], false), None);
        let merged = PullRequest { is_merged: true, ..pull(1, false, 1) };
        assert_eq!(refusal(vec![merged], false), None);
    }

    #[test]
    fn a_failure_whose_pull_request_was_withdrawn_is_a_new_one() {
        let withdrawn = Marker { is_withdrawn: true, ..marker(2) };
        let history = history(Some(2), vec![marked_pull(1, false, &withdrawn)]);
        assert_eq!(history.count_attempts("r9"), 0);
        assert_eq!(history.find_refusal(&fingerprint(), "r9", limits(2, false)), None);
        // A person who opens it again takes it over.
        let history = History { pulls: vec![marked_pull(1, true, &withdrawn)], ..history };
        assert_eq!(history.count_attempts("r9"), 2);
    }

    #[test]
    fn a_persons_commit_on_the_branch_is_never_pushed_over() {
        let history = history(None, vec![pull(1, true, 1)]);
        let refused = history.find_refusal(&fingerprint(), "r9", limits(0, true));
        let refused = refused.map(|error| error.code());
        assert_eq!(refused, Some(ErrorCode::BranchTaken));
    }
}
