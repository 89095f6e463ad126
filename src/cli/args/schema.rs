//! `papayu-batch schema`.

use clap::{Args, ValueEnum};

/// Print a JSON Schema.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Which schema
    #[arg(value_enum)]
    pub name: SchemaName,
}

/// The schemas there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// `outcome.json`, what every run leaves
    Outcome,
    /// A trace file
    Trace,
    /// `papayu.toml`, the settings file
    Settings,
}
