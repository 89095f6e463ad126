//! Anthropic's messages, and servers that speak the same.

use secrecy::{ExposeSecret as _, SecretString};

use super::transport::ModelApi;
use super::vendor::Vendor;
use super::wire::anthropic::WIRE;
use super::{ProviderConfig, ProviderError};
use papayu_system::System;

const VERSION: &str = "2023-06-01";

/// The model that is used if none is configured.
pub(crate) const DEFAULT_MODEL: &str = "claude-sonnet-4-5";

const VENDOR: Vendor = Vendor {
    name: "anthropic",
    wire: WIRE,
    url: "https://api.anthropic.com/v1/messages",
    host: "api.anthropic.com",
    model: DEFAULT_MODEL,
    missing_route,
    key_header: |key| ("x-api-key".into(), key.expose_secret().trim().into()),
};

pub(super) fn open_anthropic<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let mut address = VENDOR.address(config)?;
    address.headers.insert(0, ("anthropic-version".into(), SecretString::from(VERSION)));
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
