//! `papayu-batch publish`: publishes the fix of a bundle as a branch or a pull request, after checking it again.

use std::fmt::Write as _;

use super::batch::publish_folders;
use crate::batch::with_notice;
use crate::cli::args::PublishArgs;
use crate::cli::launch::finish_without_run;
use crate::cli::output::print_warning;
use crate::cli::{Call, CliError, runtime};
use crate::fix::delivery;
use crate::fix::forge_access::SweptRepository;
use crate::fix::publication::publish_bundle;
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Session};
use crate::publish::bundle::{self, MANIFEST};
use crate::publish::{self, PublishError, SweepAction};
use papayu_base::domain::{ExitCode, FailureReport, Outcome, OutcomeKind, RunId, Sha256};
use papayu_system::Disk as _;

/// Publishes the fix of a bundle, or those of a batch, and writes the outcome; without a bundle, sweeps the open pull requests.
///
/// A refused bundle or a failed publication is an outcome with its exit code. Fails with [`CliError::Digest`]
/// if `--digest` is no digest, and as [`finish_without_run`] does. A sweep fails with [`FixError::Publish`] if
/// the pull requests cannot be listed.
pub(crate) fn run_publish(call: &Call, args: &PublishArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_run_session(call, args.flags())?;
    let folder = match args.folders.as_slice() {
        [] => return sweep_pull_requests(&session, call),
        [folder] => folder,
        _ => return publish_folders(call, args, read_digest(args)?),
    };
    let digest = read_digest(args)?;
    let has = |name: &str| session.disk.is_file(&folder.join(name));
    // A batch that was killed has only its journal.
    if (has("summary.json") || has("journal.jsonl")) && !has(MANIFEST) {
        return publish_folders(call, args, digest);
    }
    let outside = open_limited(&session)?;
    let read = bundle::read_bundle(outside.system().disk, folder, digest);
    let bundle = match read {
        Ok(bundle) => bundle,
        Err(error) => return finish_refused(&session, &outside, &error, call),
    };
    let failure = bundle.manifest.failure.clone();
    let events = runtime::observe_run(&session, &outside.masker, call.loudness());
    let context = RunContext { session: &session, runtime: &outside, events: &events };
    let most = session.settings.run_timeout_sec.value.as_secs();
    let slow = || {
        print_warning(&format!(
            "waiting for the git server or the forge, at most {most} s (`--timeout`)"
        ));
    };
    let work = || publish_bundle(context, bundle, args.emit == "pr");
    let published = with_notice(slow, work);
    let outcome = Outcome { bundle_path: Some(folder.display().to_string()), ..published };
    finish_without_run(&session, &outside, outcome, &failure, call)
}

/// Returns the access to the system for the time of `--timeout`.
///
/// Fails as [`runtime::open_runtime`] does.
fn open_limited(session: &Session) -> Result<Runtime, CliError> {
    let limit = session.settings.run_timeout_sec.value;
    Ok(runtime::open_runtime(session)?.ending_at(limit))
}

/// Returns the digest of `--digest`.
///
/// Fails with [`CliError::Digest`] for another text.
fn read_digest(args: &PublishArgs) -> Result<Option<Sha256>, CliError> {
    let parse =
        |text: &str| Sha256::parse(text.trim()).ok_or_else(|| CliError::Digest(text.to_owned()));
    args.digest.as_deref().map(parse).transpose()
}

/// Closes or updates the pull requests that are out of date, and prints what was done with each.
fn sweep_pull_requests(session: &Session, call: &Call) -> Result<ExitCode, CliError> {
    let outside = open_limited(session)?;
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
