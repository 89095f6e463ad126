//! `OpenAI` and every server that speaks its chat completions.

use secrecy::{ExposeSecret as _, SecretString};

use super::hosts;
use super::transport::{ModelAddress, ModelApi};
use super::vendor::Vendor;
use super::wire::openai::WIRE;
use super::{ProviderConfig, ProviderError};
use papayu_system::System;

pub(super) const VENDOR_HOST: &str = "api.openai.com";

/// The model that is used if none is configured.
pub(crate) const DEFAULT_MODEL: &str = "gpt-4o-mini";

const VENDOR: Vendor = Vendor {
    name: "openai",
    wire: WIRE,
    url: "https://api.openai.com/v1/chat/completions",
    host: VENDOR_HOST,
    model: DEFAULT_MODEL,
    missing_route,
    key_header: bearer_header,
};

pub(super) fn open_openai<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    Ok(ModelApi::new(openai_address(config)?, config, system))
}

/// Returns the address; strict JSON is on for servers that are known to support it, unless the settings decide.
fn openai_address(config: &ProviderConfig) -> Result<ModelAddress, ProviderError> {
    let mut address = VENDOR.address(config)?;
    // Other servers often reject `response_format`, which costs a request to find out.
    let host = address.endpoint.host();
    let is_known = host == VENDOR_HOST || hosts::is_azure(host);
    address.strict = config.strict_json.unwrap_or(is_known);
    Ok(address)
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
    use crate::endpoint::Endpoint;

    #[test]
    fn what_is_missing_of_a_url_is_added() {
        for (written, complete) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/chat/completions"),
            ("http://host:1/v1/", "http://host:1/v1/chat/completions"),
            ("https://host/v1/chat/completions", "https://host/v1/chat/completions"),
            ("https://host/v1beta/openai/", "https://host/v1beta/openai/chat/completions"),
            ("https://openrouter.ai", "https://openrouter.ai/api/v1/chat/completions"),
            ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
            (
                "https://x.openai.azure.com/",
                "https://x.openai.azure.com/openai/v1/chat/completions",
            ),
            (
                "https://x.openai.azure.com/openai/deployments/d",
                "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
            ),
            (
                "https://x.openai.azure.com/openai/deployments/d?api-version=2025-01-01-preview",
                "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01-preview",
            ),
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
    fn azure_reads_the_key_from_a_header_of_its_own() {
        let key = SecretString::from("k-1");
        for (url, header, strict) in [
            ("https://x.openai.azure.com", ("api-key", "k-1"), true),
            ("https://X.OpenAI.Azure.com/openai/v1", ("api-key", "k-1"), true),
            ("https://x.openai.azure.com.evil.example", ("authorization", "Bearer k-1"), false),
            ("https://openai.azure.com", ("authorization", "Bearer k-1"), false),
            ("https://openrouter.ai", ("authorization", "Bearer k-1"), false),
            ("https://api.openai.com", ("authorization", "Bearer k-1"), true),
        ] {
            let config = ProviderConfig {
                command: None,
                kind: crate::ProviderKind::OpenAi,
                url: Some(url.into()),
                api_key: Some(key.clone()),
                key_setting: crate::KeySetting::First,
                model: None,
                strict_json: None,
                reasoning_effort: crate::ReasoningEffort::Auto,
                temperature: 0.0,
                timeout: std::time::Duration::from_secs(1),
            };
            let address = openai_address(&config).unwrap();
            let headers: Vec<_> = address
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.expose_secret()))
                .collect();
            assert_eq!((headers, address.strict), (vec![header], strict), "{url}");
        }
    }

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        let endpoint = Endpoint::complete_url("https://me:pw@host/v1?key=s3cret#x", missing_route);
        let shown = endpoint.map(|endpoint| endpoint.display_url());
        assert_eq!(shown, Ok("https://host/v1/chat/completions".to_owned()));
    }
}
