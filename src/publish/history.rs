//! The earlier attempts at a failure, read from its branch and its pull requests.

use super::branch_reader::BranchReader;
use super::error::PublishError;
use super::marker::Marker;
use super::withdrawal::read_own_marker;
use papayu_base::domain::Fingerprint;
use papayu_base::domain::fingerprint::BRANCH_PREFIX;
use papayu_forge::git::{Git, Oid, Remote, Tip};
use papayu_forge::{Forge, PullRequest};

/// The earlier attempts at one failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The tip of the failure's branch, if there is one.
    pub tip: Option<Tip>,
    /// Every pull request from that branch, newest first.
    pub pulls: Vec<PullRequest>,
    /// Set when only the local branch was read: it alone is a complete attempt then.
    pub is_local: bool,
    /// True when the branch has work of other people.
    pub is_taken: bool,
    /// The commit of the target that the branch is on, if a pull request shows it.
    pub base: Option<Oid>,
}

/// The user's limits of further attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptLimits {
    /// Opens a pull request again that a person closed.
    pub reopen: bool,
    /// Most attempts at one failure across runs; 0 is no limit.
    pub max_attempts: u32,
    /// Most open pull requests of this program in a repository; 0 is no limit.
    pub max_open: u32,
}

impl History {
    /// Fails if another pull request would be one too many.
    ///
    /// # Errors
    ///
    /// `TooManyOpen`, and `Forge` if the open ones cannot be listed.
    pub(super) fn check_room(
        &self,
        forge: &dyn Forge,
        limits: AttemptLimits,
    ) -> Result<(), PublishError> {
        if limits.max_open == 0 || self.open_pull_request().is_some() {
            return Ok(());
        }
        let open = forge.open_pull_requests(BRANCH_PREFIX)?.len();
        let is_full = u32::try_from(open).unwrap_or(u32::MAX) >= limits.max_open;
        if is_full { Err(PublishError::TooManyOpen { open }) } else { Ok(()) }
    }

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
        let history = Self { tip, pulls, ..Self::default() };
        let (is_taken, base) = match history.find_origin() {
            TipOrigin::Ours(base) => (false, base),
            TipOrigin::Others => (true, None),
            TipOrigin::Changed(tip, pull, marker) => {
                let reader = BranchReader::new(git, remote);
                let base = reader.find_base(pull, tip.as_str(), &marker)?;
                (base.is_none(), base)
            }
        };
        Ok(Self { is_taken, base, ..history })
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
        let is_taken = tip.as_ref().is_some_and(|tip: &Tip| !tip.trailers.is_ours());
        Self { tip, is_local: true, is_taken, ..Self::default() }
    }

    /// Returns the origin of the branch's commit, as far as its trailers and the text of its pull request show it.
    fn find_origin(&self) -> TipOrigin<'_> {
        let Some(tip) = &self.tip else { return TipOrigin::Ours(None) };
        let pull = self.open_pull_request().or(self.pulls.first());
        let marked = pull.and_then(|pull| Some((pull, read_own_marker(pull)?)));
        let Some((pull, marker)) = marked.filter(|(_, marker)| !marker.commit.is_empty()) else {
            let is_ours = tip.trailers.is_ours();
            return if is_ours { TipOrigin::Ours(None) } else { TipOrigin::Others };
        };
        if marker.commit == tip.commit.as_str() {
            return TipOrigin::Ours(Oid::parse(&marker.base));
        }
        // A run that was interrupted after its push has not written its name into the text.
        if tip.trailers.run.as_ref().is_some_and(|run| !marker.runs.contains(run)) {
            return TipOrigin::Ours(None);
        }
        TipOrigin::Changed(&tip.commit, pull, marker)
    }

    /// Returns the open pull request. `None` if all are closed.
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
        // A run that continues may have pushed before it was interrupted.
        if self.is_taken && !self.is_from_run(run) {
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

/// The origin of the commit that a branch is at.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TipOrigin<'a> {
    /// One of our runs made it, on this commit if that is known.
    Ours(Option<Oid>),
    /// A person made it.
    Others,
    /// The commit that the pull request names was replaced or merged: by the forge, or by a person.
    Changed(&'a Oid, &'a PullRequest, Marker),
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
    use papayu_base::domain::ErrorCode;
    use papayu_forge::git::{Oid, Trailers};

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
            target: String::new(),
            is_withdrawn: false,
        }
    }

    fn marked_pull(number: u64, is_open: bool, marker: &Marker) -> PullRequest {
        PullRequest {
            number,
            is_open,
            body: marker.to_line(),
            base: "main".to_owned(),
            head: fingerprint().branch(),
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
        let history = History { tip: Some(tip(attempt)), pulls, ..History::default() };
        let is_taken = history.find_origin() == TipOrigin::Others;
        History { is_taken, ..history }
    }

    fn limits(max_attempts: u32, reopen: bool) -> AttemptLimits {
        AttemptLimits { reopen, max_attempts, max_open: 0 }
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

    #[test]
    fn a_commit_that_replaces_ours_is_compared_and_one_of_an_interrupted_run_is_ours() {
        let base = Oid::parse(&"c".repeat(40)).unwrap();
        let origin = |commit: &str, runs: &[&str]| {
            let runs = runs.iter().map(ToString::to_string).collect();
            let (commit, base) = (commit.repeat(40), base.to_string());
            let marker = Marker { runs, commit, base, ..marker(1) };
            let history = history(Some(1), vec![marked_pull(1, true, &marker)]);
            match history.find_origin() {
                TipOrigin::Ours(base) => ("ours", base),
                TipOrigin::Others => ("others", None),
                TipOrigin::Changed(..) => ("changed", None),
            }
        };
        assert_eq!(origin("a", &["r1"]), ("ours", Some(base.clone())));
        assert_eq!(origin("d", &["r0"]), ("ours", None));
        // A person amended it, or the forge moved it to a newer base.
        assert_eq!(origin("d", &["r1"]), ("changed", None));
        assert_eq!(origin("", &["r1"]), ("ours", None));
    }
}
