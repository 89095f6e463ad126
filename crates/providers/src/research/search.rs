//! Asks a search engine.

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::address::check_address;
use super::config::{ResearchConfig, SearchEngine};
use super::error::ResearchError;
use super::query::SafeQuery;
use papayu_system::{Http, HttpRequest, HttpResponse, Method, PrivateHosts};

/// Maximum size of the answer of a search engine.
const MAX_ANSWER_BYTES: u64 = 4 * 1024 * 1024;
/// Hits that are read, before those that are not allowed are left out.
const MAX_HITS: usize = 50;

/// A hit of a search.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct SearchHit {
    /// Title of the page.
    #[serde(default)]
    pub(super) title: String,
    /// Address of the page.
    pub(super) url: String,
    /// The text that the engine shows with the hit.
    #[serde(default, rename = "content")]
    pub(super) text: String,
}

/// The part of an answer that both engines have in common.
#[derive(Deserialize)]
struct SearchAnswer {
    results: Vec<SearchHit>,
}

/// Returns the hits that may be read, the best first, at most one for each address.
///
/// Fails with [`ResearchError::Search`] if the address of the engine is invalid, it does not answer with status
/// 200, or its answer has another form. No hits are an empty list.
pub(super) fn search(
    engine: &SearchEngine,
    query: &SafeQuery,
    config: &ResearchConfig,
    http: &dyn Http,
) -> Result<Vec<SearchHit>, ResearchError> {
    let failed = |reason: String| ResearchError::Search { engine: engine.name(), reason };
    let request = build_request(engine, query, config).map_err(failed)?;
    let answer = http.send(&request).map_err(|error| failed(error.to_string()))?;
    let answer = read_answer(&answer).map_err(failed)?;
    let mut hits: Vec<SearchHit> = Vec::new();
    for mut hit in answer.results.into_iter().take(MAX_HITS) {
        // An address that may not be fetched is no source either: a person may open it.
        let Ok(url) = check_address(&hit.url, &config.domains) else { continue };
        hit.url = url.to_string();
        if hits.len() < config.limits.max_sources && hits.iter().all(|known| known.url != hit.url) {
            hits.push(hit);
        }
    }
    Ok(hits)
}

/// Returns the request in the documented form of the engine.
fn build_request(
    engine: &SearchEngine,
    query: &SafeQuery,
    config: &ResearchConfig,
) -> Result<HttpRequest, String> {
    let (base, method) = match engine {
        SearchEngine::Tavily { url, .. } => (url, Method::Post),
        SearchEngine::SearXng { url } => (url, Method::Get),
    };
    let mut url = Url::parse(base).map_err(|error| format!("its address: {error}"))?;
    let path = format!("{}/search", url.path().trim_end_matches('/'));
    url.set_path(&path);
    let (headers, body) = match engine {
        SearchEngine::Tavily { key, .. } => {
            let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
            let body = json!({
                "query": query.as_str(),
                "max_results": config.limits.max_sources,
                "include_domains": config.domains.allowed,
                "exclude_domains": config.domains.denied,
            });
            (vec![("authorization".to_owned(), bearer)], Some(body.to_string().into_bytes()))
        }
        SearchEngine::SearXng { .. } => {
            url.query_pairs_mut().append_pair("q", query.as_str()).append_pair("format", "json");
            (Vec::new(), None)
        }
    };
    Ok(HttpRequest {
        method,
        url: url.to_string(),
        headers,
        body,
        timeout: config.limits.timeout,
        max_bytes: MAX_ANSWER_BYTES,
        // The user chose this server.
        private_hosts: PrivateHosts::Allowed,
    })
}

/// Reads the answer of an engine.
fn read_answer(answer: &HttpResponse) -> Result<SearchAnswer, String> {
    match answer.status {
        200 => {}
        401 => return Err("the key is not accepted (status 401)".to_owned()),
        403 => {
            return Err("the server refuses the request (status 403); a SearXNG server must allow the format json in its settings".to_owned());
        }
        status => return Err(format!("status {status}")),
    }
    serde_json::from_slice(&answer.body).map_err(|error| format!("its answer: {error}"))
}
