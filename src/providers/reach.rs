//! Finds out, without spending a token, whether a model's server answers; `doctor` asks.

use std::time::Duration;

use super::transport::ModelApi;
use super::{
    ProviderConfig, ProviderError, ProviderFault, ProviderKind, anthropic, gemini, ollama, openai,
    responses,
};
use crate::system::{HttpRequest, Method, PrivateHosts, System};

/// The time limit of the check.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest answer read, in bytes; only its status counts.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Returns the result in words: the server's list of models was read, or the server answered but
/// has no such list. An error when there is no answer, the key is refused, or the set-up is wrong.
pub fn check_reachable(
    config: &ProviderConfig,
    system: System<'_>,
) -> Result<String, ProviderError> {
    let api = match config.kind {
        ProviderKind::OpenAi => openai::open_openai(config, system),
        ProviderKind::Responses => responses::open_responses(config, system),
        ProviderKind::Anthropic => anthropic::open_anthropic(config, system),
        ProviderKind::Gemini => gemini::open_gemini(config, system),
        ProviderKind::Ollama => {
            ollama::check_model(config, system)?;
            return Ok("the server is there and has the model".to_owned());
        }
    }?;
    list_models(&api, system)
}

/// Lists the models, the cheapest request that shows whether address and key are right.
fn list_models(api: &ModelApi<'_>, system: System<'_>) -> Result<String, ProviderError> {
    let (name, endpoint, headers) = api.address();
    let path = endpoint.path();
    let ends = ["/chat/completions", "/responses", "/messages"];
    let base = ends.iter().find_map(|end| path.strip_suffix(end));
    // The path of Gemini has the model after its collection.
    let base = base.or_else(|| path.rsplit_once("/models/").map(|(base, _)| base));
    let models = endpoint.with_path(&format!("{}/models", base.unwrap_or_default()));
    let failed = |fault| ProviderError { provider: name, fault, requests: 1 };
    let request = HttpRequest {
        method: Method::Get,
        url: models.as_str().to_owned(),
        headers: headers.to_vec(),
        body: None,
        timeout: TIMEOUT,
        max_bytes: MAX_BYTES,
        private_hosts: PrivateHosts::Allowed,
    };
    let url = models.display_url();
    match system.http.send(&request).map(|answer| answer.status) {
        Ok(200) => Ok(format!("{url} answers")),
        Ok(status @ (401 | 403)) => {
            let message = "the key is refused; is `PAPAYU_LLM_API_KEY` right?".to_owned();
            Err(failed(ProviderFault::Refused { url, status, message }))
        }
        Ok(status) => Ok(format!("the server answers ({status} for its list of models)")),
        Err(error) => Err(failed(ProviderFault::Unreachable { url, reason: error.to_string() })),
    }
}
