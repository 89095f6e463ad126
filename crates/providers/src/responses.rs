//! The Responses API of `OpenAI`.

use super::openai::{VENDOR_HOST, bearer_header};
use super::transport::ModelApi;
use super::vendor::Vendor;
use super::wire::responses::WIRE;
use super::{ProviderConfig, ProviderError};
use papayu_system::System;

/// The model that is used if none is configured.
pub(crate) const DEFAULT_MODEL: &str = "gpt-5-mini";

const VENDOR: Vendor = Vendor {
    name: "openai-responses",
    wire: WIRE,
    url: "https://api.openai.com/v1/responses",
    host: VENDOR_HOST,
    model: DEFAULT_MODEL,
    missing_route,
    key_header: bearer_header,
};

pub(super) fn open_responses<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    Ok(ModelApi::new(VENDOR.address(config)?, config, system))
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
    use crate::endpoint::Endpoint;

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
