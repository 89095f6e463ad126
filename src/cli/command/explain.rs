//! `papayu-batch explain`: explains a log, a report or a CI run, without a model.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::changes::{Changes, record_changes};
use crate::cli::args::ExplainArgs;
use crate::cli::{Call, CliError, output, runtime};
use crate::fix::failure_input::{self, CiRun};
use crate::fix::green::read_green_changes;
use crate::fix::run_context::RunContext;
use crate::fix::{FixError, Input};
use crate::input::{self, Log};
use papayu_base::domain::event::NoEvents;
use papayu_base::domain::{ExitCode, FailureReport};
use papayu_logs::failure::{
    GreenLines, MAX_REPORT_BYTES, ReportLimits, place_in_repository, read_green_lines, read_report,
};
use papayu_system::os::{OsClock, OsDisk, OsTree, signal};
use papayu_system::read::read_pieces;
use papayu_system::survey::FolderSurvey as _;
use papayu_system::{Clock as _, Disk as _, Tree as _};

/// Prints the explanation of all inputs together.
pub(crate) fn explain_inputs(call: &Call, args: &ExplainArgs) -> Result<ExitCode, CliError> {
    let clock = OsClock::new(signal::watch().map_err(CliError::Signals)?);
    let green = args.green_log.as_deref().map(|path| read_green(&clock, path)).transpose()?;
    let limits = ReportLimits { green: green.map(Arc::new), ..ReportLimits::default() };
    let mut found = Vec::new();
    for path in &args.log {
        let log = input::read_bare_log(&OsDisk, &clock, path, limits.clone());
        found.push(log.map_err(|error| FixError::Read { path: error.path, source: error.kind })?);
    }
    let named = args.sarif.iter().map(|path| path.to_string_lossy().into_owned());
    for pattern in args.junit.iter().cloned().chain(named) {
        let fault = |source| FixError::Read { path: pattern.clone().into(), source };
        let files = input::expand_pattern(&OsDisk, Path::new(""), &pattern).map_err(fault)?;
        for path in files {
            found.push(read_file(&clock, &path)?);
        }
    }
    if let Some(number) = args.ci_run {
        found.extend(read_ci_run(call, number, &limits)?);
    }
    let mut log = Log::merge(found, limits.excerpt_chars).unwrap_or_default();
    find_places(call, &mut log.report, &clock);
    let changes = args.green.as_deref().map(|name| read_changes(call, args, name)).transpose()?;
    let changes = record_changes(changes.flatten().as_ref(), &log.report.moved);
    let mut words = input::explain_log(&log);
    let mut answer = input::explain_as_json(&log);
    if let Some(changes) = &changes {
        let _ = writeln!(words, "changed: {}", changes.line());
        answer["changes"] = json!(changes);
    }
    call.print_result(&words, &answer)?;
    Ok(ExitCode::Ok)
}

/// The time after which places stay as they are printed.
const MAX_SURVEY: Duration = Duration::from_secs(1);

/// Makes places relative to the repository, or to the folder in which the program is called; outside both they stay as they are.
fn find_places(call: &Call, report: &mut FailureReport, clock: &OsClock) {
    if report.failures.iter().all(|failure| failure.locations.is_empty()) {
        return;
    }
    let Ok(tree) = OsTree::open(&call.global.repo) else { return };
    let limit = clock.elapsed() + MAX_SURVEY;
    let is_over = || clock.interrupted() || clock.elapsed() >= limit;
    let Ok(surveyed) = tree.survey(&is_over) else { return };
    let files: Vec<String> = surveyed.found.into_iter().map(|file| file.path).collect();
    place_in_repository(report, &tree.root().display().to_string(), &files);
}

/// Reads what changed since a commit of the repository.
fn read_changes(call: &Call, args: &ExplainArgs, name: &str) -> Result<Option<Changes>, CliError> {
    let flags = vec![("run.green", name.to_owned(), "--green")];
    let session = runtime::open_session(call, flags)?;
    let outside = runtime::open_runtime(&session)?;
    let context = RunContext { session: &session, runtime: &outside, events: &NoEvents };
    let input = Input { ci_run: args.ci_run, ..Input::default() };
    let ci_run = CiRun::open(context, &input)?;
    Ok(read_green_changes(context, ci_run.as_ref())?)
}

/// Reads the lines of a log that passed.
fn read_green(clock: &OsClock, path: &Path) -> Result<GreenLines, CliError> {
    let fault = |source| FixError::Read { path: path.to_owned(), source };
    let mut file = OsDisk.open(path).map_err(fault)?;
    Ok(read_green_lines(|push| read_pieces(&mut file, clock, push)).map_err(fault)?)
}

/// Reads the logs of the failed jobs of a run of the repository's forge.
fn read_ci_run(call: &Call, number: u64, limits: &ReportLimits) -> Result<Option<Log>, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let outside = runtime::open_runtime(&session)?;
    let context = RunContext { session: &session, runtime: &outside, events: &NoEvents };
    let input = Input { ci_run: Some(number), ..Input::default() };
    let ci_run = CiRun::open(context, &input)?;
    Ok(failure_input::read_logs(context, &input, ci_run.as_ref(), limits)?)
}

/// Reads a report; notes on skipped parts go to stderr.
fn read_file(clock: &OsClock, path: &Path) -> Result<Log, CliError> {
    let fault = |source| FixError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let mut file = OsDisk.open(path).map_err(fault)?;
    let mut keep = |piece: &[u8]| {
        if bytes.len() <= MAX_REPORT_BYTES {
            bytes.extend_from_slice(piece);
        }
    };
    read_pieces(&mut file, clock, &mut keep).map_err(fault)?;
    let whole = read_report(&bytes, ReportLimits::default())
        .map_err(|error| fault(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    let shown = path.display().to_string();
    let notes: String =
        whole.notes.iter().flat_map(|note| [shown.as_str(), ": ", note.as_str(), "\n"]).collect();
    output::print_words(&notes);
    Ok(Log::of_report(whole.report, &bytes))
}
