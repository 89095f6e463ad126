//! `papayu-batch schema`.

use clap::{Args, ValueEnum};

/// Print a JSON Schema.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Name of the schema
    #[arg(value_enum)]
    pub name: SchemaName,
    /// With the schema of a reply: the strict form that is sent to providers
    #[arg(long)]
    pub wire: bool,
}

/// The schemas there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// A model's reply in protocol v1
    V1,
    /// A model's reply in protocol v2
    V2,
    /// A model's reply in protocol v3
    V3,
    /// A model's reply to a self-check
    SelfCheck,
    /// A model's reply to a review
    Review,
    /// A model's second opinion on a change
    Judge,
    /// A model's summary of the pages of online research
    WebSummary,
    /// A model's summary of a conversation that begins again
    ConversationSummary,
    /// A model's recipe for its own fix
    Recipe,
    /// `outcome.json`, the result of a run
    Outcome,
    /// A trace file
    Trace,
    /// A bundle's manifest
    Bundle,
    /// `papayu.toml`, the settings file
    Settings,
    /// A manifest of `batch`
    Batch,
    /// `summary.json`, the result of a batch
    Summary,
}
