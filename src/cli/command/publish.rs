//! `papayu-batch publish`: publishes the fix of a bundle as a branch or a pull request, after checking it again.

use std::fmt::Write as _;

use crate::cli::args::PublishArgs;
use crate::cli::launch::finish_without_run;
use crate::cli::{Call, CliError, runtime};
use crate::fix::config::policy;
use crate::fix::delivery::{self, Delivery, Wants};
use crate::fix::forge_access::{Away, SweptRepository};
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Session};
use crate::publish::bundle::{self, Bundle};
use crate::publish::{self, PublishError, SweepAction};
use papayu_base::domain::{ExitCode, FailureReport, Outcome, OutcomeKind, RunId, Sha256};

/// Publishes the fix of a bundle, and writes the outcome; without a bundle, sweeps the open pull requests.
///
/// A refused bundle or a failed publication is an outcome with its exit code. Fails with [`CliError::Digest`]
/// if `--digest` is no digest, and as [`finish_without_run`] does. A sweep fails with [`FixError::Publish`] if
/// the pull requests cannot be listed.
pub(crate) fn run_publish(call: &Call, args: &PublishArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_run_session(call, args.flags())?;
    let Some(folder) = &args.bundle else { return sweep_pull_requests(&session, call) };
    let digest = args
        .digest
        .as_deref()
        .map(|text| Sha256::parse(text.trim()).ok_or_else(|| CliError::Digest(text.to_owned())));
    let digest = digest.transpose()?;
    let outside = runtime::open_runtime(&session)?;
    let read = bundle::read_bundle(outside.system().disk, folder, digest);
    let bundle = match read {
        Ok(bundle) => bundle,
        Err(error) => return finish_refused(&session, &outside, &error, call),
    };
    // The bundle must not decide what is reported as published.
    let mut outcome = Outcome {
        bundle_path: Some(folder.display().to_string()),
        branch: None,
        pr_url: None,
        pr_number: None,
        attempt_total: None,
        notices: Vec::new(),
        ..bundle.outcome.clone()
    };
    let failure = bundle.manifest.failure.clone();
    let events = runtime::observe_run(&session, &outside.masker, call.loudness());
    let context = RunContext { session: &session, runtime: &outside, events: &events };
    if let Err(error) = publish_bundle(context, bundle, args, &mut outcome) {
        delivery::record_failure(&mut outcome, &error);
    }
    finish_without_run(&session, &outside, outcome, &failure, call)
}

/// Closes or updates the pull requests that are out of date, and prints what was done with each.
fn sweep_pull_requests(session: &Session, call: &Call) -> Result<ExitCode, CliError> {
    let outside = runtime::open_runtime(session)?;
    let events = runtime::observe_run(session, &outside.masker, call.loudness());
    let context = RunContext { session, runtime: &outside, events: &events };
    let place = SweptRepository::open(context)?;
    let reader = place.reader();
    let swept = publish::sweep(&*place.forge, reader.as_ref());
    let swept = swept.map_err(|error| FixError::from(PublishError::from(error)))?;
    let mut text = String::new();
    for pull in &swept {
        let action = pull.action.name();
        let place =
            if pull.url.is_empty() { format!("#{}", pull.number) } else { pull.url.clone() };
        let _ = writeln!(text, "{action:<7} {place}: {}", pull.reason);
    }
    call.print_result(&outside.masker.mask(&text), &swept)?;
    let has_failed = swept.iter().any(|pull| pull.action == SweepAction::Failed);
    Ok(if has_failed { ExitCode::Publish } else { ExitCode::Ok })
}

fn publish_bundle(
    context: RunContext<'_>,
    bundle: Bundle,
    args: &PublishArgs,
    outcome: &mut Outcome,
) -> Result<(), PublishError> {
    let pull_request = args.emit == "pr";
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

/// Writes the outcome of a bundle that cannot be read.
fn finish_refused(
    session: &Session,
    outside: &Runtime,
    error: &PublishError,
    call: &Call,
) -> Result<ExitCode, CliError> {
    let id = RunId::new(outside.system().clock.fresh_id());
    let kind = OutcomeKind::PublishFailed;
    let mut outcome = Outcome::new(id, kind, String::new());
    delivery::record_failure(&mut outcome, error);
    finish_without_run(session, outside, outcome, &FailureReport::default(), call)
}
