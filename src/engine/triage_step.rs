//! Decides before anything is changed whether the failure is the code's, and runs a suspected flake again.

use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::known_failure::KnownFailure;
use super::run::Run;
use super::run_check::check;
use super::state::{CommandCheck, StepEvent};
use papayu_base::domain::outcome::CheckRecord;
use papayu_base::domain::{FailureClass, Triage};
use papayu_logs::triage::missing_package;

/// Returns the first event of the run. A log whose failure is not in the code ends a run without a command that
/// could contradict it.
pub(super) fn begin(inputs: &EngineInputs<'_>, failure: &KnownFailure) -> StepEvent {
    let log_only = inputs.rules.check == CommandCheck::None && inputs.task.goal.is_none();
    if log_only && inputs.task.log.is_some() {
        failure.emit_triage(inputs);
        if failure.triage.class.is_outside() && !failure.triage.is_estimated() {
            return StepEvent::NotOurs;
        }
    }
    StepEvent::Begin
}

/// Returns what a check of the unchanged tree means. A goal in words and actions that are given are
/// pursued whatever fails.
pub(super) fn judge_failure(
    inputs: &EngineInputs<'_>,
    failure: &KnownFailure,
    event: StepEvent,
) -> StepEvent {
    if event != StepEvent::CheckRed {
        return event;
    }
    failure.emit_triage(inputs);
    match failure.triage.class {
        _ if inputs.rules.check == CommandCheck::Goal => event,
        // An estimate is too weak to end a run.
        _ if failure.triage.is_estimated() => event,
        FailureClass::Infrastructure | FailureClass::Environment => StepEvent::NotOurs,
        FailureClass::TestFlake => StepEvent::Suspected,
        _ => event,
    }
}

/// Runs the command once more on the unchanged tree.
///
/// Fails with [`Fatal`] if the command cannot start or leaves files that cannot be restored, see
/// [`check_in`](super::run_check::check_in).
pub(super) fn rerun(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let checked = check(run, Some("again with nothing changed"))?;
    let event = checked.event();
    run.checks.reruns.push(checked.record);
    if event != StepEvent::CheckRed {
        return Ok(event);
    }
    if run.checks.has_passing_rerun() {
        // It passed in between, so it is a flake whatever it looks like now.
        return Ok(StepEvent::Suspected);
    }
    run.failure.report = checked.report;
    if checked.triage.class == FailureClass::TestFlake {
        run.failure.count_flake_reruns(run.inputs, run.checks.reruns.len());
    } else {
        run.failure.triage = checked.triage;
    }
    Ok(judge_failure(run.inputs, &run.failure, event))
}

/// Returns reason and hint of the outcome for a failure that no change was tried for.
pub(super) fn not_ours(triage: &Triage) -> (String, Option<String>) {
    let class = triage.class.name();
    let line = first_line(triage);
    if triage.class == FailureClass::RedOnBase {
        let fact = triage.evidence.first().map_or("", |it| it.line.as_str());
        let reason = format!("the failure is not one of this change: {fact}; nothing was changed");
        return (reason, triage.next_step.as_deref().map(str::to_owned));
    }
    let reason =
        format!("{} failure, not one of the code: {line}; nothing was changed", article(class));
    (reason, triage.next_step.as_deref().map(str::to_owned))
}

/// Returns reason and hint of the outcome for packages or a lockfile that no change was proposed for; `failure` is the
/// first failure with its place, and `answer` the words of a model.
pub(super) fn dependency(triage: &Triage, failure: &str, answer: &str) -> (String, Option<String>) {
    let package = triage.evidence.first().and_then(missing_package);
    let line = if package.is_some() { failure.to_owned() } else { first_line(triage) };
    let answer = if answer.is_empty() { String::new() } else { format!("; {answer}") };
    let kind = if package.is_some() { "a package is missing" } else { "a dependency failure" };
    let name = package.unwrap_or_default();
    let step = triage.next_step.as_deref().map(|step| step.replace("NAME", &name));
    (format!("{kind}: {line}{answer}"), step)
}

/// The same of a test that failed and then passed.
pub(super) fn flaky(check: &str, triage: &Triage, reruns: &[CheckRecord]) -> (String, String) {
    let line = first_line(triage);
    let reason = format!(
        "`{check}` failed, and passed in re-run {} with nothing changed: {line}",
        reruns.len()
    );
    let next = triage.next_step.as_deref().unwrap_or("look at the test");
    (
        reason,
        format!(
            "{next}; with `--prove-runs N` the run fixes it, and proves the fix by up to N passes"
        ),
    )
}

/// Returns a word with its indefinite article.
fn article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

fn first_line(triage: &Triage) -> String {
    let first = triage.evidence.first();
    first.map_or_else(String::new, |evidence| format!("`{}`", evidence.line.trim()))
}
