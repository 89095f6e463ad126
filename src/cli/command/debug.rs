//! `papayu-batch debug …`: the patch engine and the readers of sources over lines, and the packet of a judge, for
//! benchmarks, trials and other tools' tests.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::debug_vet::answer_vet;
use super::stored_runs::{pick_run, read_packet};
use crate::cli::args::DebugCommand;
use crate::cli::{Call, CliError, output, runtime};
use crate::fix::FixError;
use papayu_base::domain::ExitCode;
use papayu_index::language;
use papayu_lang::Language;
use papayu_system::os::{OsClock, OsDisk};
use papayu_system::{Clock as _, Disk as _};

/// One line of input; unknown fields are ignored.
#[derive(Deserialize)]
struct DebugCase {
    #[serde(default)]
    id: Value,
    before: String,
    patch: String,
    #[serde(default)]
    path: String,
}

/// One source file of the input.
#[derive(Deserialize)]
struct DebugSource {
    path: String,
    text: String,
}

/// Runs an entry point.
///
/// Fails with [`CliError`] if stdin cannot be read, or the run that is named has no packet.
pub(crate) fn run_debug(call: &Call, command: &DebugCommand) -> Result<ExitCode, CliError> {
    match command {
        DebugCommand::Patch => answer_lines(answer_patch),
        DebugCommand::Facts => answer_lines(answer_facts),
        DebugCommand::Vet => answer_lines(|line, _| answer_vet(line)),
        DebugCommand::JudgePacket(pick) => {
            let session = runtime::open_session(call, Vec::new())?;
            let run = pick_run(&session, pick)?;
            output::print_data(&read_packet(&session, &run.outcome.run_id)?)?;
            Ok(ExitCode::Ok)
        }
    }
}

/// Answers every line of stdin in order; an invalid line gets an answer with an error.
fn answer_lines(answer: fn(&[u8], &OsClock) -> Value) -> Result<ExitCode, CliError> {
    let stdin = Path::new("-");
    let unread = |source| FixError::Read { path: stdin.to_owned(), source };
    let mut input = BufReader::new(OsDisk.open(stdin).map_err(unread)?);
    let clock = OsClock::new(Arc::default());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).map_err(unread)? > 0 {
        output::print_data(&answer(&line, &clock).to_string())?;
        line.clear();
    }
    Ok(ExitCode::Ok)
}

/// Applies the patch of one case, a line of JSON, and returns the answer with its time in microseconds (`us`).
fn answer_patch(line: &[u8], clock: &OsClock) -> Value {
    let case: DebugCase = match serde_json::from_slice(line) {
        Ok(case) => case,
        Err(error) => {
            return json!({"id": null, "ok": false, "error": format!("not a case: {error}")});
        }
    };
    let start = clock.elapsed();
    let landed = papayu_patch::apply_patch(&case.before, &case.patch, &case.path);
    let us = clock.elapsed().saturating_sub(start).as_secs_f64() * 1e6;
    match landed {
        Ok(landed) => json!({
            "id": case.id, "ok": true, "after": landed.after, "us": us,
            "rungs": landed.strategies, "others": landed.others,
        }),
        Err(fault) => json!({"id": case.id, "ok": false, "error": fault.to_string(), "us": us}),
    }
}

/// Reads one file into facts. A line that is no JSON is the path of a file.
fn answer_facts(line: &[u8], clock: &OsClock) -> Value {
    let source = match serde_json::from_slice(line) {
        Ok(source) => source,
        Err(_) => match read_source(String::from_utf8_lossy(line).trim()) {
            Ok(source) => source,
            Err(error) => return json!({"error": error}),
        },
    };
    let Some(language) = Language::of_path(&source.path) else {
        return json!({"path": source.path, "error": "no grammar reads it"});
    };
    let start = clock.elapsed();
    let parsed = language::parse(language, &source.text);
    let us = clock.elapsed().saturating_sub(start).as_secs_f64() * 1e6;
    let bytes = source.text.len();
    json!({"path": source.path, "facts": parsed.facts, "calls": parsed.calls, "us": us, "bytes": bytes})
}

/// Reads a file with its path. Fails with the error of the disk in words.
fn read_source(path: &str) -> Result<DebugSource, String> {
    let fault = |error| format!("{path}: {error}");
    let mut bytes = Vec::new();
    OsDisk.open(Path::new(path)).map_err(fault)?.read_to_end(&mut bytes).map_err(fault)?;
    Ok(DebugSource { path: path.to_owned(), text: String::from_utf8_lossy(&bytes).into_owned() })
}
