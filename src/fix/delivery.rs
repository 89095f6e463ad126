//! Delivery of a run's fix: prepared before anything is spent, so that an impossible delivery ends
//! the run early.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use super::ci_environment::{CiEnvironment, find_variable};
use super::error::FixError;
use super::forge_access::{Away, find_remote};
use super::recheck::{Prover, Rechecked, TargetBranch, recheck};
use super::run_context::RunContext;
use super::runtime::Runtime;
use super::session::Session;
use crate::engine::{AttemptHistory, Finished};
use crate::publish::bundle::{self, BundleSpec, GateFacts};
use crate::publish::{
    self, ApiCommits, AttemptLimits, History, PauseLabel, ProvedFix, PublishError, PublishTarget,
    Published, PullRequestOptions, VettedFiles,
};
use crate::settings::Emit;
use papayu_base::domain::fingerprint::BRANCH_PREFIX;
use papayu_base::domain::{Event, EventName, EventSink, Fingerprint, Outcome, OutcomeKind, RunId};
use papayu_forge::git::{
    BranchName, CommitEntry, Configuration, Git, GitError, GitFault, Oid, PreviewBase, Remote,
};
use papayu_forge::{CheckConclusion, ForgeError, ForgeFault, PullRequest};
use papayu_system::Clock;

/// Notice about pull requests that are opened with the job's own token.
const HELD_FOR_APPROVAL: &str = "the pull request was opened with the job's own GITHUB_TOKEN: GitHub creates its workflow runs and starts them after \
     a person with write access approves them; give the token of a GitHub App or a person in PAPAYU_GITHUB_TOKEN to have them start at once";

/// The git side of the repository, and the outputs that a fix is delivered to.
pub(crate) struct Delivery<'a> {
    session: &'a Session,
    pub(crate) git: Git<'a>,
    pub(crate) events: &'a dyn EventSink,
    clock: &'a dyn Clock,
    /// The commit that is checked out.
    pub(crate) base: Oid,
    /// The files of the base, listed before any code of the repository ran.
    entries: Vec<(String, CommitEntry)>,
    /// The branch of the base, if known.
    pub(crate) base_branch: Option<BranchName>,
    wants: Wants,
    /// The run that makes the fix, if it is known in advance.
    run: Option<RunId>,
    /// git's configuration before any code of the repository ran.
    configuration: Configuration,
    /// Target of pushes and pull requests; `None` if neither is requested.
    pub(crate) away: Option<Away<'a>>,
    /// The open pull request of another run that fixes the same failure.
    linked: OnceLock<PullRequest>,
    /// True when the user gives the change: no model is asked, so nothing is spent twice.
    is_given: bool,
}

/// The requested outputs besides a patch.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an output of its own")]
pub(crate) struct Wants {
    pub(crate) bundle: bool,
    pub(crate) branch: bool,
    pub(crate) pull_request: bool,
    /// Texts, suggestions or commits at the pull request that failed, or an issue.
    pub(crate) at_work: bool,
}

impl Wants {
    /// Returns what the settings want.
    pub(crate) fn of(session: &Session) -> Self {
        let emit = &session.settings.run_emit.value;
        Self {
            bundle: emit.contains(&Emit::Bundle),
            branch: emit.contains(&Emit::Branch),
            pull_request: emit.contains(&Emit::Pr),
            at_work: emit.iter().any(|emit| emit.is_at_work()),
        }
    }

    /// Returns `true` if any output goes to other people.
    pub(crate) fn any(self) -> bool {
        self.bundle || self.branch || self.needs_forge()
    }

    /// Returns `true` if an output needs the forge and a token.
    fn needs_forge(self) -> bool {
        self.pull_request || self.at_work
    }
}

impl<'a> Delivery<'a> {
    /// Opens everything that the delivery needs, so that a missing token is known before a
    /// model is paid.
    ///
    /// A bundle needs no token: without a known remote or forge, the history of attempts is
    /// left to `publish`.
    ///
    /// # Errors
    ///
    /// Returns [`FixError::Publish`] if git cannot be read or, for a pull request, the remote,
    /// the forge or the token is missing.
    pub(crate) fn open(context: RunContext<'a>, wants: Wants) -> Result<Self, FixError> {
        let RunContext { session, runtime, events } = context;
        let git = context.open_git().map_err(PublishError::Git)?;
        let base = git.head_commit().map_err(PublishError::Git)?;
        let entries = git.list_entries(&base).map_err(PublishError::Git)?;
        let configuration = Configuration::read_configuration(&git).map_err(PublishError::Git)?;
        let base_branch = base_branch(session, &git);
        let away = match find_remote(context, &git) {
            Ok(away) => Some(away),
            Err(error) if wants.needs_forge() => return Err(error.into()),
            Err(_) => None,
        };
        // Opened before the run, so that a token without rights is reported before anything is
        // paid.
        let has_token = away.as_ref().is_some_and(|away| away.has_token);
        if wants.needs_forge() && !has_token {
            let reason = "no token is set";
            let error = ForgeError::new("open pull requests", ForgeFault::NoToken, reason);
            let error = match &away {
                Some(away) => error.at_forge(away.kind),
                None => error,
            };
            return Err(PublishError::Forge(error).into());
        }
        Ok(Self {
            session,
            git,
            events,
            clock: runtime.system().clock,
            base,
            entries,
            base_branch,
            wants,
            run: None,
            configuration,
            away,
            linked: OnceLock::new(),
            is_given: false,
        })
    }

    /// Sets the run that makes the fix: its own earlier deliveries do not count as attempts.
    /// From here on code of the repository may run, so git fetches nothing any more.
    pub(crate) fn of_run(self, id: &RunId, is_given: bool) -> Self {
        Self { run: Some(id.clone()), git: self.git.without_fetches(), is_given, ..self }
    }

    /// Returns the reason if the commit is one of this program, which must not be fixed: a fix
    /// that fails CI would start the next run without end.
    pub(crate) fn own_work(&self) -> Option<String> {
        let names =
            [self.git.current_branch(), CiEnvironment::of(&self.session.environment).head()];
        let names = names.into_iter().flatten().chain(self.base_branch.clone().map(String::from));
        let ours = names.into_iter().find(|name| name.starts_with(BRANCH_PREFIX));
        if let Some(name) = ours {
            return Some(format!(
                "`{name}` is a branch of papayu-batch, which never chases its own tail"
            ));
        }
        let trailers = self.git.read_trailers(&self.base);
        let run = trailers.run.as_ref()?;
        Some(format!(
            "commit {} was made by papayu-batch itself (run {run}), which never chases its own tail",
            self.base
        ))
    }

    /// Returns the user's settings for pull requests.
    pub(crate) fn options(&self) -> PullRequestOptions {
        let settings = &self.session.settings;
        PullRequestOptions {
            base: settings.pr_base.value.clone(),
            labels: settings.pr_labels.value.clone(),
            reviewers: settings.pr_reviewers.value.clone(),
            draft: settings.pr_draft.value,
            auto_merge: settings.pr_auto_merge.value,
            code_owners: settings.pr_code_owners.value,
            api_commits: match settings.pr_api_commits.value {
                None => ApiCommits::Auto,
                Some(true) => ApiCommits::Always,
                Some(false) => ApiCommits::Never,
            },
            pause_label: settings.pr_pause_label.value.as_deref().map(PauseLabel::parse),
            limits: AttemptLimits {
                reopen: settings.pr_reopen.value,
                max_open: u32::try_from(settings.pr_max_open.value).unwrap_or(u32::MAX),
                max_attempts: u32::try_from(settings.run_max_attempts_total.value)
                    .unwrap_or(u32::MAX),
            },
        }
    }

    /// Delivers a finished run's fix and records the result in its outcome.
    pub(crate) fn deliver(
        &self,
        finished: &mut Finished,
        out: &Path,
        runtime: &Runtime,
        prover: &Prover<'_>,
    ) {
        if finished.outcome.outcome != OutcomeKind::Fixed {
            self.record_link(&mut finished.outcome);
            return;
        }
        if let Err(error) = self.publish_fix(finished, out, runtime, prover) {
            record_failure(&mut finished.outcome, &error);
        }
    }

    /// Publishes the fix of a finished run.
    fn publish_fix(
        &self,
        finished: &mut Finished,
        out: &Path,
        runtime: &Runtime,
        prover: &Prover<'_>,
    ) -> Result<(), PublishError> {
        if self.wants.pull_request || self.wants.branch {
            // Code of the repository may have changed git's configuration, which could redirect
            // the push.
            self.configuration.ensure_unchanged(&self.git)?;
        }
        let fix = self.fix(finished)?;
        if self.wants.bundle {
            let policy = &self.session.settings;
            let gates = GateFacts {
                allow_delete: policy.policy_allow_delete.value,
                allow: policy.allowances(),
            };
            let folder = out.join("bundle");
            let (disk, created_at) = (runtime.system().disk, runtime.system().clock.timestamp());
            let spec = BundleSpec {
                fix: &fix,
                patch: &finished.patch,
                gates,
                created_at,
                masker: &runtime.masker,
            };
            let written = bundle::write_bundle(disk, &folder, spec);
            let digest = written.map_err(|error| {
                let reason = error.to_string();
                GitError::new(format!("write `{}`", folder.display()), GitFault::Other, reason)
            })?;
            finished.outcome.bundle_path = Some(folder.display().to_string());
            finished.outcome.bundle_digest = Some(digest.to_string());
        }
        if self.wants.branch {
            let published = match self.branch_target() {
                Some(target) => publish::publish_remote_branch(&target, &fix, &self.options())?,
                None => publish::publish_local_branch(&self.git, &fix, &self.options())?,
            };
            self.record_published(&mut finished.outcome, published);
        }
        if self.wants.pull_request {
            self.publish_rechecked(&mut finished.outcome, fix, runtime, prover)?;
        }
        Ok(())
    }

    /// Returns the target of a branch without a pull request. `None` outside a job of a CI system, because other clones
    /// are kept, and without a remote or a token: the branch is then a local one.
    fn branch_target(&self) -> Option<PublishTarget<'_>> {
        let is_job = CiEnvironment::of(&self.session.environment).is_job();
        let is_alone = self.wants.branch && !self.wants.pull_request;
        let away = self.away.as_ref().filter(|away| away.has_token && is_job && is_alone)?;
        let Away { remote, forge, .. } = away;
        Some(PublishTarget { git: &self.git, remote, forge: &**forge, events: self.events })
    }

    /// Opens the pull request of a fix that the newest commit of its branch still needs, and closes ours otherwise.
    fn publish_rechecked(
        &self,
        outcome: &mut Outcome,
        fix: ProvedFix,
        runtime: &Runtime,
        prover: &Prover<'_>,
    ) -> Result<(), PublishError> {
        let Some(Away { remote, forge, .. }) = &self.away else { return Err(PublishError::NoBase) };
        let target = PublishTarget { git: &self.git, remote, forge: &**forge, events: self.events };
        let branch = publish::find_base_branch(&target, &fix, &self.options())?;
        let fingerprint = fix.fingerprint.clone();
        let target = TargetBranch { git: &self.git, remote, name: &branch };
        match recheck(target, fix, prover, &runtime.masker)? {
            Rechecked::Current(fix) => {
                outcome.verify.newer_base.clone_from(&fix.outcome.verify.newer_base);
                let published = self.pull_request(&fix)?;
                self.record_published(outcome, published);
            }
            Rechecked::FixedThere(commit) => {
                let commit = commit.as_str().get(..12).unwrap_or(commit.as_str()).to_owned();
                let reason = format!("fixed on `{branch}` by {commit} during the run");
                self.record_fixed_there(outcome, &fingerprint, &branch, &reason)?;
            }
        }
        Ok(())
    }

    /// Records that the newest commit of the target branch does not have the failure, and closes our pull request for it.
    ///
    /// # Errors
    ///
    /// `Git` and `Forge` when these fail.
    pub(crate) fn record_fixed_there(
        &self,
        outcome: &mut Outcome,
        fingerprint: &Fingerprint,
        branch: &str,
        reason: &str,
    ) -> Result<(), PublishError> {
        if let Some(Away { remote, forge, .. }) = &self.away {
            let history = History::read(&self.git, remote, &**forge, fingerprint)?;
            if let Some(pull) = history.open_pull_request().filter(|_| !history.is_taken) {
                publish::withdraw(&**forge, pull, reason)?;
            }
        }
        outcome.outcome = OutcomeKind::NothingToFix;
        outcome.exit_code = OutcomeKind::NothingToFix.exit_code().number();
        outcome.reason = format!("{reason}; no pull request is opened");
        outcome.hint = Some(format!("merge `{branch}` into this branch"));
        Ok(())
    }

    /// Records the pull request that the run is linked to in place of a fix of its own.
    fn record_link(&self, outcome: &mut Outcome) {
        if let Some(pull) = self.linked.get() {
            outcome.outcome = OutcomeKind::NothingToFix;
            outcome.exit_code = OutcomeKind::NothingToFix.exit_code().number();
            outcome.pr_number = Some(pull.number);
            outcome.pr_url = Some(pull.url.clone());
        }
    }

    /// Returns the session.
    pub(crate) fn session(&self) -> &Session {
        self.session
    }

    /// Returns the fix of a finished run, after the code of the repository is seen not to have changed git's
    /// configuration.
    ///
    /// Fails with [`PublishError::Git`] (`ERR_GIT_RECONFIGURED`) if it did, and as [`fix`](Self::fix) does.
    pub(crate) fn checked_fix(&self, finished: &Finished) -> Result<ProvedFix, PublishError> {
        self.configuration.ensure_unchanged(&self.git)?;
        self.fix(finished)
    }

    /// Returns the fix in the form that `publish` takes.
    ///
    /// # Errors
    ///
    /// Returns [`PublishError::Unproved`] if the run has no fingerprint or no change.
    fn fix(&self, finished: &Finished) -> Result<ProvedFix, PublishError> {
        let outcome = &finished.outcome;
        let unproved = |reason: &str| PublishError::Unproved(reason.to_owned());
        let fingerprint = outcome.fingerprint.as_deref().and_then(Fingerprint::parse);
        let fingerprint = fingerprint.ok_or_else(|| unproved("the failure has no name"))?;
        let change = finished.change.as_ref().ok_or_else(|| unproved("nothing was changed"))?;
        let base = PreviewBase { entries: &self.entries, configuration: &self.configuration };
        let files = VettedFiles::of_change(&self.git, base, change)?;
        Ok(ProvedFix {
            run_id: outcome.run_id.clone(),
            fingerprint,
            base: self.base.clone(),
            base_branch: self.base_branch.clone(),
            files,
            outcome: outcome.clone(),
            failure: finished.failure.clone(),
            summary: finished.summary.clone(),
        })
    }

    /// Pushes the branch and opens the pull request, or updates an existing one.
    ///
    /// Fails with [`PublishError::NoBase`] without a remote, and as [`publish::publish_pull_request`] does.
    pub(crate) fn pull_request(&self, fix: &ProvedFix) -> Result<Published, PublishError> {
        let Some(Away { remote, forge, .. }) = &self.away else { return Err(PublishError::NoBase) };
        let target = PublishTarget { git: &self.git, remote, forge: &**forge, events: self.events };
        publish::publish_pull_request(&target, fix, &self.options())
    }

    /// Records the published branch and pull request in the outcome.
    pub(crate) fn record_published(&self, outcome: &mut Outcome, published: Published) {
        outcome.reason.push_str(&published.describe_place());
        let remote = self.session.remote_name();
        let has_remote = Remote::find_remote(&self.git, remote).is_ok();
        outcome.notices.extend(published.describe_push(has_remote.then_some(remote)));
        outcome.branch = Some(published.branch);
        // The count includes this delivery.
        outcome.attempt_total = Some(published.attempt);
        outcome.notices.extend(published.notices);
        if let Some(pull) = published.pull {
            self.record_checks(outcome, published.commit.as_str());
            outcome.pr_number = Some(pull.number);
            outcome.pr_url = Some(pull.url);
            if self.pushes_as_the_job() {
                outcome.notices.push(HELD_FOR_APPROVAL.to_owned());
            }
        }
    }

    /// Waits for the checks of the pull request if the settings ask for it, and records them.
    fn record_checks(&self, outcome: &mut Outcome, commit: &str) {
        let seconds = self.session.settings.pr_wait_checks.value;
        let Some(Away { forge, .. }) = self.away.as_ref().filter(|_| seconds > 0) else { return };
        let limit = Duration::from_secs(seconds);
        match publish::wait_for_checks(&**forge, self.clock, commit, limit) {
            Ok(found) => {
                outcome.notices.extend(publish::describe_checks(&found));
                outcome.pr_checks = Some(found);
            }
            Err(error) => outcome.notices.push(error.to_string()),
        }
    }

    /// Returns `true` if the token is the job's own. Tokens of people have the prefix `ghp_` or
    /// `github_pat_`.
    fn pushes_as_the_job(&self) -> bool {
        use secrecy::ExposeSecret as _;
        let in_actions = variable(self.session, "GITHUB_ACTIONS").is_some_and(|it| it == "true");
        let token = self.session.settings.github_token.value.as_ref();
        let token = token.map(|token| token.expose_secret().trim().to_owned());
        let of_person = |token: &str| token.starts_with("ghp_") || token.starts_with("github_pat_");
        let ours = variable(self.session, "PAPAYU_GITHUB_TOKEN").is_some();
        in_actions && !ours && token.is_some_and(|token| !of_person(&token))
    }
}

impl AttemptHistory for Delivery<'_> {
    fn refuses(&self, fingerprint: &Fingerprint) -> Option<(String, String)> {
        let asks_remote =
            self.wants.pull_request || self.wants.bundle || self.branch_target().is_some();
        // A bundle may become a pull request later, so its history is the remote one.
        let history = match self.away.as_ref().filter(|_| asks_remote) {
            Some(Away { remote, forge, .. }) => {
                match History::read(&self.git, remote, &**forge, fingerprint) {
                    Ok(history) => history,
                    Err(error) => {
                        let text = format!("the ledger cannot be read: {error}");
                        // A history that cannot be read must not prevent the fix.
                        self.events.emit(Event::new(EventName::Notice).with("text", text));
                        return None;
                    }
                }
            }
            None if self.wants.branch => History::read_local(&self.git, fingerprint),
            None => return None,
        };
        let run = self.run.as_ref().map(RunId::as_str).unwrap_or_default();
        if let Some(pull) = self.find_link(&history, run) {
            let reason = format!("the same failure has a fix already: {}", pull.url);
            let _ = self.linked.set(pull);
            return Some((reason, "merge that pull request, or close it".to_owned()));
        }
        let error = history.find_refusal(fingerprint, run, self.options().limits)?;
        Some((error.to_string(), error.code().hint().to_owned()))
    }
}

impl Delivery<'_> {
    /// Returns the open pull request of another run for the same failure, which is a fix of this commit as well: another
    /// job, another leg of the matrix or another pull request has the same cause. One with failed checks is no fix.
    fn find_link(&self, history: &History, run: &str) -> Option<PullRequest> {
        let Away { forge, .. } = self.away.as_ref()?;
        let pull = history.open_pull_request().filter(|_| !self.is_given)?;
        let is_for_this =
            publish::is_for_commit(pull, &self.base) || history.base.as_ref() == Some(&self.base);
        if history.is_from_run(run) || !is_for_this {
            return None;
        }
        let checks = forge.commit_checks(&pull.head_commit).unwrap_or_default();
        let is_failed = checks.iter().any(|check| check.conclusion == CheckConclusion::Failure);
        (!is_failed).then(|| pull.clone())
    }
}

/// Records a failed delivery in an outcome; the patch is written anyway.
pub(crate) fn record_failure(outcome: &mut Outcome, error: &PublishError) {
    outcome.outcome = OutcomeKind::PublishFailed;
    outcome.exit_code = OutcomeKind::PublishFailed.exit_code().number();
    outcome.reason = error.to_string();
    outcome.error_code = Some(error.code().as_str().to_owned());
    outcome.hint = Some(error.hint());
}

/// Returns the branch that the fix is for: that of the pull request, not its target.
///
/// A job often checks out a bare commit; then the environment names the branch. `None` if nothing names it.
pub(crate) fn base_branch(session: &Session, git: &Git<'_>) -> Option<BranchName> {
    let job = CiEnvironment::of(&session.environment);
    let name = job.head().or_else(|| git.current_branch()).or_else(|| job.branch());
    name.and_then(|name| BranchName::parse(&name))
}

/// Returns a variable of the user's environment that is not empty.
pub(crate) fn variable(session: &Session, name: &str) -> Option<String> {
    find_variable(&session.environment, name).map(str::to_owned)
}
