//! What earlier runs did about a failure, as the branch and its pull requests tell.

use super::error::PublishError;
use super::marker::Marker;
use crate::domain::Fingerprint;
use crate::forge::{Forge, PullRequest};
use crate::git::{Git, Remote, Tip};

/// What earlier runs did about one failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The failure's branch, where there is one.
    pub tip: Option<Tip>,
    /// Every pull request from it, the newest first.
    pub pulls: Vec<PullRequest>,
}

/// What is done about a pull request that a person has closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhenClosed {
    /// It stays closed.
    Leave,
    /// It is opened again.
    Reopen,
}

impl History {
    /// Asks the remote and the forge.
    pub fn read(
        git: &Git<'_>,
        remote: &Remote,
        forge: &dyn Forge,
        fingerprint: &Fingerprint,
    ) -> Result<Self, PublishError> {
        let branch = fingerprint.branch();
        let tip = remote.tip(git, &branch)?;
        let pulls = forge.pull_requests(&branch)?;
        Ok(Self { tip, pulls })
    }

    /// Reads a local branch alone.
    pub fn read_local(git: &Git<'_>, fingerprint: &Fingerprint) -> Self {
        let commit = git.branch_tip(&fingerprint.branch());
        let tip = commit.and_then(|commit| {
            Some(Tip { trailers: git.trailers(&commit), tree: git.tree(&commit).ok()?, commit })
        });
        Self { tip, pulls: Vec::new() }
    }

    /// Returns the open pull request.
    pub fn open(&self) -> Option<&PullRequest> {
        self.pulls.iter().find(|pull| pull.is_open)
    }

    /// Returns the one that a person closed, where none is open and none came after it.
    pub fn closed(&self) -> Option<&PullRequest> {
        self.pulls.first().filter(|pull| !pull.is_open && !pull.is_merged)
    }

    /// Tells whether the branch holds the work of this run already.
    pub fn is_of(&self, run: &str) -> bool {
        self.tip.as_ref().is_some_and(|tip| tip.trailers.run.as_deref() == Some(run))
    }

    /// Returns how many attempts are allowed of `max`: a run that goes on with what it has handed over
    /// itself makes no further one, so that nothing forbids it.
    pub fn allowed(&self, run: &str, max: u32) -> u32 {
        if self.is_of(run) { 0 } else { max }
    }

    /// Counts the attempts that somebody could have looked at. `offered` says whether a branch alone
    /// is an offer; where pull requests are, one that was never opened has to be made up for.
    pub fn attempts(&self, offered: bool) -> u32 {
        let pushed = self.tip.as_ref().and_then(|tip| tip.trailers.attempt).unwrap_or(0);
        let pushed =
            if offered || !self.pulls.is_empty() { pushed } else { pushed.saturating_sub(1) };
        let marked = self.pulls.iter().filter_map(|pull| Marker::read(&pull.body));
        marked.map(|marker| marker.attempts).max().unwrap_or(0).max(pushed)
    }

    /// Returns the runs that the newest marker names.
    pub fn runs(&self) -> Vec<String> {
        let markers = self.pulls.iter().filter_map(|pull| Marker::read(&pull.body));
        markers.max_by_key(|marker| marker.attempts).map(|marker| marker.runs).unwrap_or_default()
    }

    /// Returns why there is no further attempt.
    pub fn refusal(
        &self,
        fingerprint: &Fingerprint,
        max: u32,
        reopen: bool,
        offered: bool,
    ) -> Option<PublishError> {
        if self.tip.as_ref().is_some_and(|tip| !tip.trailers.is_ours()) {
            return Some(PublishError::BranchTaken(fingerprint.branch()));
        }
        if let Some(pull) = self.closed().filter(|_| self.open().is_none() && !reopen) {
            return Some(PublishError::Closed(named(pull)));
        }
        let attempts = self.attempts(offered);
        (max > 0 && attempts >= max).then(|| PublishError::Exhausted {
            fingerprint: fingerprint.to_string(),
            attempts,
            max,
        })
    }

    pub(super) fn when_closed(reopen: bool) -> WhenClosed {
        if reopen { WhenClosed::Reopen } else { WhenClosed::Leave }
    }
}

/// Returns a pull request as messages name it.
pub(super) fn named(pull: &PullRequest) -> String {
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
        let marker = Marker { fingerprint: fingerprint(), attempts, runs: Vec::new() };
        PullRequest {
            number,
            url: String::new(),
            node_id: String::new(),
            is_open,
            is_merged: false,
            is_draft: false,
            body: marker.written(),
            base: "main".to_owned(),
        }
    }

    fn tip(attempt: Option<u32>) -> Tip {
        let run = attempt.map(|_| "r1".to_owned());
        let trailers = Trailers { run, attempt, ..Trailers::default() };
        let oid = |digit: &str| Oid::parse(&digit.repeat(40)).unwrap();
        Tip { commit: oid("a"), tree: oid("b"), trailers }
    }

    #[test]
    fn the_third_attempt_is_refused_whoever_remembers_the_first_two() {
        for (history, attempts) in [
            (History { tip: Some(tip(Some(2))), pulls: vec![pull(1, true, 1)] }, 2),
            (History { tip: None, pulls: vec![pull(1, true, 2)] }, 2),
            (History { tip: Some(tip(Some(1))), pulls: vec![pull(1, true, 1)] }, 1),
            // The branch was pushed and the pull request never opened: that is made up for.
            (History { tip: Some(tip(Some(2))), pulls: Vec::new() }, 1),
            (History::default(), 0),
        ] {
            assert_eq!(history.attempts(false), attempts, "{history:?}");
            let refused = history.refusal(&fingerprint(), 2, false, false);
            assert_eq!(refused.is_some(), attempts >= 2, "{history:?}");
            assert_eq!(history.refusal(&fingerprint(), 0, false, false), None);
        }
        assert_eq!(History { tip: Some(tip(Some(2))), pulls: Vec::new() }.attempts(true), 2);
    }

    #[test]
    fn a_closed_pull_request_stays_closed_unless_a_newer_one_or_the_user_says_otherwise() {
        let refusal = |pulls: Vec<PullRequest>, reopen| {
            let history = History { tip: None, pulls };
            history.refusal(&fingerprint(), 0, reopen, false).map(|error| error.code())
        };
        let closed = Some(ErrorCode::PullRequestClosed);
        assert_eq!(refusal(vec![pull(1, false, 1)], false), closed);
        assert_eq!(refusal(vec![pull(1, false, 1)], true), None);
        assert_eq!(refusal(vec![pull(2, true, 1), pull(1, false, 1)], false), None);
        let merged = PullRequest { is_merged: true, ..pull(1, false, 1) };
        assert_eq!(refusal(vec![merged], false), None);
    }

    #[test]
    fn a_persons_commit_on_the_branch_is_never_pushed_over() {
        let history = History { tip: Some(tip(None)), pulls: vec![pull(1, true, 1)] };
        let refused = history.refusal(&fingerprint(), 0, true, false).map(|error| error.code());
        assert_eq!(refused, Some(ErrorCode::BranchTaken));
    }
}
