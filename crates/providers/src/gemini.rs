//! The Gemini API of Google.

use secrecy::ExposeSecret as _;

use super::endpoint::Endpoint;
use super::transport::ModelApi;
use super::vendor::Vendor;
use super::wire::gemini::WIRE;
use super::{ProviderConfig, ProviderError};
use papayu_system::System;

/// The method that is called on a model.
const METHOD: &str = ":generateContent";

/// The model that is used if none is configured.
pub(crate) const DEFAULT_MODEL: &str = "gemini-3.8-flash";

const VENDOR: Vendor = Vendor {
    name: "gemini",
    wire: WIRE,
    url: "https://generativelanguage.googleapis.com/v1beta",
    host: "generativelanguage.googleapis.com",
    model: DEFAULT_MODEL,
    missing_route,
    key_header: |key| ("x-goog-api-key".into(), key.expose_secret().trim().into()),
};

pub(super) fn open_gemini<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let mut address = VENDOR.address(config)?;
    address.endpoint = model_endpoint(&address.endpoint, &address.model);
    Ok(ModelApi::new(address, config, system))
}

/// Returns the address of a model's method; an address that names its model and method is complete.
fn model_endpoint(base: &Endpoint, model: &str) -> Endpoint {
    let path = base.path();
    if path.ends_with(METHOD) {
        return base.with_path(path);
    }
    // Tuned models are named with their collection.
    let name = if model.contains('/') { model.to_owned() } else { format!("models/{model}") };
    base.with_path(&format!("{path}/{name}{METHOD}"))
}

/// A bare host gets the version of the vendor's own SDK.
fn missing_route(path: &str) -> &'static str {
    if path.is_empty() { "/v1beta" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_part_of_the_address() {
        for (written, model, complete) in [
            ("http://127.0.0.1:8000", "m", "http://127.0.0.1:8000/v1beta/models/m:generateContent"),
            ("https://host/v1/", "models/m", "https://host/v1/models/m:generateContent"),
            (
                "https://host/v1?key=1",
                "tunedModels/m",
                "https://host/v1/tunedModels/m:generateContent?key=1",
            ),
            (
                "https://host/v1/publishers/google/models/x:generateContent",
                "m",
                "https://host/v1/publishers/google/models/x:generateContent",
            ),
        ] {
            let base = Endpoint::complete_url(written, missing_route).unwrap();
            assert_eq!(model_endpoint(&base, model).as_str(), complete);
        }
    }
}
