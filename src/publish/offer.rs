//! Hands a fix over as a branch or a pull request, so that doing it again changes nothing.

use super::Fix;
use super::error::PublishError;
use super::history::{History, WhenClosed};
use super::story::Story;
use crate::domain::{Event, EventName, EventSink};
use crate::forge::{Forge, ForgeFault, PullRequest, PullRequestSpec};
use crate::git::{self, CommitSpec, Git, GitFault, Lease, Oid, Remote};

/// Where it is done.
pub struct Desk<'a> {
    /// The repository.
    pub git: &'a Git<'a>,
    /// Where pushes go.
    pub remote: &'a Remote,
    /// Where pull requests are.
    pub forge: &'a dyn Forge,
    /// Where events go.
    pub events: &'a dyn EventSink,
}

/// How it is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The branch that the pull request is to go into; found out where it is not named.
    pub base: Option<String>,
    /// Labels it gets.
    pub labels: Vec<String>,
    /// Who is to review it; teams are written `team/NAME`.
    pub reviewers: Vec<String>,
    /// Whether a new one is a draft.
    pub draft: bool,
    /// Whether it is merged as soon as everything required has passed.
    pub auto_merge: bool,
    /// Whether one that a person closed is opened again.
    pub reopen: bool,
    /// Attempts at one failure across runs; 0 is any number.
    pub max_attempts: u32,
}

/// What stands there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The branch.
    pub branch: String,
    /// Its commit.
    pub commit: Oid,
    /// Which attempt it is.
    pub attempt: u32,
    /// The pull request, where one was asked for.
    pub pull: Option<PullRequest>,
    /// What could not be done and does no harm.
    pub notices: Vec<String>,
}

/// Sets the failure's branch in the user's own repository; nothing is pushed.
pub fn local_branch(git: &Git<'_>, fix: &Fix, offer: &Offer) -> Result<Published, PublishError> {
    let history = History::read_local(git, &fix.fingerprint);
    let max = history.allowed(fix.run_id.as_str(), offer.max_attempts);
    if let Some(refused) = history.refusal(&fix.fingerprint, max, true, true) {
        return Err(refused);
    }
    let attempt = attempt(&history, fix, true);
    let story = Story { fix, attempt, max_attempts: offer.max_attempts, runs: Vec::new() };
    let branch = fix.fingerprint.branch();
    let commit = match made(git, fix, &story, &history)? {
        Made::Before(commit) => commit,
        Made::Now(commit) => {
            git.set_branch(&branch, &commit, history.tip.as_ref().map(|tip| &tip.commit))?;
            commit
        }
    };
    Ok(Published { branch, commit, attempt, pull: None, notices: Vec::new() })
}

/// Pushes the failure's branch and opens its pull request, or brings both up to date. What a run that
/// was cut off left undone is done.
pub fn pull_request(desk: &Desk<'_>, fix: &Fix, offer: &Offer) -> Result<Published, PublishError> {
    let read = || History::read(desk.git, desk.remote, desk.forge, &fix.fingerprint);
    match offered(desk, fix, offer, &read()?) {
        Err(PublishError::Git(error)) if error.fault == GitFault::LeaseLost => {
            // A push that this run began before it was killed may have ended only now.
            let history = read()?;
            if history.is_of(fix.run_id.as_str()) {
                offered(desk, fix, offer, &history)
            } else {
                Err(error.into())
            }
        }
        done => done,
    }
}

fn offered(
    desk: &Desk<'_>,
    fix: &Fix,
    offer: &Offer,
    history: &History,
) -> Result<Published, PublishError> {
    let max = history.allowed(fix.run_id.as_str(), offer.max_attempts);
    if let Some(refused) = history.refusal(&fix.fingerprint, max, offer.reopen, false) {
        return Err(refused);
    }
    let base = base(desk, fix, offer)?;
    if let Some(surplus) = desk.remote.surplus(desk.git, &base, &fix.base)? {
        return Err(PublishError::BaseNotPushed(surplus));
    }
    let reopened = reopen(desk, history, offer)?;
    let branch = fix.fingerprint.branch();
    let attempt = attempt(history, fix, false);
    let runs = history.runs();
    let story = Story { fix, attempt, max_attempts: offer.max_attempts, runs };
    let commit = pushed(desk, fix, &story, history)?;
    let spec = PullRequestSpec {
        title: story.title(),
        body: story.body(&commit),
        head: branch.clone(),
        base,
        draft: offer.draft,
    };
    let open = reopened.as_ref().or_else(|| history.open());
    let pull = match open {
        Some(pull) => desk.forge.update(pull.number, &spec)?,
        None => opened(desk, &spec, &branch)?,
    };
    let event = Event::new(EventName::PullRequestReady).with("number", pull.number);
    desk.events.emit(event.with("url", pull.url.as_str()).with("attempt", attempt));
    let notices = dressed(desk, &pull, offer);
    Ok(Published { branch, commit, attempt, pull: Some(pull), notices })
}

/// Returns which attempt this is; going on with one is no further one.
fn attempt(history: &History, fix: &Fix, offered: bool) -> u32 {
    let again = history.is_of(fix.run_id.as_str());
    (history.attempts(again || offered) + u32::from(!again)).max(1)
}

/// A commit of the fix.
enum Made {
    /// The branch names it: this run made it before it was cut off.
    Before(Oid),
    /// Nothing names it yet.
    Now(Oid),
}

/// Makes the commit, unless the branch has it already.
fn made(
    git: &Git<'_>,
    fix: &Fix,
    story: &Story<'_>,
    history: &History,
) -> Result<Made, PublishError> {
    let message = story.message();
    let spec = CommitSpec { base: &fix.base, files: fix.files.as_slice(), message: &message };
    let commit = git::commit(git, &spec)?;
    let own = history.tip.as_ref().filter(|_| history.is_of(fix.run_id.as_str()));
    match own {
        // Asked again, a model may answer otherwise.
        Some(tip) if git.tree(&commit)? == tip.tree => Ok(Made::Before(tip.commit.clone())),
        _ => Ok(Made::Now(commit)),
    }
}

fn pushed(
    desk: &Desk<'_>,
    fix: &Fix,
    story: &Story<'_>,
    history: &History,
) -> Result<Oid, PublishError> {
    let commit = match made(desk.git, fix, story, history)? {
        Made::Before(commit) => return Ok(commit),
        Made::Now(commit) => commit,
    };
    let lease = history.tip.as_ref().map_or(Lease::Absent, |tip| Lease::At(tip.commit.clone()));
    let branch = fix.fingerprint.branch();
    git::push(desk.git, desk.remote, &branch, &commit, &lease)?;
    let event = Event::new(EventName::BranchPushed).with("branch", branch);
    desk.events.emit(event.with("commit", commit.as_str()));
    Ok(commit)
}

/// Opens what a person closed, before the branch moves: afterwards the forge would refuse.
fn reopen(
    desk: &Desk<'_>,
    history: &History,
    offer: &Offer,
) -> Result<Option<PullRequest>, PublishError> {
    let closed = history.closed().filter(|_| history.open().is_none());
    let (Some(pull), WhenClosed::Reopen) = (closed, History::when_closed(offer.reopen)) else {
        return Ok(None);
    };
    match desk.forge.reopen(pull.number) {
        Ok(pull) => Ok(Some(pull)),
        // Its branch is gone or was made anew meanwhile; such a one can only be followed by another.
        Err(error) if error.fault == ForgeFault::Invalid => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens one; where somebody was quicker, theirs is brought up to date.
fn opened(
    desk: &Desk<'_>,
    spec: &PullRequestSpec,
    branch: &str,
) -> Result<PullRequest, PublishError> {
    match desk.forge.open(spec) {
        Err(error) if error.fault == ForgeFault::Exists => {
            let known = desk.forge.pull_requests(branch)?;
            match known.into_iter().find(|pull| pull.is_open) {
                Some(pull) => Ok(desk.forge.update(pull.number, spec)?),
                None => Err(error.into()),
            }
        }
        pull => Ok(pull?),
    }
}

fn base(desk: &Desk<'_>, fix: &Fix, offer: &Offer) -> Result<String, PublishError> {
    match offer.base.clone().or_else(|| fix.base_branch.clone()) {
        Some(base) => Ok(base),
        None => Ok(desk.forge.default_branch()?),
    }
}

/// Labels, reviewers and auto-merge: the pull request stands without them, so that a failure is told
/// and harms nothing.
fn dressed(desk: &Desk<'_>, pull: &PullRequest, offer: &Offer) -> Vec<String> {
    let mut notices = Vec::new();
    let mut note = |done: Result<(), crate::forge::ForgeError>| {
        notices.extend(done.err().map(|error| error.to_string()));
    };
    if !offer.labels.is_empty() {
        note(desk.forge.label(pull.number, &offer.labels));
    }
    if !offer.reviewers.is_empty() {
        note(desk.forge.request_reviews(pull.number, &offer.reviewers));
    }
    if offer.auto_merge {
        note(desk.forge.merge_when_green(pull));
    }
    notices
}
