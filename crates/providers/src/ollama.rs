//! Ollama: models on one's own machine.

use std::time::Duration;

use serde_json::Value;

use super::endpoint::Endpoint;
use super::openai::bearer_header;
use super::transport::{ModelAddress, ModelApi};
use super::wire::ollama::WIRE;
use super::{ProviderConfig, ProviderError, ProviderFault};
use papayu_system::{HttpRequest, Method, PrivateHosts, System};

const NAME: &str = "ollama";
const DEFAULT_URL: &str = "http://localhost:11434";
/// The model that is used if none is configured.
pub(crate) const DEFAULT_MODEL: &str = "qwen2.5-coder:7b-instruct";

/// Longest wait for the list of models.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest list of models read, in bytes.
const MAX_LIST_BYTES: u64 = 1024 * 1024;

pub(super) fn open_ollama<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<ModelApi<'a>, ProviderError> {
    let endpoint = ollama_endpoint(config)?;
    let address = ModelAddress {
        name: NAME,
        wire: WIRE,
        capabilities: Some(endpoint.with_path("/api/show")),
        endpoint,
        headers: config.api_key.iter().map(bearer_header).collect(),
        model: model_name(config),
        strict: config.strict_json.unwrap_or(true),
    };
    Ok(ModelApi::new(address, config, system))
}

/// Asks the server once for its models, for at most five seconds, without retries.
///
/// # Errors
///
/// - [`ProviderFault::Unreachable`] if the server does not answer
/// - [`ProviderFault::Unreadable`] if the answer has no list of models
/// - [`ProviderFault::Setup`] if the configured model has not been pulled, or the URL cannot be used
pub fn check_model(config: &ProviderConfig, system: System<'_>) -> Result<(), ProviderError> {
    let failed = |fault| ProviderError { provider: NAME, fault, requests: 1 };
    let endpoint = ollama_endpoint(config)?.with_path("/api/tags");
    let url = endpoint.display_url();
    let answer = system.http.send(&HttpRequest {
        method: Method::Get,
        url: endpoint.as_str().to_owned(),
        headers: config.api_key.iter().map(bearer_header).collect(),
        body: None,
        timeout: CHECK_TIMEOUT,
        max_bytes: MAX_LIST_BYTES,
        private_hosts: PrivateHosts::Allowed,
    });
    let answer = answer.map_err(|error| {
        let reason = format!("{error}; is `ollama serve` running?");
        failed(ProviderFault::Unreachable { url: url.clone(), reason })
    })?;
    let list: Option<Value> = serde_json::from_slice(&answer.body).ok();
    let models = list.as_ref().and_then(|list| list.get("models")?.as_array());
    let models = models.ok_or_else(|| {
        let reason = format!("no list of models (status {})", answer.status);
        failed(ProviderFault::Unreadable { url, reason })
    })?;
    let wanted = model_name(config);
    let pulled = |name: &str| name == wanted || name.strip_suffix(":latest") == Some(&wanted);
    if models.iter().filter_map(|model| model.get("name")?.as_str()).any(pulled) {
        return Ok(());
    }
    Err(ProviderError::setup(NAME, format!("the model is not there; run `ollama pull {wanted}`")))
}

/// Returns the address of the chat API; without a setting that of a local server.
fn ollama_endpoint(config: &ProviderConfig) -> Result<Endpoint, ProviderError> {
    let url = config.url.as_deref().unwrap_or(DEFAULT_URL);
    Endpoint::complete_url(url, missing_route)
        .map_err(|message| ProviderError::setup(NAME, message))
}

/// Returns the model, or the default one.
fn model_name(config: &ProviderConfig) -> String {
    config.model.clone().unwrap_or_else(|| DEFAULT_MODEL.into())
}

/// Returns the part of the route that an address lacks: people set the base,
/// `http://localhost:11434`, as well as the whole address.
fn missing_route(path: &str) -> &'static str {
    match path {
        _ if path.ends_with("/api/chat") => "",
        _ if path.ends_with("/api") => "/chat",
        _ => "/api/chat",
    }
}
