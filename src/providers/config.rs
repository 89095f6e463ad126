//! The configuration of a provider over HTTP.

use std::time::Duration;

use secrecy::SecretString;

/// The wire format of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// Chat completions of `OpenAI` or of any server that speaks the same.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own `/api/chat`.
    Ollama,
}

/// The configuration of a provider over HTTP.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// The wire format.
    pub kind: ProviderKind,
    /// The vendor's own when `None`. A bare host, a base such as `…/v1` and the full route are all
    /// understood: what is missing is added.
    pub url: Option<String>,
    /// Needed by `api.openai.com` and `api.anthropic.com`; local servers do without.
    pub api_key: Option<SecretString>,
    /// `gpt-4o-mini`, `claude-sonnet-4-5`, `qwen2.5-coder:7b-instruct` when `None`.
    pub model: Option<String>,
    /// True to send the reply's schema for the provider to enforce. `None` means true, except for
    /// an OpenAI-compatible server other than `api.openai.com`.
    pub strict_json: Option<bool>,
    /// Longest wait for one reply (`PAPAYU_LLM_TIMEOUT_SEC`).
    pub timeout: Duration,
}
