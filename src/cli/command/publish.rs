//! `papayu-batch publish`: a bundle's fix as a branch or a pull request, everything in it checked again.

use crate::cli::args::{GlobalArgs, PublishArgs};
use crate::cli::launch::leave;
use crate::cli::{CliError, Output, doors};
use crate::domain::{ExitCode, Outcome, Sha256};
use crate::fix::config::policy;
use crate::fix::handover::{self, Away, Handover, Wants};
use crate::fix::outside::Outside;
use crate::fix::{FixError, Session};
use crate::publish::bundle::{self, Bundle};
use crate::publish::{self, PublishError};

/// Publishes, and leaves the run's outcome with what came of it.
pub(in crate::cli) fn run(
    global: &GlobalArgs,
    args: &PublishArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = doors::session(global, args.flags())?;
    let digest = args
        .digest
        .as_deref()
        .map(|text| Sha256::parse(text.trim()).ok_or_else(|| CliError::Digest(text.to_owned())));
    let digest = digest.transpose()?;
    let outside = doors::outside(&session)?;
    let read = bundle::read_bundle(outside.system().disk, &args.bundle, digest);
    let bundle = match read {
        Ok(bundle) => bundle,
        Err(error) => return leave_refusal(&session, &outside, &error, output),
    };
    // The bundle must not decide what is reported as published.
    let mut outcome = Outcome {
        bundle_path: Some(args.bundle.display().to_string()),
        branch: None,
        pr_url: None,
        pr_number: None,
        attempt_total: None,
        notices: Vec::new(),
        ..bundle.outcome.clone()
    };
    let failure = bundle.manifest.failure.clone();
    if let Err(error) = publish_bundle(&session, &outside, bundle, args, &mut outcome) {
        handover::failed(&mut outcome, &error);
    }
    leave(&session, &outside, (outcome, &failure), output)
}

fn publish_bundle(
    session: &Session,
    outside: &Outside,
    bundle: Bundle,
    args: &PublishArgs,
    outcome: &mut Outcome,
) -> Result<(), PublishError> {
    let events = doors::observe(session, &outside.masker, args.quiet);
    let pull_request = args.emit == "pr";
    let wants = Wants { pull_request, branch: !pull_request, bundle: false };
    let desk = Handover::open(session, outside, &events, wants).map_err(|error| match error {
        FixError::Publish(error) => error,
        other => PublishError::Unreadable(other.to_string()),
    })?;
    stands(&desk, &bundle, pull_request)?;
    let policy = policy(session).map_err(|error| PublishError::Unreadable(error.to_string()))?;
    let fix = bundle.vet(&desk.git, &policy, &outside.masker)?;
    let done = if pull_request {
        desk.pull_request(&fix)?
    } else {
        publish::publish_local_branch(&desk.git, &fix, &desk.offer())?
    };
    desk.told(outcome, done);
    Ok(())
}

/// The branch that the fix is for must be where it was when the fix was proved; its commit is brought
/// here where it is not.
fn stands(desk: &Handover<'_>, bundle: &Bundle, pull_request: bool) -> Result<(), PublishError> {
    let fixed = &bundle.manifest.base_commit;
    let moved = |said: String| Err(PublishError::BaseMoved(said));
    let away = desk.away.as_ref().filter(|_| pull_request);
    let Some(Away { remote, forge }) = away else {
        if desk.base == *fixed {
            return Ok(());
        }
        return moved(format!("{} is checked out, and the fix is for {fixed}", desk.base));
    };
    let branch = match desk.offer().base.or_else(|| bundle.manifest.base_branch.clone()) {
        Some(branch) => branch,
        None => crate::forge::Forge::default_branch(forge)?,
    };
    match remote.commit_of(&desk.git, &branch)? {
        Some(tip) if tip == *fixed => Ok(remote.fetch_commit(&desk.git, &branch, fixed)?),
        Some(tip) => moved(format!("`{branch}` is at {tip}, and the fix is for {fixed}")),
        None => moved(format!("there is no branch `{branch}` any more")),
    }
}

/// A bundle that cannot even be read is an outcome, too.
fn leave_refusal(
    session: &Session,
    outside: &Outside,
    error: &PublishError,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let id = crate::domain::RunId::new(outside.system().clock.fresh_id());
    let kind = crate::domain::OutcomeKind::PublishFailed;
    let mut outcome = Outcome::new(id, kind, String::new());
    handover::failed(&mut outcome, error);
    leave(session, outside, (outcome, &crate::domain::FailureReport::default()), output)
}
