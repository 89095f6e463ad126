//! `papayu-batch doctor`.

use std::path::PathBuf;

use clap::Args;

use super::fix::ModelArgs;

/// Show every setting with its source, and check the environment.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Write the settings that you changed to this file, without secrets, and check nothing
    #[arg(long, value_name = "FILE", conflicts_with = "import")]
    pub export: Option<PathBuf>,
    /// Check this settings file and make it your own, and check nothing else
    #[arg(long, value_name = "FILE")]
    pub import: Option<PathBuf>,
    /// Overwrite a file that exists
    #[arg(long)]
    pub force: bool,
    /// The model of the run that is meant.
    #[command(flatten)]
    pub model: ModelArgs,
}
