//! Runs the user's command before and after a change, and reads its output.

use std::path::Path;
use std::time::Duration;

use super::confirm::Confirmation;
use super::kept_changes;
use super::reports::OldReports;
use super::review;
use super::run::{Fatal, Run, masked, masked_triage, named};
use super::state::Event;
use super::task::{FlaggedFix, World};
use super::triage_step;
use crate::domain::event::{Event as RunEvent, EventName};
use crate::domain::outcome::{CheckRecord, OutcomeKind, ProofTests};
use crate::domain::{FailureClass, FailureReport, Triage};
use crate::failure::{Limits, LogReader};
use crate::system::{CommandSpec, End};
use crate::test_results::{Comparison, ResultReader, TestResults, compare_results};
use crate::triage::{self, Ending, SignalCollector};
use crate::verify::{self, Ran, Verdict};

/// Runs the command on the tree as it was: the proof of red.
pub(super) fn before(run: &mut Run<'_>) -> Result<Event, Fatal> {
    // If the root cannot be listed, files created by the command are not reported.
    run.found = run.world.tree.list(None).unwrap_or_default();
    let checked = check(run)?;
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
    let speaks = |known: bool| event == Event::CheckRed && (known || run.task.log.is_none());
    let (report_speaks, triage_speaks) = (
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

/// One run of the command and its output.
pub(super) struct Checked {
    pub(super) record: CheckRecord,
    pub(super) ran: Ran,
    pub(super) report: FailureReport,
    pub(super) triage: Triage,
    pub(super) tests: TestResults,
}

impl Checked {
    /// Returns what it means to the table.
    pub(super) fn event(&self) -> Event {
        event(self.ran.end)
    }
}

/// Runs the command on the changed tree. Its failures are recorded for the attempt; the failure to fix remains
/// that of the old tree, because a change that does not help is reverted.
pub(super) fn after(run: &mut Run<'_>) -> Result<Event, Fatal> {
    run.vanished.clear();
    run.contradictions.clear();
    run.review_flags.clear();
    run.confirmed = Confirmation::default();
    let Checked { record, ran, report, tests, .. } = match review::check_without_tests(run)? {
        Some(failed) => failed,
        None => check(run)?,
    };
    let mut event = event(ran.end);
    if let Verdict::Red { new, still, gone } = verify::compare_reports(&run.report, &report, ran) {
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
        {
            "the new test files were left out of this run\n".to_owned()
        } else {
            String::new()
        };
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
    run.exchange_mut(|exchange| exchange.verified = true);
    if event == Event::CheckGreen {
        review::flag_places(run);
    }
    if event == Event::CheckGreen && !is_proved(run, &tests) {
        event = Event::CheckRed;
    }
    if event == Event::CheckGreen && is_taken_back(run)? {
        event = Event::CheckRed;
    } else if event == Event::CheckRed && kept_changes::helps(run, &report, ran)? {
        event = Event::CheckBetter;
    }
    run.report_after = Some(report);
    Ok(event)
}

/// Returns `true` if the output of a command that passed shows the success that is required, and
/// nothing that contradicts it.
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

/// A command that passes and leaves the tree without the change has proved nothing of it.
pub(super) fn is_taken_back(run: &mut Run<'_>) -> Result<bool, Fatal> {
    let Some(applied) = &run.applied else { return Ok(false) };
    run.vanished = applied.detect_drift().map_err(Fatal::apply)?.gone;
    if !run.vanished.is_empty() {
        let names = named(&run.vanished);
        run.failure_after =
            format!("the command ended with exit code 0, but took the change of {names} back\n");
    }
    Ok(!run.vanished.is_empty())
}

fn event(end: End) -> Event {
    match end {
        End::Code(0) => Event::CheckGreen,
        End::Interrupted => Event::Interrupted,
        End::Code(_) | End::Signal(_) | End::TimedOut | End::TooMuchOutput => Event::CheckRed,
    }
}

fn ending(end: End) -> Ending {
    match end {
        End::Code(code) => Ending::Code(code),
        End::Signal(signal) => Ending::Signal(signal),
        End::TimedOut | End::TooMuchOutput | End::Interrupted => Ending::Unknown,
    }
}

/// Runs the command on the tree as it is.
pub(super) fn check(run: &mut Run<'_>) -> Result<Checked, Fatal> {
    let Some(check) = run.task.check.clone() else {
        return Err(Fatal::bug("no command to run"));
    };
    check_command(run, &check.command, Duration::MAX).map_err(|fatal| {
        let hint = if check.by_user {
            "check `--run`; the command must work in the repository's folder"
        } else {
            "the command was chosen by the kind of project; name another with `--run`"
        };
        Fatal { hint: Some(hint.to_owned()), ..fatal }
    })
}

/// Runs a command on the tree as it is, for as long as the run allows and no longer than a limit.
pub(super) fn check_command(
    run: &mut Run<'_>,
    command: &str,
    limit: Duration,
) -> Result<Checked, Fatal> {
    let root = run.world.tree.root();
    check_in(run, root, command, limit)
}

/// Does the same in a folder.
pub(super) fn check_in(
    run: &mut Run<'_>,
    root: &Path,
    command: &str,
    limit: Duration,
) -> Result<Checked, Fatal> {
    run.emit_event(RunEvent::new(EventName::VerifyStarted).with("command", command));
    let limits = Limits { excerpt_chars: run.config.diet.max_log_chars };
    let mut collector = SignalCollector::default();
    let mut hear = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
    // Files that the command names are not read: a change could have written them.
    let reader = LogReader::with_matchers(limits, run.world.matchers.clone());
    let mut reader = reader.with_listener(&mut hear);
    let mut config = run.config.verify.clone();
    let left = run.config.budget.timeout.saturating_sub(run.world.system.clock.elapsed());
    config.timeout = config.timeout.min(left.max(Duration::from_secs(1))).min(limit);
    let is_own = root == run.world.tree.root();
    let old = if is_own { OldReports::read(run.world.tree) } else { OldReports::default() };
    let mut tests = ResultReader::default();
    let mut take = |bytes: &[u8]| {
        run.world.events.push_output(bytes);
        reader.push(bytes);
        tests.push(bytes);
    };
    let ran = verify::run_command(run.world.system, root, command, &config, &mut take).map_err(
        |error| Fatal::new(OutcomeKind::UsageError, error.to_string(), "check the command"),
    )?;
    run.spend.verify_ms += ran.ms;
    let masker = run.world.masker;
    let report = reader.finish();
    let written = if is_own { old.read_new(run.world.tree) } else { None };
    let tests = tests.finish().with_report(written);
    let triage =
        masked_triage(masker, triage::classify(&collector.finish(), &report, ending(ran.end)));
    let triage = triage_step::recognize_own_modules(&run.world, triage);
    let mut report = masked(masker, report);
    if ran.end == End::TimedOut {
        let seconds = config.timeout.as_secs();
        let note = format!("\n[the command was ended after {seconds} s]\n");
        report.excerpt.push_str(&note);
    }
    let record = ran.check_record(&masker.mask(command), &report, tests.totals);
    run.emit_event(
        RunEvent::new(EventName::VerifyFinished)
            .with("exit_code", record.exit_code)
            .with("failures", record.failures.len())
            .with("ms", record.ms),
    );
    Ok(Checked { record, ran, report, triage, tests })
}

/// Returns the tool versions of the project's kind, one on each line; a missing tool is listed as
/// missing.
pub(super) fn environment(world: &World<'_>) -> String {
    let mut lines = vec![format!("os: {} {}", std::env::consts::OS, std::env::consts::ARCH)];
    for argv in world.profile.kind.version_commands() {
        let spec = CommandSpec {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            cwd: world.tree.root().to_path_buf(),
            env: Vec::new(),
            keep_env: Vec::new(),
            timeout: Duration::from_secs(10),
            max_output: 4096,
        };
        let mut output = Vec::new();
        let ran = world.system.process.run(&spec, &mut |bytes| output.extend_from_slice(bytes));
        let text = String::from_utf8_lossy(&output);
        let first = text.lines().next().unwrap_or_default();
        let said = if ran.is_ok() { first } else { "not found" };
        lines.push(format!("{}: {said}", argv.join(" ")));
    }
    lines.join("\n")
}

/// Returns git's output for these arguments in the repository. Programs named in the repository's own
/// configuration do not run.
pub(super) fn git(world: &World<'_>, words: &[String]) -> Result<String, String> {
    let safe =
        ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager"];
    let spec = CommandSpec {
        argv: safe.iter().map(|word| (*word).to_owned()).chain(words.iter().cloned()).collect(),
        cwd: world.tree.root().to_path_buf(),
        env: vec![("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned())],
        keep_env: Vec::new(),
        timeout: Duration::from_secs(20),
        max_output: 1024 * 1024,
    };
    let mut output = Vec::new();
    let ran = world.system.process.run(&spec, &mut |bytes| output.extend_from_slice(bytes));
    match ran {
        Ok(End::Code(0) | End::TooMuchOutput) => Ok(String::from_utf8_lossy(&output).into_owned()),
        Ok(_) => Err("git says nothing: this may be no git repository".to_owned()),
        Err(error) => Err(format!("git cannot be run: {error}")),
    }
}
