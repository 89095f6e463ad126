//! Compares the failure with the base commit: a failure that is there too is not the fault of
//! the work.

use std::path::Path;
use std::time::Duration;

use super::run::Run;
use super::run_check::check_in;
use super::state::StepEvent;
use super::task::World;
use super::world_facts::{ask_git, find_commit};
use crate::verify::{self, VerifyConfig};
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::outcome::CheckRecord;
use papayu_base::domain::{Evidence, FailureClass, FailureReport, Triage};
use papayu_system::End;

mod commit_copy;

pub(super) use commit_copy::{CommitCopy, copy_commit};

/// Returns [`StepEvent::NotOurs`] if the command fails in the same way on the base, else the event that is given.
///
/// A base that cannot be copied (a shallow clone, no space) or lacks the program does not end the run: the reason is
/// kept in the log of the checks and shown with the outcome.
pub(super) fn judge_base(run: &mut Run<'_>, event: StepEvent) -> StepEvent {
    // Only a failure can be somebody else's; any other event passes through.
    let Some(base) = run.inputs.task.base.clone().filter(|_| event == StepEvent::CheckRed) else {
        return event;
    };
    let copy = match lay_out(&run.inputs.world, &base) {
        Ok(Some(copy)) => copy,
        Ok(None) => return event,
        Err(reason) => {
            run.checks.base_note =
                Some(format!("the failure was not compared with `{base}`: {reason}"));
            return event;
        }
    };
    let Some(check) = run.inputs.task.check.clone() else { return event };
    let purpose = Some("on the base revision");
    // The run on the copy has no limit of its own: the limit of the whole run applies.
    let checked = match check_in(run, &copy.root, &check.command, purpose, Duration::MAX) {
        Ok(checked) => checked,
        Err(fatal) => {
            let reason = fatal.reason;
            run.checks.base_note =
                Some(format!("the failure was not compared with `{base}`: {reason}"));
            return event;
        }
    };
    if checked.event() == StepEvent::Interrupted {
        return StepEvent::Interrupted;
    }
    if checked.event() != StepEvent::CheckRed || !is_same(run, &checked.report, &copy.root) {
        return event;
    }
    // Twelve digits are the length at which git abbreviates ids in large repositories.
    let commit = copy.commit.get(..12).unwrap_or(&copy.commit);
    let line = format!("`{}` fails in the same way on `{base}` ({commit})", check.command);
    run.failure.triage = Triage {
        class: FailureClass::RedOnBase,
        evidence: vec![Evidence { rule: "base".to_owned(), line, number: None }],
        next_step: Some("fix it there first, or use `--fix-base`".into()),
    };
    StepEvent::NotOurs
}

/// Returns whether the base shows every failure that the working tree shows.
///
/// Paths are compared relative to each root, because the copy is in another folder. A report
/// without failures (no parser knew the output) equals only another report without failures.
fn is_same(run: &Run<'_>, base: &FailureReport, root: &Path) -> bool {
    let names = |report: &FailureReport, root: &Path| -> Vec<String> {
        let root = format!("{}/", root.display());
        report.failures.iter().map(|failure| failure.identity_below(&root)).collect()
    };
    let there = names(base, root);
    let here = names(&run.failure.report, run.inputs.world.tree.root());
    // With failures on both sides, the base may show more of them, but not fewer.
    if here.is_empty() { there.is_empty() } else { here.iter().all(|it| there.contains(it)) }
}

/// Runs a command on a copy of a commit. The failures of its output are not read.
///
/// # Errors
///
/// A sentence when the copy cannot be made, or the command cannot be started or is ended by a signal of the user.
pub fn check_commit(
    world: &World<'_>,
    config: &VerifyConfig,
    command: &str,
    commit: &str,
) -> Result<CheckRecord, String> {
    let copy = copy_commit(world, commit.to_owned(), &[])?;
    let started = RunEvent::new(EventName::VerifyStarted).with("command", command);
    let purpose = format!("on commit {}", commit.get(..12).unwrap_or(commit));
    world.events.emit(started.with("purpose", purpose));
    let mut show = |bytes: &[u8]| world.events.push_output(bytes);
    let ran = verify::run_command(world.system, &copy.root, command, config, &mut show);
    let ran = ran.map_err(|error| error.to_string())?;
    if ran.end == End::Interrupted {
        return Err("a signal ended it".to_owned());
    }
    Ok(ran.check_record(&world.masker.mask(command), &FailureReport::default(), None))
}

/// Writes the files of the base commit to a temporary folder.
/// Returns `None` if `HEAD` is an ancestor of the base: then the working tree has no commits of
/// its own that could have caused the failure.
///
/// # Errors
///
/// Returns a sentence with the reason: the clone does not have the commit, or a program failed.
fn lay_out(world: &World<'_>, base: &str) -> Result<Option<CommitCopy>, String> {
    let commit = find_commit(world, base)?;
    if ask_git(world, &["merge-base", "--is-ancestor", "HEAD", &commit]).is_ok() {
        return Ok(None);
    }
    copy_commit(world, commit, &[]).map(Some)
}
