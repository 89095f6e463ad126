//! Anthropic's messages, and servers that speak the same.

use secrecy::{ExposeSecret as _, SecretString};

use super::endpoint::Endpoint;
use super::transport::{Address, ModelApi};
use super::wire::anthropic::WIRE;
use super::{ProviderConfig, ProviderError};
use crate::system::System;

const NAME: &str = "anthropic";
const DEFAULT_URL: &str = "https://api.anthropic.com/v1/messages";
const DEFAULT_MODEL: &str = "claude-sonnet-4-5";
const VENDOR_HOST: &str = "api.anthropic.com";
const VERSION: &str = "2023-06-01";

pub(super) fn open_anthropic<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let setup = |message: &str| ProviderError::setup(NAME, message);
    let url = config.url.as_deref().unwrap_or(DEFAULT_URL);
    let endpoint = Endpoint::complete_url(url, missing_route).map_err(setup)?;
    // Proxies that speak this format may add the key themselves.
    if endpoint.host() == VENDOR_HOST && config.api_key.is_none() {
        return Err(setup("no key; set `PAPAYU_LLM_API_KEY`"));
    }
    let mut headers = vec![("anthropic-version".into(), SecretString::from(VERSION))];
    if let Some(key) = &config.api_key {
        headers.push(("x-api-key".into(), key.expose_secret().trim().into()));
    }
    let address = Address {
        name: NAME,
        wire: WIRE,
        endpoint,
        headers,
        model: config.model.clone().unwrap_or_else(|| DEFAULT_MODEL.into()),
        strict: config.strict_json.unwrap_or(true),
        capabilities: None,
    };
    Ok(ModelApi::new(address, config, system))
}

/// A base is completed as the vendor's own SDK does it.
fn missing_route(path: &str) -> &'static str {
    match path {
        _ if path.ends_with("/messages") => "",
        _ if path.ends_with("/v1") => "/messages",
        _ => "/v1/messages",
    }
}
