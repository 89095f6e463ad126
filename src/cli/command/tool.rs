//! `papayu-batch tool`: calls one tool and prints its answer.

use std::sync::mpsc;

use serde_json::json;

use crate::cli::args::ToolArgs;
use crate::cli::{Call, CliError, runtime};
use crate::toolbox::{self, ToolCall};
use crate::tools;
use papayu_base::domain::ExitCode;

/// Calls the tool. The exit code is 1 where it ran a command that failed.
pub(crate) fn call_tool(call: &Call, args: &ToolArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let outside = runtime::open_runtime(&session)?;
    let events = runtime::observe_run(&session, &outside.masker, call.loudness());
    let tool = tools::find_tool(&toolbox::all_tools(), &args.call.name)?;
    let (sender, receiver) = mpsc::channel();
    let respond = Box::new(move |answer| _ = sender.send(answer));
    let mut waiting = Some(ToolCall { tool, params: args.call.params.clone(), respond });
    toolbox::answer_calls(&session, &outside, &events, &mut || waiting.take())?;
    let Ok(answer) = receiver.recv() else { return Ok(ExitCode::Interrupted) };
    let answer = answer?;
    let text = format!("{}\n", answer.text.trim_end());
    call.print_result(&text, &json!(answer.data))?;
    let failed = answer.data.get("passed").is_some_and(|passed| passed == false);
    Ok(if failed { ExitCode::NotFixed } else { ExitCode::Ok })
}
