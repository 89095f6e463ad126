//! Searches the web for a query and returns short, readable, untrusted texts with their addresses.
//!
//! Research is off unless the user turns it on. It runs in this process; commands of the repository gain no access to
//! the network by it. The query is the only text that leaves the machine, and [`SafeQuery::redact`] is its only constructor.

mod address;
mod block;
mod cache;
mod config;
mod error;
mod excerpt;
mod fetch;
mod findings;
mod html;
mod page_fault;
mod query;
mod search;
#[cfg(test)]
mod tests;

pub use block::{MAX_BLOCK_CHARS, MAX_BLOCK_SOURCES, write_block};
pub use config::{DomainLists, ResearchConfig, ResearchLimits, SearchEngine};
pub use error::ResearchError;
pub use findings::{FindingsSummary, ResearchFindings, ResearchSource, SkippedPage};
pub use query::{PrivateNames, SafeQuery};

use cache::ResultCache;
use fetch::PageFetcher;
use papayu_base::text::first_chars;
use papayu_system::System;
use search::SearchHit;

/// Characters of one source that are kept: the block has no space for more.
const MAX_SOURCE_CHARS: usize = 4_000;

/// Returns the findings of a query: the best search hits, and for the first of them the text of the page.
/// A page that cannot be read is replaced by the text of its search hit, and the reason is in [`ResearchFindings::skipped`].
///
/// # Errors
///
/// [`ResearchError`] if no engine is configured, the search fails, or no hit is on an allowed domain.
pub fn search_web(
    query: &SafeQuery,
    config: &ResearchConfig,
    system: System<'_>,
) -> Result<ResearchFindings, ResearchError> {
    let engine = config.engine.as_ref().ok_or(ResearchError::NoEngine)?;
    let cache = ResultCache::open(config, query, system);
    if let Some(found) = cache.as_ref().and_then(ResultCache::load) {
        return Ok(found);
    }
    let hits = search::search(engine, query, config, system.http)?;
    let mut findings =
        ResearchFindings { query: query.as_str().to_owned(), ..ResearchFindings::default() };
    let fetcher = PageFetcher { system, config };
    for (index, hit) in hits.into_iter().enumerate() {
        if system.clock.interrupted() {
            return Err(ResearchError::Interrupted);
        }
        let is_fetched = index < config.limits.max_pages;
        let source = read_source(hit, is_fetched.then_some(&fetcher), query, &mut findings.skipped);
        findings.sources.push(source);
    }
    if findings.sources.is_empty() {
        return Err(ResearchError::NoHits);
    }
    if let Some(cache) = cache {
        cache.save(&findings);
    }
    Ok(findings)
}

/// Returns the source of a search hit, with the text of its page if that is wanted and can be read.
fn read_source(
    hit: SearchHit,
    fetcher: Option<&PageFetcher<'_>>,
    query: &SafeQuery,
    skipped: &mut Vec<SkippedPage>,
) -> ResearchSource {
    let mut source =
        ResearchSource { title: hit.title, url: hit.url, text: hit.text, is_whole_page: false };
    let Some(fetcher) = fetcher else { return source };
    match fetcher.fetch_page(&source.url) {
        Ok(text) => {
            let text = excerpt::choose_paragraphs(&text, query, MAX_SOURCE_CHARS);
            if !text.is_empty() {
                source.text = text;
                source.is_whole_page = true;
            }
        }
        Err(fault) => {
            skipped.push(SkippedPage { url: source.url.clone(), reason: fault.to_string() });
        }
    }
    source.text = first_chars(&source.text, MAX_SOURCE_CHARS).to_owned();
    source
}
