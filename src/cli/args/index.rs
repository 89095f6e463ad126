//! `papayu-batch index`, and the questions that can be put to an index.

use clap::{Args, Subcommand};

/// Build or refresh the index of the repository's code, or query it.
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Discard the stored index and read every file again
    #[arg(long)]
    pub force: bool,
    /// Keep running, and print the totals again when files change
    #[arg(long)]
    pub watch: bool,
    /// The query; without it the index is refreshed and its totals are printed.
    #[command(subcommand)]
    pub question: Option<IndexQuestion>,
}

/// The queries of an index.
#[derive(Debug, Subcommand)]
pub enum IndexQuestion {
    /// List all definitions, or those with QUERY in their name
    Symbols {
        /// Part of a name, in any case
        query: Option<String>,
        /// Maximum number of rows
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
    /// List the callers of a function, method or class
    Callers {
        /// The name, or `Class.method`
        name: String,
    },
    /// List the functions of the repository that a function or method calls
    Callees {
        /// The name, or `Class.method`
        name: String,
    },
    /// List the imports of a file, and the files they resolve to
    Dependencies {
        /// The file
        path: String,
    },
    /// List the files that depend on a file, and the tests that a change of it affects
    Dependents {
        /// The file
        path: String,
    },
    /// List files by complexity, the most complex first
    Complexity {
        /// A file or folder
        path: Option<String>,
        /// Maximum number of rows
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// List the notes in comments (TODO, FIXME, HACK, XXX, BUG)
    Todos {
        /// A file or folder
        path: Option<String>,
    },
    /// List cycles of files that import each other
    Cycles,
    /// List the files that most others depend on, and the entry points
    Hubs,
    /// Show the definitions of a file, in order
    Outline {
        /// The file
        path: String,
    },
}
