//! The models that answer requests: over HTTP, through a program of the user, or from recordings.

use papayu_system::System;

mod anthropic;
mod capability;
mod command;
mod complaint;
mod config;
mod endpoint;
pub mod exchange;
mod gemini;
mod hosts;
mod member_answer;
pub mod ollama;
mod openai;
mod pricing;
mod reach;
mod record;
mod recording;
mod replay;
pub mod research;
mod responses;
mod several;
mod transport;
mod vendor;
mod window;
mod wire;

pub use config::{
    KeySetting, ModelCommand, OnError, ProviderConfig, ProviderKind, ReasoningEffort,
};
pub use exchange::{
    Ask, CallLimits, FinishReason, Merge, ModelRequest, Provider, ProviderError, ProviderFault,
    ProviderReply, RunChecks, Turn, WireSchema,
};
pub use pricing::{Prices, PricingError};
pub use reach::{Reached, check_reachable};
pub use record::Recorder;
pub use recording::{RecordingError, RecordingFault};
pub use replay::Replay;
pub use several::{Several, SeveralWorld};
pub use window::known_window;

/// Returns a provider that has not sent anything yet.
///
/// The value remembers the parameters that its model refused (protocol section 3, strict mode), so open a provider once
/// and keep it.
///
/// # Errors
///
/// [`ProviderFault::Setup`] if the URL cannot be used, or the key that its host needs is missing.
pub fn open_provider<'a>(
    config: &ProviderConfig,
    system: System<'a>,
) -> Result<Box<dyn Provider + 'a>, ProviderError> {
    let api = match config.kind {
        ProviderKind::OpenAi => openai::open_openai(config, system),
        ProviderKind::Responses => responses::open_responses(config, system),
        ProviderKind::Anthropic => anthropic::open_anthropic(config, system),
        ProviderKind::Gemini => gemini::open_gemini(config, system),
        ProviderKind::Ollama => ollama::open_ollama(config, system),
        ProviderKind::Command => {
            return Ok(Box::new(command::CommandModel::open(config, system)?));
        }
    }?;
    Ok(Box::new(api))
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
