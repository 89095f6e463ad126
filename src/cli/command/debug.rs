//! `papayu-batch debug patch`: the patch engine over JSON lines, for benchmarks and other tools' tests.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::{CliError, Output};
use crate::domain::ExitCode;
use crate::patch;
use crate::system::os::{OsClock, OsDisk};
use crate::system::{Clock as _, Disk as _};

/// One line in; unknown fields are let pass.
#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: Value,
    before: String,
    patch: String,
    #[serde(default)]
    path: String,
}

/// Answers every line of stdin, in order, until there are no more; a line that is no case is answered too.
pub(in crate::cli) fn patch() -> Result<ExitCode, CliError> {
    let stdin = Path::new("-");
    let unread = |source| CliError::Read { path: stdin.to_owned(), source };
    let mut input = BufReader::new(OsDisk.open(stdin).map_err(unread)?);
    let clock = OsClock::new(Arc::default());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).map_err(unread)? > 0 {
        Output::data(&answer(&line, &clock).to_string())?;
        line.clear();
    }
    Ok(ExitCode::Ok)
}

fn answer(line: &[u8], clock: &OsClock) -> Value {
    let case: Case = match serde_json::from_slice(line) {
        Ok(case) => case,
        Err(error) => {
            return json!({"id": null, "ok": false, "error": format!("not a case: {error}")});
        }
    };
    let start = clock.elapsed();
    let landed = patch::apply(&case.before, &case.patch, &case.path);
    let us = clock.elapsed().saturating_sub(start).as_secs_f64() * 1e6;
    match landed {
        Ok(landed) => json!({
            "id": case.id, "ok": true, "after": landed.after, "us": us,
            "rungs": landed.rungs, "others": landed.others,
        }),
        Err(fault) => json!({"id": case.id, "ok": false, "error": fault.to_string(), "us": us}),
    }
}
