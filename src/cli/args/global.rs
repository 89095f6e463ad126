//! Flags of every command.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::settings::FlagValue;

/// The format of stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_display_order = 100, next_help_heading = "Options of every command")]
pub struct GlobalArgs {
    /// Folder of the repository
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Format of stdout
    #[arg(long, global = true, value_enum, default_value = "text")]
    pub format: OutputFormat,
    /// Folder for a run's results [default: `.papa-yu/runs/RUN_ID` in the repository]
    #[arg(long, global = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Format of the events on stderr [default: human]
    #[arg(long, global = true, value_name = "FORM", value_parser = ["human", "json"])]
    pub log_format: Option<String>,
    /// Print no progress, only the result
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print the output of the command, and every event of the run as `[trace] NAME key=value`
    #[arg(long, global = true)]
    pub verbose: bool,
    /// Settings file to read instead of the repository's `papayu.toml` and your own file
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Read the repository's settings file as if it were your own
    #[arg(long, global = true)]
    pub trust_repository_settings: bool,
}

impl GlobalArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let out = self.out.as_ref().map(|path| ("out.dir", path.display().to_string(), "--out"));
        let form = self.log_format.clone().map(|form| ("log.format", form, "--log-format"));
        let trust = self.trust_repository_settings.then(trust_flag);
        out.into_iter().chain(form).chain(trust).collect()
    }

    /// Returns the settings that these flags set for every task of a batch.
    pub fn task_flags(&self) -> Vec<FlagValue> {
        self.trust_repository_settings.then(trust_flag).into_iter().collect()
    }
}

/// Returns the setting of `--trust-repository-settings`.
fn trust_flag() -> FlagValue {
    ("trust.this_repository", "true".to_owned(), "--trust-repository-settings")
}
