//! `papayu-batch completions`.

use clap_complete::Shell;

use crate::cli::args::{Cli, CompletionsArgs};
use crate::cli::{CliError, output};
use papayu_base::domain::ExitCode;

/// Prints the script that the shell reads.
///
/// Fails as [`output::print_data`] does.
pub(crate) fn print_completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::visible_command(), "papayu-batch", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if args.shell == Shell::Bash {
        // clap_complete spells the states of a name with a hyphen in two ways, so that none is found
        // after the first word (clap issue 6421).
        script = script.replace("papayu__subcmd__batch", "papayu__batch");
    }
    output::print_data(&script)?;
    Ok(ExitCode::Ok)
}
