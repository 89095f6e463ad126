//! `papayu-batch index`, and the questions that can be put to an index.

use clap::{Args, Subcommand};

/// Build or refresh the index of the repository's code, or ask it.
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Forget what is known and read every file anew
    #[arg(long)]
    pub force: bool,
    /// Stay, and sum up again whenever files change
    #[arg(long)]
    pub watch: bool,
    /// What to ask; without it the index is brought up to date and summed up.
    #[command(subcommand)]
    pub question: Option<IndexQuestion>,
}

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum IndexQuestion {
    /// List what is defined, or what has QUERY in its name
    Symbols {
        /// Part of a name, in any case
        query: Option<String>,
        /// Most rows
        #[arg(long, value_name = "N", default_value_t = 200)]
        limit: usize,
    },
    /// Show where a name is defined
    Definition {
        /// The name, or `Class.method`
        name: String,
    },
    /// List where a name is defined, imported and used
    References {
        /// The name
        name: String,
    },
    /// List who calls a function, method or class
    Callers {
        /// The name, or `Class.method`
        name: String,
    },
    /// List what of the repository a function or method calls
    Callees {
        /// The name, or `Class.method`
        name: String,
    },
    /// List what a file imports, and where that leads
    Dependencies {
        /// The file
        path: String,
    },
    /// List what depends on a file, and the tests that a change of it reaches
    Dependents {
        /// The file
        path: String,
    },
    /// List files by how hard they are to read, the hardest first
    Complexity {
        /// A file or folder
        path: Option<String>,
        /// Most rows
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// List the notes that comments left (TODO, FIXME, HACK, XXX, BUG)
    Todos {
        /// A file or folder
        path: Option<String>,
    },
    /// List files that need each other to run
    Cycles,
    /// List the files that most others depend on, and where programs begin
    Hubs,
    /// Show what a file defines, in its order
    Outline {
        /// The file
        path: String,
    },
}
