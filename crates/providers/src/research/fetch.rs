//! Fetches a page: checks each address, follows few redirects, and returns readable text.

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use super::address::check_address;
use super::config::ResearchConfig;
use super::html;
use super::page_fault::PageFault;
use papayu_system::{HttpError, HttpRequest, HttpResponse, Method, PrivateHosts, System};

/// Maximum number of redirects of a page.
const MAX_REDIRECTS: usize = 5;
/// Types of pages that are read.
const TYPES: [&str; 4] = ["text/html", "application/xhtml+xml", "text/plain", "text/markdown"];

/// Fetches pages within the limits of a configuration.
pub(super) struct PageFetcher<'a> {
    pub(super) system: System<'a>,
    pub(super) config: &'a ResearchConfig,
}

impl PageFetcher<'_> {
    /// Returns the readable text of a page. The configured time limit is for the page with all its redirects.
    ///
    /// Fails with [`PageFault::Refused`] for an address that [`check_address`] refuses, also after a redirect;
    /// [`PageFault::Redirects`] after [`MAX_REDIRECTS`]; [`PageFault::Status`] for any status but 200;
    /// [`PageFault::Type`] if the page is no text; and [`PageFault::Http`] if no whole answer arrives in time.
    pub(super) fn fetch_page(&self, address: &str) -> Result<String, PageFault> {
        let begun = self.system.clock.elapsed();
        let mut url = check_address(address, &self.config.domains)?;
        for _ in 0..=MAX_REDIRECTS {
            let spent = self.system.clock.elapsed().saturating_sub(begun);
            let timeout = self.config.limits.timeout.saturating_sub(spent);
            if timeout.is_zero() {
                return Err(HttpError::Timeout(self.config.limits.timeout).into());
            }
            let answer = self.system.http.send(&HttpRequest {
                method: Method::Get,
                url: url.to_string(),
                headers: Vec::new(),
                body: None,
                timeout,
                max_bytes: self.config.limits.page_max_bytes,
                private_hosts: PrivateHosts::RefusedDirect,
            })?;
            match answer.status {
                200 => return read_page(&answer),
                301 | 302 | 303 | 307 | 308 => url = self.next_address(&url, &answer)?,
                status => return Err(PageFault::Status(status)),
            }
        }
        Err(PageFault::Redirects)
    }

    /// Returns the checked address that a redirect leads to.
    fn next_address(&self, url: &Url, answer: &HttpResponse) -> Result<Url, PageFault> {
        let place = answer.header("location").and_then(|place| url.join(place).ok());
        let place = place.ok_or(PageFault::Redirects)?;
        check_address(place.as_str(), &self.config.domains)
    }
}

/// Returns the text of an answer in its character encoding.
fn read_page(answer: &HttpResponse) -> Result<String, PageFault> {
    let header = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
    let (kind, parameters) = header.split_once(';').unwrap_or((header.as_str(), ""));
    let kind = kind.trim();
    if !TYPES.contains(&kind) {
        return Err(PageFault::Type);
    }
    let label = parameters.split(';').find_map(|part| part.trim().strip_prefix("charset="));
    let label = label.map(|label| label.trim_matches('"'));
    let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(UTF_8);
    let text = encoding.decode(&answer.body).0;
    let is_html = kind.contains("html");
    Ok(if is_html { html::read_text(&text) } else { text.into_owned() })
}
