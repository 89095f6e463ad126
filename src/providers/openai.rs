//! `OpenAI` and every server that speaks its chat completions.

use secrecy::{ExposeSecret as _, SecretString};

use super::endpoint::Endpoint;
use super::transport::{Address, ModelApi};
use super::wire::openai::WIRE;
use super::{ProviderConfig, ProviderError};
use crate::system::System;

const NAME: &str = "openai";
const DEFAULT_URL: &str = "https://api.openai.com/v1/chat/completions";
const DEFAULT_MODEL: &str = "gpt-4o-mini";
pub(super) const VENDOR_HOST: &str = "api.openai.com";

pub(super) fn open_openai<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let setup = |message: &str| ProviderError::setup(NAME, message);
    let url = config.url.as_deref().unwrap_or(DEFAULT_URL);
    let endpoint = Endpoint::complete_url(url, missing_route).map_err(setup)?;
    let vendor = endpoint.host() == VENDOR_HOST;
    // Local servers that speak this format usually need no key.
    if vendor && config.api_key.is_none() {
        return Err(setup("no key; set `PAPAYU_LLM_API_KEY`"));
    }
    let address = Address {
        name: NAME,
        wire: WIRE,
        headers: config.api_key.iter().map(bearer_header).collect(),
        endpoint,
        model: config.model.clone().unwrap_or_else(|| DEFAULT_MODEL.into()),
        // Other servers often reject `response_format`, which costs a request to find out.
        strict: config.strict_json.unwrap_or(vendor),
        capabilities: None,
    };
    Ok(ModelApi::new(address, config, system))
}

/// Returns the header most servers read a key from.
pub(super) fn bearer_header(key: &SecretString) -> (String, SecretString) {
    ("authorization".into(), format!("Bearer {}", key.expose_secret().trim()).into())
}

/// A bare host gets the usual route; any other path is a base, as in the vendor's own SDK.
fn missing_route(path: &str) -> &'static str {
    match path {
        "" => "/v1/chat/completions",
        _ if path.ends_with("/chat/completions") => "",
        _ => "/chat/completions",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_of_a_url_is_added() {
        for (written, complete) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/chat/completions"),
            ("http://host:1/v1/", "http://host:1/v1/chat/completions"),
            ("https://host/v1/chat/completions", "https://host/v1/chat/completions"),
            ("https://host/v1beta/openai/", "https://host/v1beta/openai/chat/completions"),
            ("https://host/d/x?api-version=1", "https://host/d/x/chat/completions?api-version=1"),
        ] {
            let endpoint = Endpoint::complete_url(written, missing_route);
            assert_eq!(endpoint.map(|it| it.as_str().to_owned()), Ok(complete.to_owned()));
        }
        for bad in ["localhost:11434", "", "ftp://host", "/v1"] {
            assert!(Endpoint::complete_url(bad, missing_route).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        let endpoint = Endpoint::complete_url("https://me:pw@host/v1?key=s3cret#x", missing_route);
        let shown = endpoint.map(|endpoint| endpoint.display_url());
        assert_eq!(shown, Ok("https://host/v1/chat/completions".to_owned()));
    }
}
