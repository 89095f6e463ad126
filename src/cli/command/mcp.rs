//! `papayu-batch mcp`: the tools as an MCP server on stdin and stdout.

use crate::cli::args::{GlobalArgs, McpArgs, Profile};
use crate::cli::{CliError, Output, runtime};
use crate::domain::ExitCode;
use crate::domain::event::NoEvents;
use crate::fix::runtime::Runtime;
use crate::system::os::signal;
use crate::{mcp, toolbox};

/// Serves until the client closes stdin or a signal arrives.
pub(in crate::cli) fn serve_tools(
    global: &GlobalArgs,
    args: &McpArgs,
    _: &Output,
) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(global, Vec::new())?;
    let interrupted = signal::watch().map_err(CliError::Signals)?;
    let outside = Runtime::new(&session, &interrupted);
    let tools = match args.profile {
        Profile::Default => toolbox::default_tools(),
        Profile::All => toolbox::all_tools(),
    };
    mcp::serve_stdio(&session, &outside, &NoEvents, &tools, &interrupted)?;
    Ok(ExitCode::Ok)
}
