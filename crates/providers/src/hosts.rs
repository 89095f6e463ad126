//! Vendors that serve the format of another vendor under addresses and headers of their own.

use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

/// The end of the hosts of Azure `OpenAI`. Source: "Azure `OpenAI` in Microsoft Foundry Models v1 API", learn.microsoft.com.
const AZURE: &str = ".openai.azure.com";

/// The version that Azure's addresses of deployments must name; those of `/openai/v1` need none.
const AZURE_VERSION: &str = "2024-10-21";

/// Returns the path at which the API of a host begins; empty for hosts that are not known.
pub(super) fn base_path(host: &str) -> &'static str {
    match host {
        "openrouter.ai" => "/api/v1",
        _ if is_azure(host) => "/openai/v1",
        _ => "",
    }
}

/// Returns `true` for a host of Azure `OpenAI`.
pub(super) fn is_azure(host: &str) -> bool {
    host.strip_suffix(AZURE).is_some_and(|resource| !resource.is_empty())
}

/// Returns the header in which Azure reads a key.
pub(super) fn azure_header(key: &SecretString) -> (String, SecretString) {
    ("api-key".into(), key.expose_secret().trim().into())
}

/// Adds the version to an address of an Azure deployment that names none.
pub(super) fn add_azure_version(url: &mut Url) {
    let is_deployment =
        url.host_str().is_some_and(is_azure) && url.path().contains("/deployments/");
    let has_version = url.query_pairs().any(|(name, _)| name == "api-version");
    if is_deployment && !has_version {
        url.query_pairs_mut().append_pair("api-version", AZURE_VERSION);
    }
}
