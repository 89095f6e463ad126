//! The reasons why research gives no findings.

/// The reason why research gives no findings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResearchError {
    /// The user did not turn research on.
    #[error("online research is off")]
    Off,
    /// No search engine is configured.
    #[error("no search engine is configured for online research")]
    NoEngine,
    /// Nothing is left of the query after its redaction.
    #[error("the query has no words that may leave the machine")]
    EmptyQuery,
    /// The search engine did not answer, or not in its documented form.
    #[error("the search with {engine} failed: {reason}")]
    Search {
        /// The engine.
        engine: &'static str,
        /// The cause.
        reason: String,
    },
    /// No hit is on an allowed domain.
    #[error("the search has no hits on allowed domains")]
    NoHits,
    /// A signal or the time limit ended it.
    #[error("online research was interrupted")]
    Interrupted,
}

impl ResearchError {
    /// Returns the next step for the user. `None` if there is none.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Off => Some("PAPAYU_ONLINE_RESEARCH=1 turns it on"),
            Self::NoEngine => Some(
                "set PAPAYU_TAVILY_API_KEY, or PAPAYU_ONLINE_SEARXNG_URL to the address of a SearXNG server",
            ),
            Self::EmptyQuery => Some(
                "describe the problem in general words; paths, names of the repository and secrets are left out",
            ),
            Self::Search { .. } => Some("check the address and the key of the search engine"),
            Self::NoHits => Some("use other words, or allow more domains"),
            Self::Interrupted => None,
        }
    }
}
