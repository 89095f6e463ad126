//! The choices of the user for online research.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

use super::query::PrivateNames;

/// The choices of the user for online research.
#[derive(Clone, Debug)]
pub struct ResearchConfig {
    /// The search engine; `None` if none is configured.
    pub engine: Option<SearchEngine>,
    /// The limits of one research.
    pub limits: ResearchLimits,
    /// The domains that may be read.
    pub domains: DomainLists,
    /// The names that no query contains.
    pub private_names: PrivateNames,
    /// `true` if a run does research without asking (`PAPAYU_ONLINE_AUTO_USE_AS_CONTEXT`).
    pub is_automatic: bool,
    /// The folder of cached results; `None` caches nothing.
    pub cache_folder: Option<PathBuf>,
}

/// A search engine.
#[derive(Clone, Debug)]
pub enum SearchEngine {
    /// Tavily, <https://docs.tavily.com/documentation/api-reference/endpoint/search>.
    Tavily {
        /// Address of the API, without `/search`.
        url: String,
        /// Key of the API.
        key: SecretString,
    },
    /// A `SearXNG` server that answers in JSON, <https://docs.searxng.org/dev/search_api.html>.
    SearXng {
        /// Address of the server, without `/search`.
        url: String,
    },
}

impl SearchEngine {
    /// Returns the name of the engine in events and results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tavily { .. } => "tavily",
            Self::SearXng { .. } => "searxng",
        }
    }
}

/// The limits of one research.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResearchLimits {
    /// Maximum number of sources.
    pub max_sources: usize,
    /// Maximum number of pages that are fetched; 0 uses the texts of the search hits only.
    pub max_pages: usize,
    /// Maximum size of a page in bytes, decompressed.
    pub page_max_bytes: u64,
    /// Time limit of the search, and of each page with its redirects.
    pub timeout: Duration,
}

/// The domains that may be read. A domain includes its subdomains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomainLists {
    /// The only domains that may be read; empty is any.
    pub allowed: Vec<String>,
    /// Domains that are never read.
    pub denied: Vec<String>,
}

impl DomainLists {
    /// Returns `true` if pages of a host may be read.
    ///
    /// # Examples
    ///
    /// ```
    /// use papayu_providers::research::DomainLists;
    ///
    /// let lists = DomainLists { allowed: vec!["docs.rs".into()], denied: Vec::new() };
    /// assert!(lists.allows("docs.rs") && lists.allows("www.docs.rs"));
    /// assert!(!lists.allows("evil-docs.rs"));
    /// ```
    pub fn allows(&self, host: &str) -> bool {
        let host = normalize(host);
        let is_in = |list: &[String]| list.iter().any(|domain| is_below(&host, &normalize(domain)));
        !is_in(&self.denied) && (self.allowed.is_empty() || is_in(&self.allowed))
    }
}

/// Returns a host or domain in the form that is compared.
fn normalize(domain: &str) -> String {
    domain.trim().trim_matches('.').to_ascii_lowercase()
}

/// Returns `true` for a domain and its subdomains.
fn is_below(host: &str, domain: &str) -> bool {
    let above = host.strip_suffix(domain);
    !domain.is_empty() && above.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
