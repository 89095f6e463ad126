//! `papayu-batch research`.

use clap::Args;

use super::value::{flag_values, list_value, number_value};
use crate::settings::FlagValue;

/// Search the web for a query and print short texts with their addresses; a model is asked only with `online.model`.
#[derive(Debug, Args)]
pub struct ResearchArgs {
    /// Words to search for; paths, secrets and names of the repository are left out of them
    #[arg(value_name = "QUERY", required = true)]
    pub query: Vec<String>,
    /// Domain that may be read, with its subdomains; may be given several times [default: any]
    #[arg(long, value_name = "DOMAIN", value_delimiter = ',')]
    pub research_domains: Vec<String>,
    /// Maximum number of pages that are fetched; 0 prints the texts of the search only [default: 4]
    #[arg(long, value_name = "N")]
    pub max_pages: Option<u64>,
}

impl ResearchArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { query: _, research_domains, max_pages } = self;
        flag_values([
            ("online.domains", list_value(research_domains), "--research-domains"),
            ("online.max_pages", number_value(*max_pages), "--max-pages"),
        ])
    }
}
