//! The flags of commands on many repositories that are not about single tasks.

use std::path::PathBuf;

use clap::Args;

use super::value::{flag_values, number_value, path_value};
use crate::batch::{BatchHold, QuietHours};
use crate::settings::FlagValue;

/// Parallelism, progress and the folder of clones.
#[derive(Debug, Args)]
pub struct WayArgs {
    /// Number of repositories processed in parallel [default: 4]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<u64>,
    /// Format of the progress on stderr [default: a bar on a terminal, otherwise a line for each
    /// task]
    #[arg(long, value_name = "FORM", value_parser = ["bar", "lines", "json", "none"])]
    pub progress: Option<String>,
    /// Folder of clones
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

impl WayArgs {
    /// Returns the settings that these flags set.
    pub fn flags(&self) -> Vec<FlagValue> {
        flag_values([
            ("batch.jobs", number_value(self.jobs), "--jobs"),
            ("batch.cache_dir", path_value(self.cache.as_deref()), "--cache"),
        ])
    }
}

/// Parses a rate: `5` and `5/h` are 5 pull requests in an hour.
///
/// # Errors
///
/// Returns the expected form for anything else, and for 0.
pub(super) fn per_hour(text: &str) -> Result<u32, String> {
    // The unit is optional but documents the number.
    let number = text.strip_suffix("/h").unwrap_or(text);
    match number.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a number an hour, as `20/h`".to_owned()),
    }
}

/// The times when nothing is started.
#[derive(Debug, Args)]
pub struct HoldArgs {
    /// Start nothing while this file exists; all shards that see it wait
    #[arg(long, value_name = "FILE")]
    pub pause_file: Option<PathBuf>,
    /// Start nothing in these hours, in UTC
    #[arg(long, value_name = "HH:MM-HH:MM", value_parser = QuietHours::parse)]
    pub quiet_hours: Option<QuietHours>,
}

impl HoldArgs {
    /// Returns the reasons to start nothing.
    pub fn hold(&self) -> BatchHold {
        BatchHold { pause_file: self.pause_file.clone(), quiet: self.quiet_hours }
    }
}
