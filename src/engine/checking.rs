//! Runs the user's command before and after a change, and reads its output.

use super::confirmation::Confirmation;
use super::keep_step;
use super::review;
use super::run::{Fatal, Run, named};
use super::run_check::{Checked, check, event_of};
use super::state::Event;
use super::task::FlaggedFix;
use super::triage_step;
use crate::domain::outcome::ProofTests;
use crate::domain::{Failure, FailureClass, FailureReport};
use crate::test_results::{Comparison, TestResults, compare_results};
use crate::verify::{self, Verdict};

/// Runs the command on the unchanged tree and keeps its failures as the ones to fix.
///
/// Returns [`Event::CheckRed`] if it fails, [`Event::CheckGreen`] if it passes,
/// [`Event::FailuresHidden`] if it ends with exit code 0 although its output shows failures, or
/// an event of the triage.
///
/// # Errors
///
/// Returns [`Fatal`] if the command cannot be started or leaves the repository changed.
pub(super) fn before(run: &mut Run<'_>) -> Result<Event, Fatal> {
    // If the root cannot be listed, files created by the command are not reported.
    run.found = run.world.tree.list(None).unwrap_or_default();
    let checked = check(run, None)?;
    // The output of a passing test can contain failures, so the runner's own totals decide.
    let fails = match checked.tests.totals {
        Some(totals) => totals.failed > 0,
        None => verify::has_certain_failure(&checked.report),
    };
    let event = match checked.event() {
        Event::CheckGreen if fails => Event::FailuresHidden,
        event => event,
    };
    // The command's own output replaces an older log, unless no parser recognises it.
    let is_related = is_about_log(run, &checked.report);
    let speaks =
        |known: bool| event == Event::CheckRed && (run.task.log.is_none() || known && is_related);
    let (report_speaks, triage_speaks) = (
        // A run with failures that no parser knows can still be classified by its triage.
        speaks(!checked.report.failures.is_empty()),
        speaks(checked.triage.class != FailureClass::Unknown),
    );
    if report_speaks {
        run.report = checked.report;
    }
    if report_speaks || triage_speaks {
        run.triage = checked.triage;
    }
    run.before = Some(checked.record);
    run.tests_before = Some(checked.tests);
    Ok(triage_step::judged(run, event))
}

/// Returns `true` unless the log has failures and a command that the user did not name shows only others.
fn is_about_log(run: &Run<'_>, report: &FailureReport) -> bool {
    let by_user = run.task.check.as_ref().is_some_and(|check| check.by_user);
    let known = &run.report.failures;
    let is_known = |failure: &Failure| known.iter().any(|it| it.identity() == failure.identity());
    by_user || known.is_empty() || report.failures.iter().any(is_known)
}

/// Runs the command on the changed tree. Its failures are recorded for the attempt; the failure to fix remains
/// that of the old tree, because a change that does not help is reverted.
///
/// Returns [`Event::CheckGreen`] only if all of this is true: exit code 0, none of the earlier
/// failures in the output, the proof that the settings require, no refused review flag, and the
/// change still on disk.
pub(super) fn after(run: &mut Run<'_>) -> Result<Event, Fatal> {
    // Results of the attempt before must not count for this one.
    run.vanished.clear();
    run.contradictions.clear();
    run.review_flags.clear();
    run.confirmed = Confirmation::default();
    let Checked { record, ran, report, tests, .. } = match review::check_without_tests(run)? {
        Some(failed) => failed,
        None => check(run, None)?,
    };
    // The end of the command that failed decides: a passing proof run after it does not make it
    // pass.
    let mut event = event_of(ran.end);
    if let Verdict::Red { new, still, gone } =
        verify::compare_reports(&run.report, &report, ran.passed())
    {
        // Exit code 0 with failures in the output: `npm test || true`, or a pipe into another
        // program.
        if event == Event::CheckGreen {
            event = Event::CheckRed;
            let named = still.iter().map(|failure| format!("it still reports `{failure}`"));
            run.contradictions.extend(named);
        }
        let part = |title: &str, lines: &[String]| match lines {
            [] => String::new(),
            lines => format!("{title}:\n  {}\n", lines.join("\n  ")),
        };
        let note = if run.proof_tests == ProofTests::Changed && !run.config.policy.allow_test_edits
        // The model must know it, or it would look for the failure in tests that did not run.
        {
            "the new test files were left out of this run\n".to_owned()
        } else {
            String::new()
        };
        // The new test files were excluded, so the model must not expect their results.
        run.failure_after = [
            note,
            part("new failures", &new),
            part("still failing", &still),
            part("no longer failing", &gone),
            report.excerpt.clone(),
        ]
        .concat();
    }
    run.after = Some(record);
    // The trace distinguishes a change that was only previewed from one that a command has
    // checked.
    run.exchange_mut(|exchange| exchange.verified = true);
    // A pass that is not proved is handled as a failure, so the change is reverted.
    if event == Event::CheckGreen && !review::flag_places(run) {
        return Ok(Event::Interrupted);
    }
    if event == Event::CheckGreen && !is_proved(run, &tests) {
        event = Event::CheckRed;
    }
    // Checked last: only a pass that counts otherwise can be spoiled by a missing change.
    if event == Event::CheckGreen && is_taken_back(run) {
        event = Event::CheckRed;
    } else if event == Event::CheckRed && keep_step::helps(run, &report, ran) {
        // A partial fix is kept only after all reasons against a pass were checked.
        event = Event::CheckBetter;
    }
    run.report_after = Some(report);
    Ok(event)
}

/// Returns `true` if the output of a command that passed shows the success that is required, and
/// nothing that contradicts it.
///
/// Each contradiction is one sentence in `run.contradictions`; they become the reason of the
/// outcome and part of the next request.
fn is_proved(run: &mut Run<'_>, tests: &TestResults) -> bool {
    let Comparison { level, contradictions } = compare_results(run.tests_before.as_ref(), tests);
    run.proof = level;
    run.contradictions.extend(contradictions);
    let was_red = run.before.as_ref().is_some_and(|before| before.exit_code != Some(0));
    if was_red && run.proof_tests == ProofTests::Changed && !run.config.policy.allow_test_edits {
        let fact = "it passes only with the new test files; `--allow-test-edits` would accept that";
        run.contradictions.push(fact.to_owned());
    }
    if run.config.flagged == FlaggedFix::Refuse {
        let said = run.review_flags.iter().map(|flag| {
            format!(
                "{} line {} {}; `--accept-flags` would accept it",
                flag.path, flag.line, flag.reason
            )
        });
        run.contradictions.extend(said);
    }
    let required = run.config.require_proof;
    // A contradiction is the better message, so a missing level is added only without one.
    if run.contradictions.is_empty() && level < required {
        let (seen, required) = (level.name(), required.name());
        run.contradictions.push(format!("the proof is `{seen}`, and `{required}` is required"));
    }
    if !run.contradictions.is_empty() {
        let facts = run.contradictions.join("\n  ");
        run.failure_after =
            format!("the command ended with exit code 0, which does not count:\n  {facts}\n");
    }
    run.contradictions.is_empty()
}

/// Returns `true` if the command passed but removed or reverted a part of the change (`git
/// checkout`, a generator, a formatter): its success proves nothing about the change.
pub(super) fn is_taken_back(run: &mut Run<'_>) -> bool {
    run.vanished.sort();
    run.vanished.dedup();
    if !run.vanished.is_empty() {
        let names = named(&run.vanished);
        run.failure_after =
            format!("the command ended with exit code 0, but took the change of {names} back\n");
    }
    !run.vanished.is_empty()
}
