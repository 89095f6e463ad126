//! `papayu-batch fix --findings` and `--snyk-project`: one run a finding, and a list of their ends.

use std::path::Path;

use serde::Serialize;

use crate::cli::args::{FixArgs, OutputFormat};
use crate::cli::ci::{self, RunResults};
use crate::cli::wording::{count_noun, shorten_path};
use crate::cli::{Call, CliError, output, runtime, streams};
use crate::fix::findings_input::load_findings;
use crate::fix::run;
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use crate::fix::{FindingsSource, FixReport, Input, Request, Session};
use papayu_base::domain::{ExitCode, Outcome, OutcomeKind};
use papayu_logs::findings::{Finding, FindingsReport};
use papayu_system::os::signal;

/// Most findings that one call fixes, the worst first.
const MAX_RUNS: usize = 500;

/// Remarks on unused entries that are printed.
const MAX_REMARKS: usize = 5;

/// The end of each finding, as `--format json` prints it.
#[derive(Serialize)]
struct FindingsEnd<'a> {
    schema_version: u32,
    /// One outcome a finding, the worst finding first.
    outcomes: &'a [Outcome],
    /// Entries of the report that were not used, with the reason.
    unused: &'a [String],
}

/// Fixes each finding in a run of its own, at most [`MAX_RUNS`]. One that cannot be fixed does not stop the
/// others.
///
/// Returns the exit code of the last run that is not fixed, and [`ExitCode::NotFixed`] if only an entry of the
/// report was not used. Fails if the findings cannot be read, or a run cannot begin or write its results.
pub(crate) fn fix_findings(
    call: &Call,
    args: &FixArgs,
    source: &FindingsSource,
) -> Result<ExitCode, CliError> {
    let session = runtime::open_run_session(call, args.flags())?;
    let interrupted = signal::watch().map_err(CliError::Signals)?;
    let limit = session.settings.run_timeout_sec.value;
    // Each finding has this time.
    streams::limit_each(limit);
    let outside = Runtime::new(&session, &interrupted).ending_at(limit);
    // One subscriber serves the whole process, so all runs share what it masks.
    let masker = &outside.masker;
    let events = runtime::observe_run(&session, masker, call.loudness());
    let context = RunContext { session: &session, runtime: &outside, events: &events };
    let FindingsReport { mut findings, mut unused, skipped } = load_findings(context, source)?;
    if findings.len() > MAX_RUNS {
        let more = count_noun(findings.len() - MAX_RUNS, "further finding");
        unused.push(format!("{more}: one call fixes at most {MAX_RUNS}"));
        findings.truncate(MAX_RUNS);
    }
    for remark in unused.iter().chain(&skipped).take(MAX_REMARKS) {
        output::print_warning(remark);
    }
    let mut outcomes = Vec::new();
    for (finding, number) in findings.into_iter().zip(1..) {
        let session = open_finding_session(call, args, number)?;
        let key = finding.key();
        let limit = session.settings.run_timeout_sec.value;
        let outside = Runtime::new(&session, &interrupted).with_masker(masker.clone());
        let outside = outside.ending_at(limit);
        let context = RunContext { session: &session, runtime: &outside, events: &events };
        let report = run_finding(context, finding)?;
        let line = describe_end(&key, &report.outcome, &report.out);
        match call.global.format {
            // The results of a person's call are printed as they come.
            OutputFormat::Text => output::print_data(&line)?,
            OutputFormat::Json => output::print_words(&format!("{line}\n")),
        }
        let is_stopped = report.outcome.outcome == OutcomeKind::Interrupted;
        outcomes.push(report.outcome);
        if is_stopped {
            break;
        }
    }
    let fixed = outcomes.iter().filter(|it| it.outcome == OutcomeKind::Fixed).count();
    let of = count_noun(outcomes.len(), "finding");
    let text = format!("fixed {fixed} of {of}");
    let end = FindingsEnd { schema_version: 1, outcomes: &outcomes, unused: &unused };
    call.print_result(&text, &end)?;
    let mut codes = outcomes.iter().rev().map(|outcome| outcome.outcome.exit_code());
    // An interruption is the last one, and no reason to go on.
    let worst = codes.find(|code| *code != ExitCode::Ok);
    // Exit code 0 means that every finding is fixed, so an entry that was not used is not a success.
    let otherwise = if unused.is_empty() { ExitCode::Ok } else { ExitCode::NotFixed };
    Ok(worst.unwrap_or(otherwise))
}

/// Opens a session with results that do not replace those of the other findings.
fn open_finding_session(call: &Call, args: &FixArgs, number: usize) -> Result<Session, CliError> {
    let mut session = runtime::open_session(call, args.flags())?;
    let settings = &mut session.settings;
    if let Some(out) = &mut settings.out_dir.value {
        out.push(format!("finding-{number:03}"));
    }
    // Each would overwrite the report of the one before.
    settings.out_junit.value = None;
    settings.out_sarif.value = None;
    Ok(session)
}

/// Runs the task of one finding, and writes its reports.
fn run_finding(context: RunContext<'_>, finding: Finding) -> Result<FixReport, CliError> {
    let input = Input { finding: Some(finding), ..Input::default() };
    let report = run::run(context, Request { input, ..Request::default() });
    if report.outcome_written {
        let results = RunResults {
            failure: &report.failure,
            patch: &report.patch,
            change: report.change.as_ref(),
            out: &report.out,
        };
        ci::write_reports(context.session, context.runtime, &report.outcome, results)?;
    }
    Ok(report)
}

/// Returns the end of one finding in a line.
fn describe_end(key: &str, outcome: &Outcome, out: &Path) -> String {
    let reason = outcome.reason.lines().next().unwrap_or_default();
    let words = outcome.outcome.words();
    format!("{words}: {key}: {reason} ({})", shorten_path(out).display())
}
