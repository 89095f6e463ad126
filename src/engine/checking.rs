//! Runs the user's command before and after a change, and reads its output.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::change_state::{ChangeState, quote_paths};
use super::check_log::{Assessment, CheckLog, Confirmation};
use super::end_text::{HINT_FOR_PROOF, HINT_FOR_TESTS};
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::proof_doubts;
use super::review;
use super::run::Run;
use super::run_check::{Checked, check, check_command, event_of};
use super::state::{CommandCheck, StepEvent};
use super::task::FlaggedFix;
use super::triage_step;
use crate::verify::{self, Ran, Verdict};
use papayu_base::domain::outcome::ProofTests;
use papayu_base::domain::{Failure, FailureClass, FailureReport, ReportedFinding};
use papayu_base::text::is_word_char;
use papayu_logs::test_results::{Comparison, TestResults, compare_results, describe_results};
use papayu_logs::triage::has_not_started;
use papayu_patch::preview::Change;
use papayu_patch::prompts::AttemptEnd;
use papayu_system::End;
use papayu_vet::{VettedChange, find_allowed};

/// The exit code of a command if its reader ended first, such as `yes` in `yes | head -1`: 128 and SIGPIPE.
const ENDED_BY_READER: i32 = 141;

/// Runs the command on the unchanged tree and keeps its failures as the ones to fix.
///
/// Returns [`StepEvent::CheckRed`] if it fails, [`StepEvent::CheckGreen`] if it passes,
/// [`StepEvent::FailuresHidden`] or [`StepEvent::NothingRan`] if it ends with exit code 0 although its
/// output shows failures or no test ran, or an event of the triage.
///
/// # Errors
///
/// Returns [`Fatal`] if the command cannot be started or leaves the repository changed.
pub(super) fn before(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    // If the root cannot be listed, files created by the command are not reported.
    run.checks.root_names = run.inputs.world.tree.list(None).unwrap_or_default();
    let checked = check(run, None)?;
    let event = match checked.event() {
        StepEvent::CheckGreen if hides_failures(&checked) || hides_exit_code(run, &checked) => {
            StepEvent::FailuresHidden
        }
        StepEvent::CheckGreen if checked.tests.ran_nothing() || shows_nothing(&checked) => {
            StepEvent::NothingRan
        }
        event => event,
    };
    // The command's own output replaces an older log, unless no parser recognises it.
    let is_related = is_about_log(run.inputs, &run.failure.report, &checked.report);
    // A goal is pursued although the command hides failures, which are then not the ones to fix.
    let is_failure = event == StepEvent::CheckRed
        || event == StepEvent::FailuresHidden && run.inputs.rules.check != CommandCheck::Goal;
    let speaks = |known: bool| is_failure && (run.inputs.task.log.is_none() || known && is_related);
    let (report_speaks, triage_speaks) = (
        // A run with failures that no parser knows can still be classified by its triage.
        speaks(!checked.report.failures.is_empty()),
        speaks(checked.triage.class != FailureClass::Unknown),
    );
    if report_speaks {
        run.failure.replace_report(checked.report);
    }
    if report_speaks || triage_speaks {
        run.failure.triage = checked.triage;
    }
    run.changes.tracked.end_first_run();
    run.checks.is_green = event == StepEvent::CheckGreen;
    run.checks.before = Some(checked.record);
    run.checks.tests_before = Some(checked.tests);
    Ok(triage_step::judge_failure(run.inputs, &run.failure, event))
}

/// Returns `true` if the output of a command that ended with exit code 0 shows failures.
fn hides_failures(checked: &Checked) -> bool {
    let TestResults { totals, load_errors, .. } = &checked.tests;
    match totals {
        Some(totals) if totals.failed > 0 => true,
        _ if *load_errors > 0 => true,
        // A passing test may print failures, so the runner's own totals decide, except about builds:
        // `make -k` and pipes go on after a build that failed.
        Some(totals) if totals.ran() > 0 => verify::has_build_failure(&checked.report),
        _ => verify::has_failure(&checked.report) || hides_missing_tool(checked),
    }
}

/// Returns `true` if neither the exit code nor the output of the command could show a failure, as of `make test > log || true`.
fn shows_nothing(checked: &Checked) -> bool {
    checked.report.excerpt.trim().is_empty() && verify::always_passes(&checked.record.command)
}

/// Returns `true` if a pipe passed and one of its commands fails, by a run with the exit codes of all of them. A runner's
/// own totals of tests that passed are enough without it.
fn hides_exit_code(run: &mut Run<'_>, checked: &Checked) -> bool {
    let command = &checked.record.command;
    let has_passed = checked.tests.has_run();
    let is_goal = run.inputs.rules.check == CommandCheck::Goal;
    if has_passed || is_goal || verify::hiding_operator(command) != Some("|") {
        return false;
    }
    let purpose = Some("with the exit codes of all commands of the pipe");
    let Some(strict) = verify::with_pipefail(command) else { return false };
    // Without bash, the exit codes are unknown.
    let strict = check_command(run, &strict, purpose, Duration::MAX);
    strict.is_ok_and(
        |strict| matches!(strict.ran.end, End::Code(code) if code != 0 && code != ENDED_BY_READER),
    )
}

/// Returns `true` if the command may hide the exit code of a part, and its output shows that a part did not start, such as
/// `sh: 1: pytest: not found` of `pytest | cat`.
fn hides_missing_tool(checked: &Checked) -> bool {
    // Other errors of the environment may be what `|| true` permits.
    verify::hiding_operator(&checked.record.command).is_some() && has_not_started(&checked.triage)
}

/// Returns `true` unless the log has failures and a command that the user did not name shows only others. No test repeats the
/// finding of a scanner.
fn is_about_log(inputs: &EngineInputs<'_>, log: &FailureReport, report: &FailureReport) -> bool {
    let by_user = inputs.task.check.as_ref().is_some_and(|check| check.by_user);
    let of_command = |failure: &&Failure| !ReportedFinding::is_scanner(&failure.toolchain);
    let known: Vec<&Failure> = log.failures.iter().filter(of_command).collect();
    let is_known = |failure: &Failure| known.iter().any(|it| it.identity() == failure.identity());
    by_user || known.is_empty() || report.failures.iter().any(is_known)
}

/// Runs the command on the changed tree. Its failures are recorded for the attempt; the failure to fix remains
/// that of the old tree, because a change that does not help is reverted.
///
/// Returns [`StepEvent::CheckGreen`] only if all of this is true: exit code 0, none of the earlier
/// failures in the output, the proof that the settings require, no refused review flag, and the
/// change still on disk.
pub(super) fn after(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    // Results of the attempt before must not count for this one.
    run.changes.vanished.clear();
    run.assessment.begin_attempt();
    run.checks.confirmed = Confirmation::default();
    let Checked { record, ran, report, tests, .. } = match review::check_without_tests(run)? {
        Some(failed) => failed,
        None => check(run, None)?,
    };
    // The end of the command that failed decides: a passing proof run after it does not make it
    // pass.
    let mut event = event_of(ran.end);
    let verdict = verify::compare_reports(&run.failure.report, &report, ran.passed());
    if let Verdict::Red { new, still, gone } = verdict {
        // Exit code 0 with failures in the output: `npm test || true`, or a pipe into another
        // program.
        if event == StepEvent::CheckGreen {
            event = StepEvent::CheckRed;
            let named = still.iter().map(|failure| format!("it still reports `{failure}`"));
            run.assessment.contradictions.extend(named);
        }
        let is_partial = needs_new_tests(run.inputs, &run.assessment);
        // After a signal or a time limit the output is incomplete, and missing failures are no progress.
        let is_complete = matches!(ran.end, End::Code(code) if code != 0);
        let helped = is_complete && new.is_empty() && !gone.is_empty() && !is_partial;
        if helped {
            run.assessment.end = AttemptEnd::Helped;
        }
        let all = gone.len() + still.len();
        let progress =
            format!("{} of {all} failures are fixed, and no new ones came\n", gone.len());
        run.assessment.failure_after = [
            // The model must know it, or it would look for the failure in tests that did not run.
            if is_partial { "the new test files were left out of this run\n" } else { "" },
            if helped { &progress } else { "" },
            &list_part("new failures", &new),
            &list_part("still failing", &still),
            &list_part("no longer failing", &gone),
            &report.excerpt,
        ]
        .concat();
    }
    run.checks.after = Some(record);
    // The trace distinguishes a change that was only previewed from one that a command has
    // checked.
    run.exchanges.update(|exchange| exchange.verified = true);
    // A pass that is not proved is handled as a failure, so the change is reverted.
    if event == StepEvent::CheckGreen {
        if let Some(change) = &run.changes.vetted {
            let Some(places) = review::find_places(run.inputs, &run.failure, change) else {
                return Ok(StepEvent::Interrupted);
            };
            run.assessment.review_flags = places.flags;
            run.assessment.review_notes = places.notes;
            run.assessment.review_notes.extend(find_allowed(change, &run.policy()));
        }
        let is_proved = is_proved(run.inputs, &run.checks, &mut run.assessment, &tests);
        let doubts = proof_doubts::find_doubts(run);
        if !is_proved || !doubts.is_empty() {
            event = StepEvent::CheckRed;
        }
        // They name the cause of what the comparison of the tests only counts.
        run.assessment.contradictions.splice(0..0, doubts);
    }
    // Checked last: only a pass that counts otherwise can be spoiled by a missing change.
    if event == StepEvent::CheckGreen && is_taken_back(&mut run.changes, &mut run.assessment) {
        event = StepEvent::CheckRed;
    } else if is_base(run, event, &report, ran) {
        // A partial fix is kept only after all reasons against a pass were checked.
        event = StepEvent::CheckBetter;
    }
    run.assessment.report_after = Some(report);
    Ok(event)
}

/// Returns failures below a title; empty if there are none.
fn list_part(title: &str, lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        lines => format!("{title}:\n  {}\n", lines.join("\n  ")),
    }
}

/// Returns `true` if the command needs the test files of the change and the settings do not allow that.
fn needs_new_tests(inputs: &EngineInputs<'_>, assessment: &Assessment) -> bool {
    assessment.proof_tests == ProofTests::Changed && !inputs.policy.allows_other_tests()
}

/// Returns `true` if the output of a command that passed shows the success that is required, and
/// nothing that contradicts it.
///
/// Each contradiction is one sentence of the assessment; they become the reason of the outcome
/// and part of the next request.
fn is_proved(
    inputs: &EngineInputs<'_>,
    checks: &CheckLog,
    assessment: &mut Assessment,
    tests: &TestResults,
) -> bool {
    let Comparison { level, contradictions } = compare_results(checks.tests_before.as_ref(), tests);
    assessment.proof = level;
    assessment.evidence = describe_results(checks.tests_before.as_ref(), tests);
    let is_tested = checks.tests_before.as_ref().is_some_and(TestResults::has_run);
    // A change that loses the tests of the run before is at fault itself.
    if assessment.contradictions.is_empty() && tests.ran_nothing() && !is_tested {
        assessment.hint = Some(HINT_FOR_TESTS);
    }
    assessment.contradictions.extend(contradictions);
    if checks.was_red() && needs_new_tests(inputs, assessment) {
        let fact = "it passes only with the new test files; `--allow tests` would accept that";
        assessment.contradictions.push(fact.to_owned());
    }
    if inputs.config.flagged == FlaggedFix::Refuse {
        let reasons = assessment.review_flags.iter().map(|flag| {
            format!(
                "{} line {} {}; `--accept-flags` would accept it",
                flag.path, flag.line, flag.reason
            )
        });
        assessment.contradictions.extend(reasons);
    }
    let required = inputs.config.require_proof;
    // A contradiction is the better message, so a missing level is added only without one.
    if assessment.contradictions.is_empty() && level < required {
        let (seen, required) = (level.name(), required.name());
        let fact = format!("the proof is `{seen}`, and `{required}` is required");
        assessment.contradictions.push(fact);
        assessment.hint = Some(HINT_FOR_PROOF);
    }
    if !assessment.contradictions.is_empty() {
        let facts = assessment.contradictions.join("\n  ");
        assessment.end = AttemptEnd::Passed;
        assessment.failure_after =
            format!("the command ended with exit code 0, which does not count:\n  {facts}\n");
    }
    assessment.contradictions.is_empty()
}

/// Returns `true` if a change of the quickfix stage fixed a part of the failures and caused no
/// new one.
///
/// A change of a model that does not fix everything is reverted, because the next attempt must
/// not build on a guess.
fn helps(run: &Run<'_>, after: &FailureReport, ran: Ran) -> bool {
    // After a signal or a time limit the output is incomplete, and missing failures are no
    // progress.
    let exits = matches!(ran.end, End::Code(code) if code != 0);
    // All of this is needed: a change of the tools, an ordinary failure, and fewer failures
    // than before.
    let written = run.changes.vetted.as_ref().map(find_written_words).unwrap_or_default();
    if !run.attempts.is_free()
        || !exits
        || !verify::is_progress(&run.failure.report, after, &written)
    {
        return false;
    }
    // A recipe replaces code for good; a test that only fails elsewhere does not show that it may.
    let is_recipe = run.attempts.recipes.current.is_some();
    if is_recipe && verify::count_fixed(&run.failure.report, after) == 0 {
        return false;
    }
    run.changes.applied.is_some() && run.changes.vanished.is_empty()
}

/// Returns the words that the step under way adds to files, or to which it adds a further use.
fn find_written_words(change: &VettedChange) -> BTreeSet<String> {
    let mut counts: HashMap<String, i64> = HashMap::new();
    for change in change.step().changes() {
        let Change::WriteFile { before, after, .. } = change else { continue };
        for (bytes, sign) in [(before, -1), (after, 1)] {
            let text = String::from_utf8_lossy(bytes);
            let words = text.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty());
            words.for_each(|word| *counts.entry(word.to_owned()).or_default() += sign);
        }
    }
    counts.into_iter().filter_map(|(word, more)| (more > 0).then_some(word)).collect()
}

/// Returns `true` if the next change builds on this one.
fn is_base(run: &Run<'_>, event: StepEvent, after: &FailureReport, ran: Ran) -> bool {
    event == StepEvent::CheckRed && helps(run, after, ran) || leaves_work(run, event, ran)
}

/// Returns `true` if the user's recipe did not do all: the command fails after it, or it leaves places alone. The models go on
/// from there.
fn leaves_work(run: &Run<'_>, event: StepEvent, ran: Ran) -> bool {
    let is_part = match event {
        StepEvent::CheckGreen => run.inputs.task.after_recipe.iter().any(|left| !left.is_empty()),
        _ => matches!(ran.end, End::Code(code) if code != 0),
    };
    is_part && run.attempts.is_given_first(&run.inputs.rules) && run.changes.vanished.is_empty()
}

/// Returns `true` if the command passed but removed or reverted a part of the change (`git
/// checkout`, a generator, a formatter): its success proves nothing about the change.
pub(super) fn is_taken_back(changes: &mut ChangeState<'_>, assessment: &mut Assessment) -> bool {
    let vanished = &mut changes.vanished;
    vanished.sort();
    vanished.dedup();
    if !vanished.is_empty() {
        let names = quote_paths(vanished);
        assessment.end = AttemptEnd::Passed;
        assessment.failure_after =
            format!("the command ended with exit code 0, but took the change of {names} back\n");
    }
    !vanished.is_empty()
}
