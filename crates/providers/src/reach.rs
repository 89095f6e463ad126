//! Finds out, without spending a token, whether a model's server answers; `doctor` asks.

use std::time::Duration;

use serde_json::Value;

use super::exchange::Provider as _;
use super::transport::ModelApi;
use super::{
    ProviderConfig, ProviderError, ProviderFault, ProviderKind, anthropic, command, gemini, ollama,
    openai, responses,
};
use papayu_system::{HttpRequest, Method, PrivateHosts, System};

/// The time limit of the check.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest answer read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A server that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The result in words.
    pub detail: String,
    /// False when the server lists its models and the configured one is not among them.
    pub may_have_model: bool,
}

/// Asks a server for its list of models.
///
/// # Errors
///
/// [`ProviderError`] if there is no answer, the key is refused, or the set-up is wrong. There are no retries.
pub fn check_reachable(
    config: &ProviderConfig,
    system: System<'_>,
) -> Result<Reached, ProviderError> {
    let api = match config.kind {
        ProviderKind::OpenAi => openai::open_openai(config, system),
        ProviderKind::Responses => responses::open_responses(config, system),
        ProviderKind::Anthropic => anthropic::open_anthropic(config, system),
        ProviderKind::Gemini => gemini::open_gemini(config, system),
        ProviderKind::Ollama => {
            ollama::check_model(config, system)?;
            let detail = "the server is there and has the model".to_owned();
            return Ok(Reached { detail, may_have_model: true });
        }
        ProviderKind::Command => {
            let detail = command::check_program(config, system)?;
            return Ok(Reached { detail, may_have_model: true });
        }
    }?;
    list_models(&api, system)
}

/// Lists the models, the cheapest request that shows whether address and key are right.
fn list_models(api: &ModelApi<'_>, system: System<'_>) -> Result<Reached, ProviderError> {
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
    let answer = system.http.send(&request).map_err(|error| {
        failed(ProviderFault::Unreachable { url: url.clone(), reason: error.to_string() })
    })?;
    match answer.status {
        200 => Ok(find_model(&url, &answer.body, api.model())),
        status @ (401 | 403) => {
            let message = format!("the key is refused; is {} right?", api.key_setting().place());
            Err(failed(ProviderFault::Refused { url, status, message }))
        }
        status => {
            let detail = format!("the server answers ({status} for its list of models)");
            Ok(Reached { detail, may_have_model: true })
        }
    }
}

/// Looks for the model in a list. A list that is cut into pages or has another form proves nothing.
fn find_model(url: &str, body: &[u8], model: &str) -> Reached {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let is_whole =
        json.get("has_more") != Some(&Value::Bool(true)) && json.get("nextPageToken").is_none();
    let items = json.get("data").or_else(|| json.get("models")).and_then(Value::as_array);
    let id = |item: &Value| {
        let name = item.get("id").or_else(|| item.get("name"))?.as_str()?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    let ids: Vec<String> = items.into_iter().flatten().filter_map(id).collect();
    // A name without a date is that of the newest version with one.
    let is_model = |id: &String| {
        id.strip_prefix(model).is_some_and(|rest| rest.is_empty() || rest.starts_with("-2"))
    };
    if ids.iter().any(is_model) {
        return Reached { detail: format!("{url} has `{model}`"), may_have_model: true };
    }
    let may_have_model = ids.is_empty() || !is_whole;
    let detail = if may_have_model {
        format!("{url} answers")
    } else {
        format!("{url} answers and does not list `{model}`")
    };
    Reached { detail, may_have_model }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_missing_only_from_a_whole_list() {
        for (body, expected) in [
            (r#"{"data":[{"id":"other"}]}"#, "u answers and does not list `m`"),
            (r#"{"data":[{"id":"m2"},{"id":"m-mini"}]}"#, "u answers and does not list `m`"),
            (r#"{"data":[{"id":"m-20260101"}]}"#, "u has `m`"),
            (r#"{"models":[{"name":"models/m"}]}"#, "u has `m`"),
            (r#"{"models":[{"name":"models/a"}],"nextPageToken":"x"}"#, "u answers"),
            (r#"{"data":[{"id":"a"}],"has_more":true}"#, "u answers"),
            ("<html>", "u answers"),
            (r#"{"data":[]}"#, "u answers"),
        ] {
            let Reached { detail, may_have_model } = find_model("u", body.as_bytes(), "m");
            assert_eq!(detail, expected, "{body}");
            assert_eq!(may_have_model, !detail.contains("not list"), "{body}");
        }
    }
}
