//! Confirms a fix: the new tree passes once more, the old tree fails once more, and the guard has not got worse.

use std::time::Duration;

use super::check_log::CheckLog;
use super::checking::is_taken_back;
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::flake;
use super::run::Run;
use super::run_check::{Checked, check, check_command};
use super::state::StepEvent;
use super::task::{Guard, GuardKind};
use crate::apply;
use crate::verify::{self, Verdict};
use papayu_base::domain::outcome::{CheckRecord, GuardRecord};
use papayu_base::domain::{RepoPath, SandboxLevel, Sha256};
use papayu_logs::test_results::lost_passes;
use papayu_patch::prompts::AttemptEnd;
use papayu_system::{End, NetworkMode};
use papayu_vet::{self as vet, VettedChange};

/// Longest run, in milliseconds, that is repeated as a control before a change.
const MAX_CONTROL_MS: u64 = 300_000;

/// Longest run, in milliseconds, that is repeated after a change. The confirmation needs two
/// more runs, so the limit is far below that of the control run.
const MAX_REPEAT_MS: u64 = 10_000;

/// Time limit of a guard, as a multiple of the duration of the command.
const GUARD_FACTOR: u32 = 5;
/// Least time limit of a guard: a command of a few milliseconds does not show the duration of its full
/// form.
const MIN_GUARD: Duration = Duration::from_secs(10);

/// Largest file, in bytes, that gets a comment for the control run.
const MAX_TOUCHED: u64 = 1 << 20;

/// Most files that are looked through for one that can get a comment.
const MAX_CANDIDATES: usize = 500;

/// Completes the sentence "the command …" in the reason of the outcome.
const NOTHING_CHANGED: &str = "passed when it ran again with nothing changed";

/// Runs the command once more before a model is asked, with a change that does nothing: a failure that goes away
/// then is not the code's. A command that takes long is not run again.
///
/// Unless the user decides about the network, this run has none. If its results are the same as before, the code that
/// the change brings does not get the network either; if not, the command needs it, and is run again with it.
pub(super) fn control(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    if run.checks.before.as_ref().is_some_and(|before| before.ms > MAX_CONTROL_MS) {
        return Ok(StepEvent::CheckRed);
    }
    // The command decides with its result whether the network is taken away for the rest of the
    // run.
    run.checks.is_offline = may_lose_network(run.inputs);
    let (mut checked, mut how) = check_once_more(run)?;
    if run.checks.is_offline
        && !has_earlier_results(run.checks.before.as_ref(), &checked)
        && checked.ran.end != End::Interrupted
    {
        run.checks.is_offline = false;
        (checked, how) = check_once_more(run)?;
    }
    let event = checked.event();
    run.checks.control = Some(checked.record);
    if event == StepEvent::CheckGreen {
        run.checks.confirmed.unreliable = Some(how);
    }
    Ok(event)
}

/// Runs the command again: with a comment added to a file, or unchanged if a kept change is on
/// disk already.
fn check_once_more(run: &mut Run<'_>) -> Result<(Checked, String), Fatal> {
    let purpose = "again before a change, as a control";
    if run.changes.kept.is_empty() {
        check_with_comment(run, purpose)
    // A kept change is on disk already, so the tree is not the original one and gets no
    // comment.
    } else {
        Ok((check(run, Some(purpose))?, NOTHING_CHANGED.to_owned()))
    }
}

/// Returns `true` if the user left the choice of the network to the program and a sandbox can
/// deny it.
fn may_lose_network(inputs: &EngineInputs<'_>) -> bool {
    let sandbox = inputs.world.system.process.sandbox_record();
    inputs.config.verify.network == NetworkMode::Auto
        && sandbox.is_some_and(|record| record.level > SandboxLevel::None)
}

/// Returns `true` if a run ended as the first one did, with the same failures and as many tests.
fn has_earlier_results(before: Option<&CheckRecord>, now: &Checked) -> bool {
    // Durations are not compared: they differ between any two runs.
    let CheckRecord { exit_code, timed_out, failures, tests, .. } = &now.record;
    before.is_some_and(|before| {
        before.exit_code == *exit_code
            && before.timed_out == *timed_out
            && before.failures == *failures
            && before.tests == *tests
    })
}

/// Adds a comment to one file, runs the command and reverts the comment.
///
/// Returns the result with the end of a sentence that describes the change, for the reason of
/// the outcome.
fn check_with_comment(run: &mut Run<'_>, purpose: &str) -> Result<(Checked, String), Fatal> {
    let Some((path, change)) = find_empty_change(run) else {
        return Ok((check(run, Some(purpose))?, NOTHING_CHANGED.to_owned()));
        // A comment changes the bytes, digest and time stamp of a file and nothing else: a command
        // that passes now depends on one of these, or on chance.
    };
    let EngineInputs { world, id, .. } = run.inputs;
    // It is no change of the run: a command that removes the comment takes nothing back.
    let applied = apply::commit(world.tree, world.system.clock, &change, id);
    let applied = applied.map_err(Fatal::apply)?;
    // The command sees the file as changed by this run, so it is not reported as changed by the
    // command.
    run.changes.tracked.add_own(applied.paths());
    let checked = check(run, Some(purpose));
    // Reverted before the result is looked at, so that a failed command leaves no comment
    // behind.
    run.changes.copies.extend(applied.roll_back().map_err(Fatal::apply)?);
    let how = format!("passed when it ran again with only a comment added to `{path}`");
    Ok((checked?, how))
}

/// Returns a change that adds a comment to one source file, and the path of that file.
///
/// Files of the change come first, then files that the failure names, then any other: a cache
/// of the test runner is most likely keyed by one of the first two.
fn find_empty_change(run: &Run<'_>) -> Option<(RepoPath, VettedChange)> {
    let changed = run.changes.vetted.iter().flat_map(|it| it.whole().changes());
    let changed = changed.map(|it| it.path().as_str());
    let named =
        run.failure.report.failures.iter().flat_map(|it| &it.locations).map(|it| it.path.as_str());
    let others = run.inputs.world.survey.files().iter().map(String::as_str);
    let paths = changed.chain(named).chain(others).take(MAX_CANDIDATES);
    paths
        .filter_map(|path| RepoPath::parse(path).ok())
        .find_map(|path| Some((path.clone(), add_comment(run.inputs, &path)?)))
}

/// Returns the change that adds a comment to `path`; `None` if its language has no known
/// comment mark, the file is too large, or the gates refuse it.
fn add_comment(inputs: &EngineInputs<'_>, path: &RepoPath) -> Option<VettedChange> {
    vet::comment_mark(path)?;
    let before = inputs.world.tree.read(path, MAX_TOUCHED).ok()?;
    let shown = [(path.clone(), Sha256::of(&before))].into_iter().collect();
    let sides = vet::with_comment(path, before)?;
    let snapshot = inputs.snapshot(&shown, None);
    let clock = inputs.world.system.clock;
    vet::vet_files_until(vec![sides], &snapshot, &inputs.policy, &|| clock.interrupted()).ok()?
}

/// Confirms the change on disk, after which the command passed.
///
/// A flake is confirmed by [`flake::prove`]. Any other fix is confirmed in this order: the
/// command once more with the change, once more without it, then the guards on the old and on
/// the new tree.
///
/// # Errors
///
/// Returns [`Fatal`] if a file cannot be written, or a guard that the user named cannot be
/// started.
pub(super) fn confirm(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    // A flake is proved by many runs, after which a confirmation by two more adds nothing.
    if flake::is_flake(run.inputs, &run.failure, &run.checks) {
        let event = flake::prove(run)?;
        if event != StepEvent::CheckGreen {
            return Ok(event);
        }
    }
    let repeats = is_repeated(run);
    let guards = run.inputs.task.guards.clone();
    let Some(change) = run.changes.vetted.clone().filter(|_| repeats || !guards.is_empty()) else {
        return Ok(StepEvent::CheckGreen);
    };
    // New, new, old: a command that passes in turns would have to keep to this order.
    if repeats {
        let again = check(run, Some("again to confirm the fix"))?;
        let event = again.event();
        run.checks.confirmed.repeated.push(again.record);
        match event {
            StepEvent::CheckGreen => {}
            StepEvent::CheckRed => {
                return Ok(unreliable(
                    &mut run.checks,
                    "failed when it ran again with the change in place",
                ));
            }
            event => return Ok(event),
        }
    }
    run.changes.revert()?;
    if repeats {
        let (again, how) = check_with_comment(run, "again without the change, which must fail")?;
        let event = again.event();
        run.checks.confirmed.repeated.push(again.record);
        match event {
            StepEvent::CheckRed => {}
            StepEvent::CheckGreen => return Ok(unreliable(&mut run.checks, &how)),
            event => return Ok(event),
        }
    }
    let mut compared = Vec::new();
    for guard in &guards {
        compared.extend(run_guard(run, guard)?.map(|old| (guard, old)));
    }
    // The guards ran on the old tree; the new one is needed for the comparison.
    run.changes.write(run.inputs, &change).map_err(Fatal::apply)?;
    for (guard, old) in &compared {
        if let Some(event) = compare_guard(run, guard, old)? {
            return Ok(event);
        }
    }
    Ok(if is_taken_back(&mut run.changes, &mut run.assessment) {
        StepEvent::CheckRed
    } else {
        StepEvent::CheckGreen
    })
}

/// Returns whether the runs of the confirmation are repeated: the command is short, and more
/// than the rule of a tool must explain its success.
///
/// A command that changes tracked files may make the fix itself, and is repeated up to the
/// limit of the control run.
fn is_repeated(run: &Run<'_>) -> bool {
    let rewrites = !run.changes.tracked.rewritten.is_empty();
    let limit = if rewrites { MAX_CONTROL_MS } else { MAX_REPEAT_MS };
    run.inputs.config.control_run
        && run.checks.before.as_ref().is_some_and(|it| it.exit_code != Some(0) && it.ms <= limit)
        && (!run.attempts.is_free() || rewrites)
        && run.checks.reruns.is_empty()
}

/// Keeps the reason why the command proves nothing; `how` completes the sentence "the command
/// …".
fn unreliable(checks: &mut CheckLog, how: &str) -> StepEvent {
    checks.confirmed.unreliable = Some(how.to_owned());
    StepEvent::Unreliable
}

/// Runs the guard on the old tree.
///
/// Returns `None` if there is nothing to compare with: a guard that the program chose itself
/// does not start or takes too long, or a type checker finds errors before the change.
///
/// # Errors
///
/// Returns [`Fatal`] if a guard that the user named cannot be started.
fn run_guard(run: &mut Run<'_>, guard: &Guard) -> Result<Option<Checked>, Fatal> {
    let command_ms = run.checks.before.as_ref().map_or(0, |before| before.ms);
    // The guard may be a whole test suite, so its limit depends on the duration of the command.
    let allowed = Duration::from_millis(command_ms).saturating_mul(GUARD_FACTOR).max(MIN_GUARD);
    let by_user = guard.kind == GuardKind::Named;
    let limit = if by_user { Duration::MAX } else { allowed };
    let why =
        match check_command(run, &guard.command, Some("without the change, to compare"), limit) {
            Ok(checked) if checked.record.timed_out && !by_user => {
                format!("it did not end within {} s", limit.as_secs())
            }
            Ok(checked) if guard.kind == GuardKind::TypeCheck && !checked.ran.passed() => {
                "it fails without the fix, too".to_owned()
            }
            Ok(checked) => return Ok(Some(checked)),
            Err(fatal) if by_user => {
                return Err(Fatal { hint: Some("check `--guard`".to_owned()), ..fatal });
            }
            Err(fatal) => fatal.reason,
        };
    run.checks.confirmed.not_compared.push(format!("`{}` was not compared: {why}", guard.command));
    Ok(None)
}

/// Runs the guard on the new tree, and once more if it is worse than before, because a test may
/// fail by accident.
///
/// Returns the event that ends the attempt; `None` if the guard is as good as before.
fn compare_guard(
    run: &mut Run<'_>,
    guard: &Guard,
    old: &Checked,
) -> Result<Option<StepEvent>, Fatal> {
    let (mut worse, mut excerpt) = (Vec::new(), String::new());
    for _ in 0..2 {
        let new = check_command(run, &guard.command, Some("with the change"), Duration::MAX)?;
        if new.event() == StepEvent::Interrupted {
            return Ok(Some(StepEvent::Interrupted));
        }
        worse = describe_losses(&guard.command, old, &new);
        let record = GuardRecord { before: old.record.clone(), after: new.record };
        match guard.kind {
            GuardKind::Named | GuardKind::WholeCheck => run.checks.confirmed.guard = Some(record),
            GuardKind::TypeCheck => run.checks.confirmed.type_check = Some(record),
        }
        excerpt = new.report.excerpt;
        if worse.is_empty() {
            return Ok(None);
        }
    }
    run.assessment.end = AttemptEnd::Passed;
    run.assessment.failure_after = format!(
        "the command passed, and the change breaks what passed before:\n  {}\n{excerpt}",
        worse.join("\n  ")
    );
    run.assessment.contradictions = worse;
    Ok(Some(StepEvent::CheckRed))
}

/// Returns one sentence for each thing that passed before the change and does not pass after
/// it.
fn describe_losses(command: &str, old: &Checked, new: &Checked) -> Vec<String> {
    let lost = lost_passes(&old.tests, &new.tests);
    let mut found: Vec<String> =
        lost.into_iter().map(|it| format!("in `{command}`, {it}")).collect();
    // Exit codes are compared first: they need no parser.
    if old.ran.passed() && !new.ran.passed() {
        found.push(format!("`{command}` passed before the change and fails after it"));
    }
    // A red guard still shows failures if its tests are not known by name.
    if let Verdict::Red { new, .. } =
        verify::compare_reports(&old.report, &new.report, new.ran.passed())
        && !new.is_empty()
        && found.is_empty()
    {
        found.push(format!("`{command}` has new failures: {}", new.join(", ")));
    }
    found
}
