//! The result of research.

use serde::{Deserialize, Serialize};

/// The result of research: untrusted texts of the web.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// The query as it was sent.
    pub query: String,
    /// The sources, the best first.
    pub sources: Vec<Source>,
    /// Pages that were not read.
    pub skipped: Vec<SkippedPage>,
}

/// A search hit with a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
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
