//! `papayu-batch completions`.

use clap::CommandFactory as _;

use crate::cli::args::{Cli, CompletionsArgs};
use crate::cli::{CliError, Output};
use crate::domain::ExitCode;

/// Prints the script that the shell reads.
pub(in crate::cli) fn print_completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "papayu-batch", &mut script);
    Output::print_data(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Ok)
}
