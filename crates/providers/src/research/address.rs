//! Checks the address of a page before a request goes to it.

use url::Url;

use super::config::DomainLists;
use super::page_fault::PageFault;
use papayu_system::names_private_host;

/// Returns the address as it is requested.
///
/// # Errors
///
/// [`PageFault::Refused`] for another scheme than http and https, for a user name or password, for another port than
/// that of the scheme, for a host of this machine or of a private network, and for a domain that the lists exclude.
/// Names are checked again when they are resolved, see [`papayu_system::PrivateHosts`].
pub(super) fn check_address(text: &str, domains: &DomainLists) -> Result<Url, PageFault> {
    let refuse = |reason: &'static str| PageFault::Refused(reason);
    let mut url = Url::parse(text).map_err(|_| refuse("the address cannot be read"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("the address is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("the address has a user name"));
    }
    if url.port().is_some() {
        return Err(refuse("the address has an unusual port"));
    }
    if names_private_host(&url) {
        return Err(refuse("the address is of this machine or of a private network"));
    }
    if !url.host_str().is_some_and(|host| domains.allows(host)) {
        return Err(refuse("the domain is not allowed"));
    }
    // The fragment is for the reader of a page, not for its server.
    url.set_fragment(None);
    Ok(url)
}
