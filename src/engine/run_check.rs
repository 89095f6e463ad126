//! Runs the user's command once, and reads its output.

use std::path::Path;
use std::time::Duration;

use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::known_failure::{masked, masked_triage};
use super::reports::OldReports;
use super::run::Run;
use super::setup::{self, InstallEnd};
use super::state::StepEvent;
use super::world_facts::{
    recognize_merge_conflicts, recognize_own_crates, recognize_own_modules, recognize_unbuilt,
};
use crate::verify::{self, Ran};
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::outcome::{CheckRecord, OutcomeKind};
use papayu_base::domain::{FailureReport, Triage};
use papayu_logs::failure::{LogReader, ReportLimits};
use papayu_logs::test_results::{ResultReader, TestResults};
use papayu_logs::triage::{self, CommandEnd, SignalCollector};
use papayu_system::{End, NetworkMode};

/// One run of the command, and the results read from its output.
pub(super) struct Checked {
    /// The run as the outcome shows it, secrets masked.
    pub(super) record: CheckRecord,
    /// The end of the process and its time.
    pub(super) ran: Ran,
    /// The failures in the output, secrets masked.
    pub(super) report: FailureReport,
    /// The class of the failure.
    pub(super) triage: Triage,
    /// The results of the tests by name, from the output and the reports.
    pub(super) tests: TestResults,
}

impl Checked {
    /// Returns the result of a command that was not started, with the reason.
    fn not_started(command: &str, end: End, excerpt: String) -> Self {
        let ran = Ran { end, ms: 0 };
        let report = FailureReport { excerpt, ..FailureReport::default() };
        let record = ran.check_record(command, &report, None);
        let triage = Triage::default();
        Self { record, ran, report, triage, tests: TestResults::default() }
    }

    /// Returns the event of the table for this run.
    pub(super) fn event(&self) -> StepEvent {
        event_of(self.ran.end)
    }
}

/// Returns the event of the table for the end of a command. A time limit or too much output is
/// a failure, because a hang can be the bug.
pub(super) fn event_of(end: End) -> StepEvent {
    match end {
        End::Code(0) => StepEvent::CheckGreen,
        End::Interrupted => StepEvent::Interrupted,
        End::Code(_) | End::Signal(_) | End::TimedOut | End::TooMuchOutput => StepEvent::CheckRed,
    }
}

/// Returns the end of the command for the triage. An end by a limit of this program is no
/// evidence of a class.
fn ending(end: End) -> CommandEnd {
    match end {
        End::Code(code) => CommandEnd::Code(code),
        End::Signal(signal) => CommandEnd::Signal(signal),
        End::TimedOut | End::TooMuchOutput | End::Interrupted => CommandEnd::Unknown,
    }
}

/// Runs the command of the task on the tree as it is. `purpose` completes the line "running the
/// command …" that the user sees, for repeated runs.
///
/// # Errors
///
/// Returns [`Fatal`] with a hint if the command cannot be started or leaves the repository
/// changed.
pub(super) fn check(run: &mut Run<'_>, purpose: Option<&str>) -> Result<Checked, Fatal> {
    let Some(check) = run.inputs.task.check.clone() else {
        return Err(Fatal::bug("no command to run"));
    };
    check_command(run, &check.command, purpose, Duration::MAX)
}

/// Runs any command on the tree, with what it asks for installed, for at most `limit` and the time that the run has left.
///
/// Fails as [`check_in`] does, and if nothing can be installed without a change in place.
pub(super) fn check_command(
    run: &mut Run<'_>,
    command: &str,
    purpose: Option<&str>,
    limit: Duration,
) -> Result<Checked, Fatal> {
    match setup::install_changed(run) {
        InstallEnd::Current => {}
        InstallEnd::Interrupted => {
            return Ok(Checked::not_started(command, End::Interrupted, String::new()));
        }
        InstallEnd::Failed(fatal) if run.changes.applied.is_none() => return Err(fatal),
        InstallEnd::Failed(fatal) => {
            return Ok(Checked::not_started(command, End::Code(1), fatal.reason));
        }
    }
    let root = run.inputs.world.tree.root();
    check_in(run, root, command, purpose, limit)
}

/// Runs a command in a folder: the tree, or a copy of another commit.
///
/// For the tree, three things happen around the run: old reports are recorded so that only new
/// ones count, tracked files that the command changed are restored, and changes of the run that
/// the command reverted are recorded.
///
/// A red command, an exceeded limit and a signal are results. Fails with [`Fatal`] (`usage_error`) if the
/// command has no words or its program cannot start, and if the command made a commit, removed the repository,
/// or changed a tracked file that cannot be read or restored.
pub(super) fn check_in(
    run: &mut Run<'_>,
    root: &Path,
    command: &str,
    purpose: Option<&str>,
    limit: Duration,
) -> Result<Checked, Fatal> {
    // A signal may arrive between two steps; a new process must not be started then.
    if run.inputs.world.system.clock.interrupted() {
        return Ok(Checked::not_started(command, End::Interrupted, String::new()));
    }
    emit_start(run.inputs, command, purpose);
    let green = run.inputs.world.green.cloned();
    let limits = ReportLimits { excerpt_chars: run.inputs.config.diet.max_log_chars, green };
    let mut collector = SignalCollector::default();
    let mut hear = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
    // Files that the command names are not read: a change could have written them.
    let reader = LogReader::with_matchers(limits, run.inputs.world.matchers.clone());
    // The excerpt of a copy is not needed, so the listener only collects signals.
    let mut reader = reader.with_listener(&mut hear);
    let mut config = run.inputs.config.verify.clone();
    // The shortest of three limits: of the command, of the run, and of the caller.
    config.timeout = config.timeout.min(run.inputs.time_left()).min(limit);
    let is_own = root == run.inputs.world.tree.root();
    let old = if is_own { OldReports::read(run.inputs.world.tree) } else { OldReports::default() };
    let own = is_own.then(|| run.changes.tracked.read(run.inputs.world.tree, run.inputs.world.git));
    // The control run has shown that the command does not need the network.
    if run.checks.is_offline {
        config.network = NetworkMode::Off;
    }
    let mut tests = ResultReader::default();
    let mut take = |bytes: &[u8]| {
        run.inputs.world.events.push_output(bytes);
        reader.push(bytes);
        tests.push(bytes);
    };
    let ran = verify::run_command(run.inputs.world.system, root, command, &config, &mut take);
    let ran =
        ran.map_err(|error| Fatal::new(OutcomeKind::UsageError, error.to_string(), &error.hint()))?;
    run.costs.spend.verify_ms += ran.ms;
    let masker = run.inputs.world.masker;
    let report = reader.finish();
    // Reports in a copy are not read: its folders of results may be links to those of the tree.
    let written = if is_own { old.read_new(run.inputs.world.tree) } else { None };
    if let Some(own) = own {
        // Before the restoration, which would hide the drift.
        run.changes.note_vanished()?;
        run.changes.tracked.restore(run.inputs, own)?;
    }
    let tests = tests.finish().with_report(written);
    let triage =
        masked_triage(masker, triage::classify(&collector.finish(), &report, ending(ran.end)));
    let triage = recognize_own_modules(&run.inputs.world, triage);
    let triage = recognize_own_crates(&run.inputs.world, &report, triage);
    let triage = recognize_merge_conflicts(&run.inputs.world, &report, triage);
    let triage =
        if is_own { recognize_unbuilt(&run.inputs.world, &report, triage) } else { triage };
    let mut report = masked(masker, report);
    // A model that does not know of the limit would take the end of the output for a crash.
    if ran.end == End::TimedOut {
        let seconds = config.timeout.as_secs();
        let note = format!("\n[the command was ended after {seconds} s]\n");
        report.excerpt.push_str(&note);
    }
    // The command itself may contain a token on its command line.
    let record = ran.check_record(&masker.mask(command), &report, tests.totals);
    run.inputs.emit_event(
        RunEvent::new(EventName::VerifyFinished)
            .with("exit_code", record.exit_code)
            .with("failures", record.failures.len())
            .with("ms", record.ms),
    );
    Ok(Checked { record, ran: note_time_limit(run.inputs, ran), report, triage, tests })
}

/// Emits the event at the start of a command.
fn emit_start(inputs: &EngineInputs<'_>, command: &str, purpose: Option<&str>) {
    let started = RunEvent::new(EventName::VerifyStarted).with("command", command);
    inputs.emit_event(match purpose {
        Some(purpose) => started.with("purpose", purpose),
        None => started,
    });
}

/// Returns the end of a command, or an interruption if the time limit of the whole run ended
/// it: then the command itself has no result.
fn note_time_limit(inputs: &EngineInputs<'_>, ran: Ran) -> Ran {
    let is_over = ran.end == End::TimedOut && inputs.time_left().is_zero();
    if is_over { Ran { end: End::Interrupted, ..ran } } else { ran }
}
