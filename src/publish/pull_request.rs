//! Delivers a fix as a branch or a pull request; delivering it again changes nothing.

use super::ProvedFix;
use super::code_owners::{CodeOwners, PLACES, reviewers_of};
use super::error::PublishError;
use super::forge_commit::create_signed_commit;
use super::history::{AttemptLimits, History};
use super::pause::PauseLabel;
use super::pull_request_body::FixDescription;
use super::target::PublishTarget;
use papayu_base::domain::outcome::ProofLevel;
use papayu_base::domain::{Event, EventName, Judgement, Outcome};
use papayu_forge::git::{self, BranchName, CommitSpec, Git, GitFault, Lease, Oid};
use papayu_forge::{BranchState, ForgeError, ForgeFault, PullRequest, PullRequestSpec};

/// The maker of commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApiCommits {
    /// The forge where the target branch requires signatures and git signs none, else git.
    #[default]
    Auto,
    /// The forge.
    Always,
    /// Git.
    Never,
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
    /// Asks the owners of changed files for a review.
    pub code_owners: bool,
    /// The maker of the commit.
    pub api_commits: ApiCommits,
    /// The limits of further attempts.
    pub limits: AttemptLimits,
    /// Stops pull requests while an open issue or pull request has it.
    pub pause_label: Option<PauseLabel>,
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
    /// `true` if the branch is on the remote, not only in this repository.
    pub is_pushed: bool,
    /// The pull request, if one was asked for.
    pub pull: Option<PullRequest>,
    /// Labels, reviewers or auto-merge that the forge refused.
    pub notices: Vec<String>,
}

impl Published {
    /// Returns where the fix is, as the end of a sentence.
    pub fn describe_place(&self) -> String {
        let branch = &self.branch;
        match &self.pull {
            Some(pull) => format!("; pull request: {}", pull.url),
            None if self.is_pushed => {
                format!("; the fix is on the branch `{branch}` of the remote")
            }
            None => format!("; the fix is on the local branch `{branch}`"),
        }
    }

    /// Returns how to push a branch that is only in this repository; `None` for a pushed one. `remote` is the name of
    /// the remote, if there is one.
    pub fn describe_push(&self, remote: Option<&str>) -> Option<String> {
        let branch = &self.branch;
        let is_local = !self.is_pushed && self.pull.is_none();
        is_local.then(|| match remote {
            Some(remote) => {
                format!("the branch is not pushed: `git push {remote} {branch}` does it")
            }
            None => "the branch is not pushed: the repository has no remote".to_owned(),
        })
    }
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
    fix: &ProvedFix,
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
    Ok(Published { branch, commit, attempt, is_pushed: false, pull: None, notices: Vec::new() })
}

/// Pushes the failure's branch without a pull request.
///
/// # Errors
///
/// Those of [`publish_pull_request`].
pub fn publish_remote_branch(
    target: &PublishTarget<'_>,
    fix: &ProvedFix,
    options: &PullRequestOptions,
) -> Result<Published, PublishError> {
    let history = History::read(target.git, target.remote, target.forge, &fix.fingerprint)?;
    let base = check_base(target, fix, options, &history)?;
    let description = describe_attempt(&history, fix, options);
    let plan = PullPlan::new(target, fix, options, &base, &history);
    let (commit, unsigned) = push_fix(target, &description, &history, &plan)?;
    Ok(Published {
        branch: fix.fingerprint.branch(),
        commit,
        attempt: description.attempt,
        is_pushed: true,
        pull: None,
        notices: unsigned.into_iter().collect(),
    })
}

/// Returns the branch that the fix is for, if earlier work and the state of that branch allow the fix.
fn check_base(
    target: &PublishTarget<'_>,
    fix: &ProvedFix,
    options: &PullRequestOptions,
    history: &History,
) -> Result<String, PublishError> {
    if let Some(refused) =
        history.find_refusal(&fix.fingerprint, fix.run_id.as_str(), options.limits)
    {
        return Err(refused);
    }
    let base = find_base_branch(target, fix, options)?;
    // The forge would show these commits as part of the change, and merging it would publish them.
    match target.remote.describe_unpushed(target.git, &base, &fix.base)? {
        Some(surplus) => Err(PublishError::BaseNotPushed(surplus)),
        None => Ok(base),
    }
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
    fix: &ProvedFix,
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
    fix: &ProvedFix,
    options: &PullRequestOptions,
    history: &History,
) -> Result<Published, PublishError> {
    let base = check_base(target, fix, options, history)?;
    options.pause_label.as_ref().map_or(Ok(()), |label| label.check(target.forge))?;
    history.check_room(target.forge, options.limits)?;
    // Before the branch moves: afterwards the forge refuses to open it again.
    let reopened = reopen_closed(target, history, options)?;
    let branch = fix.fingerprint.branch();
    let description = describe_attempt(history, fix, options);
    let plan = PullPlan::new(target, fix, options, &base, history);
    let (commit, unsigned) = push_fix(target, &description, history, &plan)?;
    let spec = PullRequestSpec {
        title: description.title(),
        body: description.body(&commit, &base),
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
    let mut notices = add_extras(target, &pull, options, &plan);
    notices.extend(unsigned);
    Ok(Published { branch, commit, attempt, is_pushed: true, pull: Some(pull), notices })
}

/// The demands of the target branch and the repository on the pull request of a fix.
struct PullPlan {
    /// The name of the target branch.
    base: String,
    /// The rules of the target branch; empty where the token may not read them.
    rules: BranchState,
    /// True when the forge's auto-merge waits for every check, required or not.
    waits_for_every_check: bool,
    /// The owners of the changed files that can be asked for a review.
    owners: Vec<String>,
    /// True when an earlier run added the labels; a person may have removed them since.
    has_labels: bool,
    /// True when a file of the change has owners.
    is_owned: bool,
    proof: Option<ProofLevel>,
    /// The reason of the run for a look by a person, if it has one.
    doubt: Option<String>,
    api_commits: ApiCommits,
}

impl PullPlan {
    fn new(
        target: &PublishTarget<'_>,
        fix: &ProvedFix,
        options: &PullRequestOptions,
        base: &str,
        history: &History,
    ) -> Self {
        let is_own = history.is_from_run(fix.run_id.as_str());
        let needs_rules = options.auto_merge || options.api_commits == ApiCommits::Auto;
        // The rules only add to what is done: a token that may not read them can open pull requests.
        let rules = if needs_rules { target.forge.branch_state(base).ok().flatten() } else { None };
        let all = find_owners(target.git, fix);
        let place = target.remote.place().path;
        let owner = place.split('/').next().unwrap_or_default();
        Self {
            base: base.to_owned(),
            rules: rules.unwrap_or_default(),
            waits_for_every_check: target.forge.waits_for_every_check(),
            owners: if options.code_owners { reviewers_of(&all, owner) } else { Vec::new() },
            has_labels: history.open_pull_request().is_some() && !is_own,
            is_owned: !all.is_empty(),
            proof: fix.outcome.proof,
            doubt: find_doubt(&fix.outcome),
            api_commits: options.api_commits,
        }
    }

    /// Returns whether the forge is to make the commit.
    fn needs_forge_commit(&self, git: &Git<'_>) -> bool {
        match self.api_commits {
            ApiCommits::Always => true,
            ApiCommits::Never => false,
            ApiCommits::Auto => self.rules.requires_signatures && !git.signs_commits(),
        }
    }
}

/// Returns the owners of the changed files, as the commit below the fix names them.
fn find_owners(git: &Git<'_>, fix: &ProvedFix) -> Vec<String> {
    let entries = fix.files.base_entries();
    let place = PLACES.iter().find_map(|place| entries.iter().find(|(path, _)| path == place));
    // A partial clone may lack the file; the forge asks the owners by itself then.
    let bytes = place.and_then(|(_, entry)| git.read_blob(&entry.oid).ok());
    let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return Vec::new();
    };
    let rules = CodeOwners::parse(&text);
    let files = fix.files.as_slice().iter();
    files.flat_map(|file| rules.owners_of(&file.path).to_vec()).collect()
}

/// Returns the description of the next attempt; a run that continues its own attempt starts no
/// other.
fn describe_attempt<'a>(
    history: &History,
    fix: &'a ProvedFix,
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
    plan: &PullPlan,
) -> Result<(Oid, Option<String>), PublishError> {
    let commit = match commit_fix(target.git, description, history)? {
        FixCommit::OnBranch(commit) => return Ok((commit, None)),
        FixCommit::New(commit) => commit,
    };
    let mut notice = None;
    let commit = if plan.needs_forge_commit(target.git) {
        let message = description.message();
        create_signed_commit(target, description.fix, &message, &commit).unwrap_or_else(|reason| {
            notice = Some(format!("the commit is not signed by the forge: {reason}"));
            commit
        })
    } else {
        commit
    };
    // The lease makes the push fail when somebody else moved the branch since it was read.
    let lease = history.tip.as_ref().map_or(Lease::Absent, |tip| Lease::At(tip.commit.clone()));
    let branch = description.fix.fingerprint.branch();
    git::push_branch(target.git, target.remote, &branch, &commit, &lease)?;
    let event = Event::new(EventName::BranchPushed).with("branch", branch);
    target.events.emit(event.with("commit", commit.as_str()));
    Ok((commit, notice))
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
///
/// # Errors
///
/// `BadBranch` for a name that git does not accept, `Forge` when the default is not known.
pub fn find_base_branch(
    target: &PublishTarget<'_>,
    fix: &ProvedFix,
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
    plan: &PullPlan,
) -> Vec<String> {
    let mut failed: Vec<ForgeError> = Vec::new();
    if !options.labels.is_empty() && !plan.has_labels {
        failed.extend(target.forge.label(pull.number, &options.labels).err());
    }
    if !options.reviewers.is_empty() {
        failed.extend(target.forge.request_reviews(pull.number, &options.reviewers).err());
    }
    let is_new = |owner: &&String| !options.reviewers.contains(owner);
    let owners: Vec<String> = plan.owners.iter().filter(is_new).cloned().collect();
    // A draft is not to be reviewed yet, and a forge asks the owners once it is ready.
    if !owners.is_empty() && !pull.is_draft {
        failed.extend(target.forge.request_reviews(pull.number, &owners).err());
    }
    let refusal = refuse_auto_merge(plan).filter(|_| options.auto_merge);
    if options.auto_merge && refusal.is_none() {
        failed.extend(target.forge.merge_when_green(pull).err());
    }
    let refusal = refusal.map(|reason| format!("auto-merge is not set: {reason}"));
    failed.iter().map(ToString::to_string).chain(refusal).collect()
}

/// Returns the first reason for which a person should read a change before it is merged: a flag, a note, or a model that was
/// asked for an opinion and gave none. `None` if there is no reason.
fn find_doubt(outcome: &Outcome) -> Option<String> {
    let place = outcome.review_flags.iter().chain(&outcome.review_notes).next();
    let place = place.map(|it| format!("{} line {} {}", it.path, it.line, it.reason));
    let judge = outcome.judge.as_ref().filter(|it| it.verdict.is_none() && it.model.is_some());
    place.or_else(|| judge.map(Judgement::sentence))
}

/// Returns the reason against merging without a person; `None` if the change may be merged so.
fn refuse_auto_merge(plan: &PullPlan) -> Option<String> {
    if plan.proof != Some(ProofLevel::Tests) {
        let level = plan.proof.unwrap_or_default().name();
        return Some(format!("it needs the proof `tests`, and this fix has `{level}`"));
    }
    if let Some(doubt) = &plan.doubt {
        return Some(format!("a person should look at it first: {doubt}"));
    }
    // Without a required check, most forges merge at once.
    if plan.rules.required_checks.is_empty() && !plan.waits_for_every_check {
        return Some(format!("no check is known to be required on `{}`", plan.base));
    }
    plan.is_owned.then(|| "a changed file has owners in `CODEOWNERS`, who decide".to_owned())
}
