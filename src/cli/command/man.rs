//! `papayu-batch man`.

use std::fmt::Write as _;

use clap_mangen::Man;

use crate::cli::args::Cli;
use crate::cli::{CliError, Output};
use crate::domain::ExitCode;

/// Prints one manual page: the program's own sections, then the help of every command.
pub(in crate::cli) fn print_man() -> Result<ExitCode, CliError> {
    let mut page = Vec::new();
    let mut program = Cli::visible_command();
    program.build();
    Man::new(program.clone()).render(&mut page).map_err(CliError::Stdout)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    for command in program.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
        add_command(&mut page, command);
    }
    Output::print_data(&page)?;
    Ok(ExitCode::Ok)
}

fn add_command(page: &mut String, command: &mut clap::Command) {
    let name = command.get_bin_name().unwrap_or_default().to_owned();
    let help = command.render_long_help().to_string();
    let _ = writeln!(page, ".SH \"{}\"\n.nf", name.to_uppercase());
    for line in help.lines() {
        // `\&` keeps a line that begins with a dot or a quote from being read as a request.
        let _ = writeln!(page, "\\&{}", line.replace('\\', "\\e"));
    }
    page.push_str(".fi\n");
    for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
        add_command(page, inner);
    }
}
