//! Delivers a fix as a branch or a pull request; delivering it again changes nothing.

use super::Fix;
use super::error::PublishError;
use super::history::{AttemptLimits, History};
use super::pull_request_body::FixDescription;
use crate::domain::outcome::ProofLevel;
use crate::domain::{Event, EventName, EventSink};
use crate::forge::{Forge, ForgeError, ForgeFault, PullRequest, PullRequestSpec};
use crate::git::{self, BranchName, CommitSpec, Git, GitFault, Lease, Oid, Remote};

/// The repository, the remote and the forge that a pull request needs.
pub struct PublishTarget<'a> {
    /// The repository.
    pub git: &'a Git<'a>,
    /// The remote that branches are pushed to.
    pub remote: &'a Remote,
    /// The forge of the pull requests.
    pub forge: &'a dyn Forge,
    /// Receives `BRANCH_PUSHED` and `PULL_REQUEST_READY`.
    pub events: &'a dyn EventSink,
}

/// The user's settings for branches and pull requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullRequestOptions {
    /// The branch to merge into; the branch of the fixed commit, else the forge's default branch,
    /// when not set.
    pub base: Option<String>,
    /// Labels to add.
    pub labels: Vec<String>,
    /// Reviewers to request; teams are written `team/NAME`.
    pub reviewers: Vec<String>,
    /// Opens new pull requests as drafts.
    pub draft: bool,
    /// Merges as soon as everything required has passed, if the proof is [`ProofLevel::Tests`].
    pub auto_merge: bool,
    /// The limits of further attempts.
    pub limits: AttemptLimits,
}

/// A published fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The branch.
    pub branch: String,
    /// The commit that the branch is at.
    pub commit: Oid,
    /// Number of the attempt at this failure, from 1.
    pub attempt: u32,
    /// The pull request, if one was asked for.
    pub pull: Option<PullRequest>,
    /// Labels, reviewers or auto-merge that the forge refused.
    pub notices: Vec<String>,
}

/// Moves the failure's branch in the user's own repository to a commit of the fix; nothing is
/// pushed.
///
/// # Errors
///
/// `BranchTaken` when the branch has commits of other people, `Exhausted` after
/// [`AttemptLimits::max_attempts`], `Git` when git fails.
pub fn publish_local_branch(
    git: &Git<'_>,
    fix: &Fix,
    options: &PullRequestOptions,
) -> Result<Published, PublishError> {
    let history = History::read_local(git, &fix.fingerprint);
    if let Some(refused) =
        history.find_refusal(&fix.fingerprint, fix.run_id.as_str(), options.limits)
    {
        return Err(refused);
    }
    let description = describe_attempt(&history, fix, options);
    let branch = fix.fingerprint.branch();
    let commit = match commit_fix(git, &description, &history)? {
        FixCommit::OnBranch(commit) => commit,
        FixCommit::New(commit) => {
            git.set_branch(&branch, &commit, history.tip.as_ref().map(|tip| &tip.commit))?;
            commit
        }
    };
    let attempt = description.attempt;
    Ok(Published { branch, commit, attempt, pull: None, notices: Vec::new() })
}

/// Pushes the failure's branch and opens its pull request, or updates both. Completes what an
/// interrupted run left undone.
///
/// # Errors
///
/// `BranchTaken`, `Closed` and `Exhausted` when earlier work forbids it, `BaseNotPushed` when the
/// pull request would contain commits of the user, `Git` and `Forge` when these fail.
pub fn publish_pull_request(
    target: &PublishTarget<'_>,
    fix: &Fix,
    options: &PullRequestOptions,
) -> Result<Published, PublishError> {
    let history = History::read(target.git, target.remote, target.forge, &fix.fingerprint)?;
    match update_pull_request(target, fix, options, &history) {
        Err(PublishError::Git(error)) if error.fault == GitFault::LeaseLost => {
            // A push that this run began before it was killed may have arrived only now.
            let history = History::read(target.git, target.remote, target.forge, &fix.fingerprint)?;
            if history.is_from_run(fix.run_id.as_str()) {
                update_pull_request(target, fix, options, &history)
            } else {
                Err(error.into())
            }
        }
        done => done,
    }
}

/// Publishes a fix on the history that was read; fails if the branch moved since.
fn update_pull_request(
    target: &PublishTarget<'_>,
    fix: &Fix,
    options: &PullRequestOptions,
    history: &History,
) -> Result<Published, PublishError> {
    if let Some(refused) =
        history.find_refusal(&fix.fingerprint, fix.run_id.as_str(), options.limits)
    {
        return Err(refused);
    }
    let base = find_base_branch(target, fix, options)?;
    // The forge would show these commits as part of the change, and merging it would publish them.
    if let Some(surplus) = target.remote.describe_unpushed(target.git, &base, &fix.base)? {
        return Err(PublishError::BaseNotPushed(surplus));
    }
    // Before the branch moves: afterwards the forge refuses to open it again.
    let reopened = reopen_closed(target, history, options)?;
    let branch = fix.fingerprint.branch();
    let description = describe_attempt(history, fix, options);
    let commit = push_fix(target, &description, history)?;
    let spec = PullRequestSpec {
        title: description.title(),
        body: description.body(&commit),
        head: branch.clone(),
        base,
        draft: options.draft,
    };
    let pull = match reopened.as_ref().or_else(|| history.open_pull_request()) {
        Some(pull) => target.forge.update(pull.number, &spec)?,
        None => open_pull_request(target, &spec, &branch)?,
    };
    let attempt = description.attempt;
    let event = Event::new(EventName::PullRequestReady).with("number", pull.number);
    target.events.emit(event.with("url", pull.url.as_str()).with("attempt", attempt));
    let notices = add_extras(target, &pull, options, fix.outcome.proof);
    Ok(Published { branch, commit, attempt, pull: Some(pull), notices })
}

/// Returns the description of the next attempt; a run that continues its own attempt starts no
/// other.
fn describe_attempt<'a>(
    history: &History,
    fix: &'a Fix,
    options: &PullRequestOptions,
) -> FixDescription<'a> {
    let run = fix.run_id.as_str();
    let earlier = history.count_attempts(run);
    // A run that was interrupted after its push is already counted in `earlier`.
    let attempt = (earlier + u32::from(!history.is_from_run(run))).max(1);
    let max_attempts = options.limits.max_attempts;
    FixDescription { fix, attempt, max_attempts, runs: history.earlier_runs() }
}

/// A commit of the fix.
enum FixCommit {
    /// The branch is at it: this run made it before it was interrupted.
    OnBranch(Oid),
    /// No branch is at it yet.
    New(Oid),
}

/// Makes the commit, unless the branch has it.
fn commit_fix(
    git: &Git<'_>,
    description: &FixDescription<'_>,
    history: &History,
) -> Result<FixCommit, PublishError> {
    let (fix, message) = (description.fix, description.message());
    let spec = CommitSpec {
        base: &fix.base,
        entries: fix.files.base_entries(),
        files: fix.files.as_slice(),
        message: &message,
    };
    let commit = git::create_commit(git, &spec)?;
    let own = history.tip.as_ref().filter(|_| history.is_from_run(fix.run_id.as_str()));
    match own {
        // The trees are compared: a model that is asked again may answer otherwise.
        Some(tip) if git.tree_of(&commit)? == tip.tree => {
            Ok(FixCommit::OnBranch(tip.commit.clone()))
        }
        _ => Ok(FixCommit::New(commit)),
    }
}

/// Commits the fix and pushes it with a lease on the tip that was read, so that no other run's
/// commit is overwritten.
fn push_fix(
    target: &PublishTarget<'_>,
    description: &FixDescription<'_>,
    history: &History,
) -> Result<Oid, PublishError> {
    let commit = match commit_fix(target.git, description, history)? {
        FixCommit::OnBranch(commit) => return Ok(commit),
        FixCommit::New(commit) => commit,
    };
    // The lease makes the push fail when somebody else moved the branch since it was read.
    let lease = history.tip.as_ref().map_or(Lease::Absent, |tip| Lease::At(tip.commit.clone()));
    let branch = description.fix.fingerprint.branch();
    git::push_branch(target.git, target.remote, &branch, &commit, &lease)?;
    let event = Event::new(EventName::BranchPushed).with("branch", branch);
    target.events.emit(event.with("commit", commit.as_str()));
    Ok(commit)
}

/// Opens the pull request again that a person closed, if the options say so.
fn reopen_closed(
    target: &PublishTarget<'_>,
    history: &History,
    options: &PullRequestOptions,
) -> Result<Option<PullRequest>, PublishError> {
    let closed = history.closed_pull_request().filter(|_| history.open_pull_request().is_none());
    let Some(pull) = closed.filter(|_| options.limits.reopen) else { return Ok(None) };
    match target.forge.reopen(pull.number) {
        Ok(pull) => Ok(Some(pull)),
        // Its branch was deleted or made again; the forge then accepts only a new pull request.
        Err(error) if error.fault == ForgeFault::Invalid => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens a pull request; updates the one that another run opened in the meantime.
fn open_pull_request(
    target: &PublishTarget<'_>,
    spec: &PullRequestSpec,
    branch: &str,
) -> Result<PullRequest, PublishError> {
    match target.forge.open(spec) {
        Err(error) if error.fault == ForgeFault::Exists => {
            let known = target.forge.pull_requests(branch)?;
            match known.into_iter().find(|pull| pull.is_open) {
                Some(pull) => Ok(target.forge.update(pull.number, spec)?),
                None => Err(error.into()),
            }
        }
        pull => Ok(pull?),
    }
}

/// Returns the branch to merge into: that of the setting, of the fixed commit, or the forge's
/// default.
fn find_base_branch(
    target: &PublishTarget<'_>,
    fix: &Fix,
    options: &PullRequestOptions,
) -> Result<String, PublishError> {
    if let Some(base) = &options.base {
        return parse_branch(base).map(String::from);
    }
    match &fix.base_branch {
        Some(base) => Ok(base.to_string()),
        None => parse_branch(&target.forge.default_branch()?).map(String::from),
    }
}

/// Reads the name of a branch that a person or the forge wrote.
///
/// # Errors
///
/// `BadBranch` when git accepts no branch of that name.
pub fn parse_branch(name: &str) -> Result<BranchName, PublishError> {
    BranchName::parse(name).ok_or_else(|| PublishError::BadBranch(name.escape_debug().to_string()))
}

/// Adds labels, reviewers and auto-merge. The pull request is complete without them, so a failure
/// becomes a notice.
fn add_extras(
    target: &PublishTarget<'_>,
    pull: &PullRequest,
    options: &PullRequestOptions,
    proof: Option<ProofLevel>,
) -> Vec<String> {
    let mut failed: Vec<ForgeError> = Vec::new();
    if !options.labels.is_empty() {
        failed.extend(target.forge.label(pull.number, &options.labels).err());
    }
    if !options.reviewers.is_empty() {
        failed.extend(target.forge.request_reviews(pull.number, &options.reviewers).err());
    }
    let is_seen = proof == Some(ProofLevel::Tests);
    if options.auto_merge && is_seen {
        failed.extend(target.forge.merge_when_green(pull).err());
    }
    let mut notices: Vec<String> = failed.iter().map(ToString::to_string).collect();
    if options.auto_merge && !is_seen {
        let level = proof.unwrap_or_default().name();
        notices.push(format!(
            "auto-merge is not set: it needs the proof `tests`, and this fix has `{level}`"
        ));
    }
    notices
}
