//! `papayu-batch memory`.

use clap::{Args, Subcommand};

/// Show or change the engineering memory.
#[derive(Debug, Args)]
pub struct MemoryArgs {
    /// The command on the memory.
    #[command(subcommand)]
    pub command: MemoryCommand,
}

/// The commands on the memory.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Show the values that a run of this repository uses, and the text that its requests have
    Show,
    /// Set a value in your preferences or in the repository's file
    Set {
        /// `user.NAME` or `project.NAME`
        key: String,
        /// The value; a list is separated by commas
        value: String,
    },
    /// Remove a value
    Unset {
        /// `user.NAME` or `project.NAME`
        key: String,
    },
    /// Check both files as they are on disk; exit with code 1 if something in them has no effect
    Check,
}
