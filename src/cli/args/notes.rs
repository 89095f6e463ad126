//! `papayu-batch notes`.

use clap::{Args, Subcommand};

use super::report::PickRunArgs;

/// List, add, pin or delete notes on earlier failures of the repository.
#[derive(Debug, Args)]
pub struct NotesArgs {
    /// The command on notes.
    #[command(subcommand)]
    pub command: NotesCommand,
}

/// The commands on notes.
#[derive(Debug, Subcommand)]
pub enum NotesCommand {
    /// List the notes of the repository, the oldest first
    List,
    /// Show a note
    Show {
        /// Id of a note or the beginning of one
        id: String,
    },
    /// Add a note of your own; models see it as yours
    Add {
        /// The note; its first line is the title
        text: String,
        /// Days after which it is no longer shown [default: `notes.ttl_days`, 90]
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=3650))]
        ttl: Option<u64>,
    },
    /// Keep a note for good, and show it with every failure
    Pin {
        /// Id of a note or the beginning of one
        id: String,
    },
    /// Make a pinned note expire again
    Unpin {
        /// Id of a note or the beginning of one
        id: String,
    },
    /// Delete notes
    Delete {
        /// Ids of notes or their beginnings
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Make a note of an earlier run that ended with a proved fix of a model
    Distill(PickRunArgs),
}
