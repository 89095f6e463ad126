//! The wire format that an address is of.

use papayu_providers::ProviderKind;

/// Returns the wire format of an address. The path decides before the host, since Ollama's port
/// also serves OpenAI's path.
pub(crate) fn kind_of(address: &str) -> ProviderKind {
    let Ok(url) = reqwest::Url::parse(address) else { return ProviderKind::OpenAi };
    let path = url.path().trim_end_matches('/');
    if path.ends_with("/v1/messages") {
        ProviderKind::Anthropic
    } else if path.ends_with("/api/chat") {
        ProviderKind::Ollama
    } else if path.ends_with("/chat/completions") {
        ProviderKind::OpenAi
    } else if path.ends_with("/responses") {
        ProviderKind::Responses
    } else if path.ends_with(":generateContent") {
        ProviderKind::Gemini
    } else if url.host_str() == Some("api.anthropic.com") {
        ProviderKind::Anthropic
    } else if url.host_str() == Some("generativelanguage.googleapis.com")
        && !path.ends_with("/openai")
    {
        ProviderKind::Gemini
    } else if url.port() == Some(11434) {
        ProviderKind::Ollama
    } else {
        ProviderKind::OpenAi
    }
}
