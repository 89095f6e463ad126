//! `papayu-batch man`.

use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::args::Cli;
use crate::cli::{CliError, Output};
use crate::domain::ExitCode;

/// Prints the manual page: the program's own, then one section a command.
pub(in crate::cli) fn run() -> Result<ExitCode, CliError> {
    let mut page = Vec::new();
    let program = Cli::command();
    Man::new(program).render(&mut page).map_err(CliError::Stdout)?;
    Output::data(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::Ok)
}
