//! `papayu-batch replay`: a recorded run once more, offline.

use serde_json::Value;

use crate::cli::args::ReplayArgs;
use crate::cli::command::input;
use crate::cli::launch::run_request;
use crate::cli::{Call, CliError, runtime};
use crate::fix::{FixError, Request};
use papayu_base::domain::ExitCode;
use papayu_providers::Replay;
use papayu_system::os::OsDisk;

/// Runs with the recording's goal and command, unless others are given, and in its protocol.
///
/// Fails with [`FixError::Recording`] if the file is no recording, and as [`run_request`] does.
pub(crate) fn run_replay(call: &Call, args: &ReplayArgs) -> Result<ExitCode, CliError> {
    let recording =
        Replay::open_recording(&OsDisk, &args.recording).map_err(FixError::Recording)?;
    let recorded = |name: &str| recording.header().get(name).and_then(Value::as_str);
    let mut flags = args.flags();
    if args.goal.run.is_none() {
        flags.extend(recorded("run").map(|run| ("run.command", run.to_owned(), "FILE")));
    }
    // Recordings made before v3 do not say; theirs is the configured one.
    let protocol = recording.header().get("protocol").and_then(Value::as_u64);
    flags.extend(protocol.map(|number| ("protocol.version", number.to_string(), "FILE")));
    let session = runtime::open_run_session(call, flags)?;
    let mut goal_args = args.goal.clone();
    if goal_args.goal.is_none() && goal_args.goal_file.is_none() {
        goal_args.goal = recorded("goal").map(str::to_owned);
    }
    let input = input::read_input(&goal_args, &session)?;
    run_request(&session, Request { input, ..Request::default() }, call)
}
