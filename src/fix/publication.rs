//! Publishes the fix of a bundle: a job that has the token and runs no code of the repository.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::config::policy;
use super::delivery::{Delivery, Wants, record_failure};
use super::error::FixError;
use super::forge_access::Away;
use super::run_context::RunContext;
use super::runtime::Runtime;
use super::session::{Session, SessionSource};
use crate::publish::bundle::{self, Bundle};
use crate::publish::{self, PublishError};
use papayu_base::domain::{NoEvents, Outcome, OutcomeKind, RunId, Sha256};
use papayu_system::Http;

/// The bundle of one repository among others.
pub(crate) struct BundleRequest {
    /// The name of this publication.
    pub(crate) id: RunId,
    /// The repository, and every source of its settings.
    pub(crate) place: SessionSource,
    /// The folder of the bundle.
    pub(crate) folder: PathBuf,
    /// The expected digest of its manifest.
    pub(crate) digest: Sha256,
    /// `true` for a pull request, `false` for a branch.
    pub(crate) as_pull_request: bool,
    /// The time until it has to end, if its settings do not end it before.
    pub(crate) time_left: Duration,
    /// Set by the caller to stop soon.
    pub(crate) interrupted: Arc<AtomicBool>,
}

/// Publishes the bundle of a repository with the caller's HTTP client, and returns the outcome. A failure is in the outcome.
///
/// # Errors
///
/// Those of [`Session::open`].
pub(crate) fn publish_through(
    request: BundleRequest,
    http: Arc<dyn Http>,
) -> Result<Outcome, FixError> {
    let session = Session::open(request.place)?;
    let runtime = Runtime::through(&session, &request.interrupted, http)
        .ending_at(session.settings.run_timeout_sec.value.min(request.time_left));
    let read = bundle::read_bundle(runtime.system().disk, &request.folder, Some(request.digest));
    match read {
        Ok(bundle) => {
            let context = RunContext { session: &session, runtime: &runtime, events: &NoEvents };
            Ok(publish_bundle(context, bundle, request.as_pull_request))
        }
        Err(error) => {
            let mut outcome = Outcome::new(request.id, OutcomeKind::PublishFailed, String::new());
            record_failure(&mut outcome, &error);
            Ok(outcome)
        }
    }
}

/// Publishes a bundle as a pull request or a branch, and returns the outcome. A failure is in the outcome.
pub(crate) fn publish_bundle(
    context: RunContext<'_>,
    bundle: Bundle,
    as_pull_request: bool,
) -> Outcome {
    // The bundle must not decide what is reported as published.
    let mut outcome = Outcome {
        branch: None,
        pr_url: None,
        pr_number: None,
        attempt_total: None,
        notices: Vec::new(),
        ..bundle.outcome.clone()
    };
    if let Err(error) = try_publish(context, bundle, as_pull_request, &mut outcome) {
        record_failure(&mut outcome, &error);
    }
    outcome
}

fn try_publish(
    context: RunContext<'_>,
    bundle: Bundle,
    pull_request: bool,
    outcome: &mut Outcome,
) -> Result<(), PublishError> {
    // A bundle is published once: as a branch or as a pull request.
    let wants = Wants { pull_request, branch: !pull_request, bundle: false, at_work: false };
    let target = Delivery::open(context, wants).map_err(|error| match error {
        FixError::Publish(error) => error,
        other => PublishError::Unreadable(other.to_string()),
    })?;
    let base = check_base(&target, &bundle, pull_request)?;
    if let BundleBase::Green { branch, commit } = base {
        let reason = format!("all checks of `{branch}` pass at {commit} without the fix");
        return target.record_fixed_there(outcome, &bundle.manifest.fingerprint, &branch, &reason);
    }
    let policy =
        policy(context.session).map_err(|error| PublishError::Unreadable(error.to_string()))?;
    let fix = bundle.vet(&target.git, &policy, &context.runtime.masker)?;
    let done = if pull_request {
        target.pull_request(&fix)?
    } else {
        publish::publish_local_branch(&target.git, &fix, &target.options())?
    };
    outcome.reason = format!("the fix of run {} passed all checks again", outcome.run_id);
    if done.pull.is_some() {
        outcome.reason = format!("{} and is on the branch `{}`", outcome.reason, done.branch);
    }
    target.record_published(outcome, done);
    Ok(())
}

/// The branch of a bundle's fix as it is now.
enum BundleBase {
    /// It is at the commit that the fix was proved on.
    Proved,
    /// It moved, and all checks of its newest commit pass.
    Green { branch: String, commit: String },
}

/// Checks that the branch of the fix has not moved since the fix was proved, or is green without it, and fetches its
/// commit if it is missing.
fn check_base(
    target: &Delivery<'_>,
    bundle: &Bundle,
    pull_request: bool,
) -> Result<BundleBase, PublishError> {
    let fixed = &bundle.manifest.base_commit;
    let moved = |reason: String| Err(PublishError::BaseMoved(reason));
    let away = target.away.as_ref().filter(|_| pull_request);
    let Some(Away { remote, forge, .. }) = away else {
        if target.base == *fixed {
            return Ok(BundleBase::Proved);
        }
        return moved(format!("{} is checked out, and the fix is for {fixed}", target.base));
    };
    let branch = match (target.options().base, &bundle.manifest.base_branch) {
        (Some(named), _) => publish::parse_branch(&named)?,
        (None, Some(branch)) => branch.clone(),
        (None, None) => publish::parse_branch(&forge.default_branch()?)?,
    };
    let branch = branch.as_str();
    match remote.commit_of(&target.git, branch)? {
        Some(tip) if tip == *fixed => {
            remote.fetch_commit(&target.git, branch, fixed)?;
            Ok(BundleBase::Proved)
        }
        // A forge that does not show its checks leaves the refusal.
        Some(tip) if forge.commit_checks(tip.as_str()).is_ok_and(|it| publish::are_green(&it)) => {
            Ok(BundleBase::Green { branch: branch.to_owned(), commit: tip.to_string() })
        }
        Some(tip) => moved(format!(
            "`{branch}` is at {tip}, and the fix was proved on {fixed}; `publish` runs no command, so it cannot prove the \
             fix there"
        )),
        None => moved(format!("there is no branch `{branch}` any more")),
    }
}
