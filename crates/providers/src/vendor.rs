//! The address of a vendor, or of a server that speaks the same format.

use secrecy::SecretString;

use super::endpoint::Endpoint;
use super::hosts;
use super::transport::ModelAddress;
use super::wire::VendorWire;
use super::{ProviderConfig, ProviderError};

/// A vendor with a public address and keys.
pub(super) struct Vendor {
    /// The name in traces and messages.
    pub(super) name: &'static str,
    pub(super) wire: VendorWire,
    /// The public address, used if none is configured.
    pub(super) url: &'static str,
    /// The host that requires a key.
    pub(super) host: &'static str,
    /// The model that is used if none is configured.
    pub(super) model: &'static str,
    /// Returns the part that is missing at the end of a path.
    pub(super) missing_route: fn(&str) -> &'static str,
    /// Returns the header of a key.
    pub(super) key_header: fn(&SecretString) -> (String, SecretString),
}

impl Vendor {
    /// Returns the address that the settings name, with strict schemas unless the settings turn them off.
    ///
    /// # Errors
    ///
    /// [`ProviderError`] of the kind `Setup` if the address is none, or the key for the vendor's own host is
    /// missing. Local servers that speak the format usually need no key, and proxies may add it themselves.
    pub(super) fn address(self, config: &ProviderConfig) -> Result<ModelAddress, ProviderError> {
        let setup = |message: &str| ProviderError::setup(self.name, message);
        let url = config.url.as_deref().unwrap_or(self.url);
        let endpoint = Endpoint::complete_url(url, self.missing_route).map_err(setup)?;
        if endpoint.host() == self.host && config.api_key.is_none() {
            let setting = config.key_setting;
            let hint = if config.url.is_none() { setting.address_hint() } else { "" };
            let message = format!("no key for {}; set {}{hint}", self.host, setting.place());
            return Err(setup(&message));
        }
        let is_azure = hosts::is_azure(endpoint.host());
        let key_header = if is_azure { hosts::azure_header } else { self.key_header };
        Ok(ModelAddress {
            name: self.name,
            wire: self.wire,
            headers: config.api_key.iter().map(key_header).collect(),
            endpoint,
            model: config.model.clone().unwrap_or_else(|| self.model.into()),
            strict: config.strict_json.unwrap_or(true),
            capabilities: None,
        })
    }
}
