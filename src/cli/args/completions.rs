//! `papayu-batch completions`.

use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}
