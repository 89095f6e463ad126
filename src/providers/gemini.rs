//! The Gemini API of Google.

use secrecy::{ExposeSecret as _, SecretString};

use super::endpoint::Endpoint;
use super::transport::{Address, ModelApi};
use super::wire::gemini::WIRE;
use super::{ProviderConfig, ProviderError};
use crate::system::System;

const NAME: &str = "gemini";
const DEFAULT_URL: &str = "https://generativelanguage.googleapis.com/v1beta";
const DEFAULT_MODEL: &str = "gemini-3.8-flash";
const VENDOR_HOST: &str = "generativelanguage.googleapis.com";

/// The method that is called on a model.
const METHOD: &str = ":generateContent";

pub(super) fn open_gemini<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let setup = |message: &str| ProviderError::setup(NAME, message);
    let url = config.url.as_deref().unwrap_or(DEFAULT_URL);
    let base = Endpoint::complete_url(url, missing_route).map_err(setup)?;
    if base.host() == VENDOR_HOST && config.api_key.is_none() {
        return Err(setup("no key; set `PAPAYU_LLM_API_KEY`"));
    }
    let model = config.model.clone().unwrap_or_else(|| DEFAULT_MODEL.into());
    let header = |key: &SecretString| {
        ("x-goog-api-key".to_owned(), SecretString::from(key.expose_secret().trim()))
    };
    let address = Address {
        name: NAME,
        wire: WIRE,
        headers: config.api_key.iter().map(header).collect(),
        endpoint: model_endpoint(&base, &model),
        model,
        strict: config.strict_json.unwrap_or(true),
        capabilities: None,
    };
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
