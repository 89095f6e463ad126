//! The result of research.

use serde::{Deserialize, Serialize};

/// The result of research: untrusted texts of the web.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResearchFindings {
    /// The query as it was sent.
    pub query: String,
    /// The sources, the best first.
    pub sources: Vec<ResearchSource>,
    /// Pages that were not read.
    pub skipped: Vec<SkippedPage>,
    /// The summary of a model, with `online.model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<FindingsSummary>,
}

/// A summary of the sources by a model: untrusted, as they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingsSummary {
    /// The model.
    pub model: String,
    /// The summary.
    pub text: String,
    /// Addresses of the sources that it rests on.
    pub sources: Vec<String>,
}

/// A search hit with a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResearchSource {
    /// Title of the page.
    pub title: String,
    /// Address of the page.
    pub url: String,
    /// The paragraphs that fit the query best.
    pub text: String,
    /// `true` if the text is from the page, `false` if it is from the search hit.
    pub is_whole_page: bool,
}

/// A page that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPage {
    /// Address of the page.
    pub url: String,
    /// The cause.
    pub reason: String,
}
