//! `papayu-batch mcp`: the tools as an MCP server on stdin and stdout.

use crate::cli::args::{McpArgs, ToolProfile};
use crate::cli::{Call, CliError, runtime};
use crate::fix::runtime::Runtime;
use crate::{mcp, toolbox};
use papayu_base::domain::ExitCode;
use papayu_base::domain::event::NoEvents;
use papayu_system::os::signal;

/// Serves until the client closes stdin or a signal arrives.
///
/// Fails as [`mcp::serve_stdio`] does. A tool without an answer is a reply to the client, not an error.
pub(crate) fn serve_tools(call: &Call, args: &McpArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let interrupted = signal::watch().map_err(CliError::Signals)?;
    let outside = Runtime::new(&session, &interrupted);
    let tools = match args.profile {
        ToolProfile::Default => toolbox::default_tools(),
        ToolProfile::All => toolbox::all_tools(),
    };
    let offer = mcp::ToolOffer { tools, is_structured: args.structured };
    mcp::serve_stdio(&session, &outside, &NoEvents, &offer, &interrupted)?;
    Ok(ExitCode::Ok)
}
