//! What a provider over HTTP needs to know.

use std::time::Duration;

use secrecy::SecretString;

/// Whose wire format is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// Chat completions of `OpenAI` or of any server that speaks the same.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own `/api/chat`.
    Ollama,
}

/// What a provider over HTTP needs to know.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// Whose wire format is spoken.
    pub kind: ProviderKind,
    /// The vendor's own when `None`. A bare host, a base such as `…/v1` and the full route are all
    /// understood: what is missing is added.
    pub url: Option<String>,
    /// Needed by `api.openai.com` and `api.anthropic.com`; local servers do without.
    pub api_key: Option<SecretString>,
    /// `gpt-4o-mini`, `claude-sonnet-4-5`, `qwen2.5-coder:7b-instruct` when `None`.
    pub model: Option<String>,
    /// Whether the reply's schema is sent for the provider to enforce. When `None`: yes, unless
    /// the URL is an OpenAI-compatible server's other than `api.openai.com`.
    pub strict_json: Option<bool>,
    /// Longest wait for one reply (`PAPAYU_LLM_TIMEOUT_SEC`).
    pub timeout: Duration,
}
