//! `papayu-batch man`.

use clap::Args;

/// Print a manual page.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Command to print the page of, such as `fix` or `runs show`; without it the page of the program. With `--out`, one page for each command is written there
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}
