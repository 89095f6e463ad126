//! `OpenAI` and every server that speaks its chat completions.

use secrecy::{ExposeSecret as _, SecretString};

use super::transport::ModelApi;
use super::vendor::Vendor;
use super::wire::openai::WIRE;
use super::{ProviderConfig, ProviderError};
use crate::system::System;

pub(super) const VENDOR_HOST: &str = "api.openai.com";

const VENDOR: Vendor = Vendor {
    name: "openai",
    wire: WIRE,
    url: "https://api.openai.com/v1/chat/completions",
    host: VENDOR_HOST,
    model: "gpt-4o-mini",
    missing_route,
    key_header: bearer_header,
};

pub(super) fn open_openai<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let mut address = VENDOR.address(config)?;
    // Other servers often reject `response_format`, which costs a request to find out.
    address.strict = config.strict_json.unwrap_or(address.endpoint.host() == VENDOR_HOST);
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
    use crate::providers::endpoint::Endpoint;

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
