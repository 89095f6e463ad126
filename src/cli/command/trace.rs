//! `papayu-batch trace`: shows traces, makes golden ones and checks them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::args::{TraceArgs, TraceCommand};
use crate::cli::{Call, CliError, Session, output, runtime, trace_text};
use crate::fix::FixError;
use crate::golden;
use papayu_base::domain::ExitCode;
use papayu_system::Disk as _;
use papayu_system::trace::{self, TraceRecord};

/// Lists, shows, converts or checks traces, as the arguments name it.
///
/// Fails with [`CliError::NoTrace`] or [`CliError::ManyTraces`] if a name is not that of one trace, with
/// [`CliError::NotGolden`] for a trace that makes no golden one, and with [`CliError::NoGoldenTraces`] if a
/// folder to check has none. Golden traces with faults are an exit code.
pub(crate) fn run_traces(call: &Call, args: &TraceArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    match &args.command {
        TraceCommand::Show { trace: None } => list_traces(&session, call)?,
        TraceCommand::Show { trace: Some(name) } => show_trace(&session, name, call)?,
        TraceCommand::ToGolden { traces, output } => {
            to_golden(&session, traces, output.as_deref())?;
        }
        TraceCommand::Check { paths } => return check_golden(&session, paths, call),
    }
    Ok(ExitCode::Ok)
}

/// Returns the folder of traces.
fn trace_folder(session: &Session) -> PathBuf {
    let root = session.output_root();
    session.settings.trace_dir.resolved(root).unwrap_or_else(|| root.to_owned())
}

/// A file is taken by its path; anything else is an id or the beginning of one.
fn find_trace(session: &Session, name: &str) -> Result<TraceRecord, CliError> {
    let path = Path::new(name);
    if session.disk.is_file(path) {
        return Ok(trace::read(&session.disk, path)?);
    }
    let folder = trace_folder(session);
    let mut found = trace::files(&session.disk, &folder)?;
    found.retain(|path| trace_id_of(path).starts_with(name));
    match found.as_slice() {
        [path] => Ok(trace::read(&session.disk, path)?),
        [] => Err(CliError::NoTrace { name: name.to_owned(), folder }),
        several => {
            let count = several.len();
            Err(CliError::ManyTraces { name: name.to_owned(), folder, count })
        }
    }
}

/// Returns the traces of a folder, or the one that [`find_trace`] finds.
fn find_traces(session: &Session, name: &str) -> Result<Vec<TraceRecord>, CliError> {
    let path = Path::new(name);
    let is_file = session.disk.is_file(path);
    let files = if is_file { Vec::new() } else { trace::files(&session.disk, path)? };
    if files.is_empty() {
        return Ok(vec![find_trace(session, name)?]);
    }
    Ok(files.iter().map(|file| trace::read(&session.disk, file)).collect::<Result<_, _>>()?)
}

/// Returns the id of a trace from its file name.
fn trace_id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Lists every trace, the oldest first; a file that is no trace is listed with what is wrong.
fn list_traces(session: &Session, call: &Call) -> Result<(), CliError> {
    let files = trace::files(&session.disk, &trace_folder(session))?;
    // Unreadable traces have no time and come first.
    let mut rows: Vec<(String, String, Value)> = files
        .iter()
        .map(|path| match trace::read(&session.disk, path) {
            Ok(record) => {
                (record.timestamp.clone(), trace_text::list_trace(&record), trace_row(&record))
            }
            Err(error) => {
                let (id, fault) = (trace_id_of(path), error.fault.to_string());
                let line = format!("{id}  unreadable: {fault}");
                (String::new(), line, json!({ "trace_id": id, "error": fault }))
            }
        })
        .collect();
    rows.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let lines: Vec<&str> = rows.iter().map(|(_, line, _)| line.as_str()).collect();
    let json: Vec<&Value> = rows.iter().map(|(.., json)| json).collect();
    call.print_result(&lines.join("\n"), &json)
}

/// Returns the part of a trace that a list for programs has.
fn trace_row(record: &TraceRecord) -> Value {
    json!({
        "timestamp": record.timestamp,
        "trace_id": record.trace_id,
        "run_id": record.run_id,
        "mode": record.mode,
        "event": record.event,
        "protocol_attempts": record.protocol_attempts,
        "error_code": record.error_code,
    })
}

/// Prints the exchange in words; the JSON form is the trace itself.
fn show_trace(session: &Session, name: &str, call: &Call) -> Result<(), CliError> {
    let record = find_trace(session, name)?;
    call.print_result(&trace_text::show_trace(&record), &record)
}

/// Writes traces as golden ones, after checking that all of them are complete.
fn to_golden(session: &Session, names: &[String], output: Option<&Path>) -> Result<(), CliError> {
    let mut files = Vec::new();
    for name in names {
        for record in find_traces(session, name)? {
            let golden = golden::to_golden(&record);
            let wrong = golden::check(&golden);
            let name = record.trace_id.as_str();
            if !wrong.is_empty() {
                return Err(CliError::NotGolden { name: name.to_owned(), wrong: wrong.join("; ") });
            }
            files.push((format!("{name}.json"), format!("{golden:#}\n")));
        }
    }
    let is_folder = files.len() > 1 || output.is_some_and(ends_in_slash);
    for (name, golden) in files {
        let Some(output) = output else {
            output::print_data(&golden)?;
            continue;
        };
        let path = if is_folder { output.join(name) } else { output.to_owned() };
        session
            .disk
            .write(&path, golden.as_bytes())
            .map_err(|source| FixError::Write { path, source })?;
    }
    Ok(())
}

/// Returns `true` for a path that is written as that of a folder.
fn ends_in_slash(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Prints the traces that fail, or the number of good ones. The exit code is 1 when one fails.
fn check_golden(session: &Session, paths: &[PathBuf], call: &Call) -> Result<ExitCode, CliError> {
    let default = [session.repo.join("golden_traces")];
    let mut results = Vec::new();
    for path in if paths.is_empty() { &default } else { paths } {
        let files = trace::golden_files(&session.disk, path)?;
        // A mistyped folder must not pass as "all good".
        if files.is_empty() {
            return Err(CliError::NoGoldenTraces { folder: path.clone() });
        }
        results.extend(files.into_iter().map(|file| {
            let wrong = match trace::read_golden(&session.disk, &file) {
                Ok(golden) => golden::check(&golden),
                Err(error) => vec![error.fault.to_string()],
            };
            (file.display().to_string(), wrong)
        }));
    }
    let broken = results.iter().filter(|(_, wrong)| !wrong.is_empty()).count();
    let lines = results
        .iter()
        .flat_map(|(file, wrong)| wrong.iter().map(move |what| format!("{file}: {what}\n")));
    let text = lines.collect::<Vec<_>>().concat();
    let summary =
        format!("{} of {} golden traces are valid", results.len() - broken, results.len());
    let json = results.iter().map(|(file, wrong)| json!({ "path": file, "wrong": wrong }));
    call.print_result(&(text + &summary), &json.collect::<Vec<_>>())?;
    Ok(if broken == 0 { ExitCode::Ok } else { ExitCode::NotFixed })
}
