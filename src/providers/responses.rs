//! The Responses API of `OpenAI`.

use super::endpoint::Endpoint;
use super::openai::{VENDOR_HOST, bearer_header};
use super::transport::{Address, ModelApi};
use super::wire::responses::WIRE;
use super::{ProviderConfig, ProviderError};
use crate::system::System;

const NAME: &str = "openai-responses";
const DEFAULT_URL: &str = "https://api.openai.com/v1/responses";
const DEFAULT_MODEL: &str = "gpt-5-mini";

pub(super) fn open_responses<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let setup = |message: &str| ProviderError::setup(NAME, message);
    let url = config.url.as_deref().unwrap_or(DEFAULT_URL);
    let endpoint = Endpoint::complete_url(url, missing_route).map_err(setup)?;
    if endpoint.host() == VENDOR_HOST && config.api_key.is_none() {
        return Err(setup("no key; set `PAPAYU_LLM_API_KEY`"));
    }
    let address = Address {
        name: NAME,
        wire: WIRE,
        headers: config.api_key.iter().map(bearer_header).collect(),
        endpoint,
        model: config.model.clone().unwrap_or_else(|| DEFAULT_MODEL.into()),
        strict: config.strict_json.unwrap_or(true),
        capabilities: None,
    };
    Ok(ModelApi::new(address, config, system))
}

/// A base is completed as the vendor's own SDK does it.
fn missing_route(path: &str) -> &'static str {
    match path {
        "" => "/v1/responses",
        _ if path.ends_with("/responses") => "",
        _ => "/responses",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_part_of_an_address_is_added() {
        for (written, complete) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/responses"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1/responses"),
            (
                "https://x.openai.azure.com/openai/v1",
                "https://x.openai.azure.com/openai/v1/responses",
            ),
            ("https://host/v1/responses?api-version=1", "https://host/v1/responses?api-version=1"),
        ] {
            let endpoint = Endpoint::complete_url(written, missing_route);
            assert_eq!(endpoint.map(|it| it.as_str().to_owned()), Ok(complete.to_owned()));
        }
    }
}
