//! Those who answer requests: models over HTTP, recordings, and the tools' own suggestions.

use std::time::Duration;

use secrecy::SecretString;

use crate::system::System;

mod anthropic;
mod capability;
mod complaint;
mod endpoint;
pub mod exchange;
pub mod ollama;
mod openai;
mod pricing;
mod reach;
mod record;
mod recording;
mod replay;
mod retry;
pub mod suggestions;
mod transport;
mod wire;

pub use exchange::{
    Ask, Call, Finish, Provider, ProviderError, ProviderFault, Reply, Request, WireSchema,
};
pub use pricing::{Prices, PricingError};
pub use reach::reach;
pub use record::Recorder;
pub use recording::{RecordingError, RecordingFault};
pub use replay::Replay;

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

/// Returns a provider that has not sent anything yet; `ProviderFault::Setup` when the URL cannot be
/// used or the key that its host needs is missing.
///
/// What it learns about its model (protocol section 3, strict mode) lives as long as the value:
/// open a provider once and keep it.
pub fn open<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<Box<dyn Provider + 'a>, ProviderError> {
    let api = match config.kind {
        ProviderKind::OpenAi => openai::open(config, system),
        ProviderKind::Anthropic => anthropic::open(config, system),
        ProviderKind::Ollama => ollama::open(config, system),
    }?;
    Ok(Box::new(api))
}
pub use suggestions::{Suggestions, SuggestionsConfig};
