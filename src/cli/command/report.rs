//! `papayu-batch report`: sums traces and runs up, and writes the forms that were asked for.

use std::path::Path;

use serde_json::json;

use super::{batch, stored_runs};
use crate::cli::args::{ReportArgs, ReportCheck, ReportCommand};
use crate::cli::{Call, CliError, Session, output, runtime};
use crate::fix::FixError;
use crate::fix::known_secrets::environment_masker;
use crate::report::{Report, render};
use papayu_base::domain::ExitCode;
use papayu_system::Disk as _;
use papayu_system::trace;

/// Prints the report. Files that are no trace or outcome are skipped with a warning. Returns
/// [`ExitCode::NotFixed`] if `--check graduation` is not met.
///
/// Fails with [`FixError::Read`] if a named folder cannot be opened, and with [`FixError::Write`] if a report
/// cannot be written.
pub(crate) fn print_report(call: &Call, args: &ReportArgs) -> Result<ExitCode, CliError> {
    if let Some(ReportCommand::Merge { folders, out }) = &args.command {
        return batch::merge_shards(call, folders, out);
    }
    let session = runtime::open_session(call, Vec::new())?;
    // A mistyped folder must not pass as one without runs.
    for named in [&args.traces, &args.runs].into_iter().flatten() {
        session
            .disk
            .open_tree(named)
            .map_err(|source| FixError::Read { path: named.clone(), source })?;
    }
    let own = || session.settings.trace_dir.resolved(session.output_root());
    let folder = args.traces.clone().or_else(own).unwrap_or_else(|| session.repo.clone());
    let mut traces = Vec::new();
    for path in trace::files(&session.disk, &folder)? {
        match trace::read(&session.disk, &path) {
            Ok(trace) => traces.push(trace),
            Err(error) => output::print_warning(&format!("left out: {error}")),
        }
    }
    let folder = args.runs.clone().unwrap_or_else(|| stored_runs::runs_folder(&session));
    let mut runs = stored_runs::read_all(&session, &folder)?;
    // A patch is kept as it is, so that it can be applied.
    let masker = environment_masker(&session.environment);
    for run in &mut runs {
        run.patch = masker.mask_known(&run.patch).into_owned();
    }
    let last = usize::try_from(args.last).unwrap_or(usize::MAX);
    let report = Report::new(traces, runs, last);
    let files = [
        (&args.markdown, render::markdown as fn(&Report) -> String),
        (&args.html, render::html),
        (&args.openmetrics, render::openmetrics),
    ];
    for (path, render) in files {
        if let Some(path) = path {
            write_report(&session, path, &render(&report))?;
        }
    }
    call.print_result(&render::text(&report), &json!(report))?;
    let missed = args.check == Some(ReportCheck::Graduation) && !report.graduation.holds;
    Ok(if missed { ExitCode::NotFixed } else { ExitCode::Ok })
}

fn write_report(session: &Session, path: &Path, text: &str) -> Result<(), CliError> {
    let written = session.disk.write(path, text.as_bytes());
    Ok(written.map_err(|source| FixError::Write { path: path.to_owned(), source })?)
}
