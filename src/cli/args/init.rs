//! `papayu-batch init`.

use clap::Args;

/// Write a commented `papayu.toml`; existing files stay as they are.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Also write a workflow of GitHub Actions that fixes failing builds
    #[arg(long)]
    pub workflow: bool,
}
