//! The configuration of a provider over HTTP.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

/// The wire format of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// Chat completions of `OpenAI` or of any server that speaks the same.
    OpenAi,
    /// The Responses API of `OpenAI`.
    Responses,
    /// Anthropic's messages.
    Anthropic,
    /// Google's `generateContent`.
    Gemini,
    /// Ollama's own `/api/chat`.
    Ollama,
    /// A program of the user.
    Command,
}

/// A program that reads a prompt on standard input and writes the reply to standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// The names of the variables that it sees.
    pub variables: Vec<String>,
    /// The folders that programs are searched in.
    pub search_path: String,
}

/// The amount of reasoning before a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReasoningEffort {
    /// As the model does by default: nothing is sent.
    #[default]
    Auto,
    /// Not at all.
    None,
    /// As little as possible.
    Minimal,
    /// Little.
    Low,
    /// Usual.
    Medium,
    /// Much.
    High,
    /// More than [`ReasoningEffort::High`].
    ExtraHigh,
}

impl ReasoningEffort {
    /// Returns the word that requests contain; `None` if nothing is sent.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::None => Some("none"),
            Self::Minimal => Some("minimal"),
            Self::Low => Some("low"),
            Self::Medium => Some("medium"),
            Self::High => Some("high"),
            Self::ExtraHigh => Some("xhigh"),
        }
    }
}

/// The way on after a request without a reply, in a run with several attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The run ends.
    #[default]
    Abort,
    /// The next attempt asks again.
    Retry,
    /// The second model takes over; without one the run ends.
    Skip,
}

/// The setting that a key comes from, for messages about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySetting {
    /// `llm.api_key`.
    #[default]
    First,
    /// `llm.second_api_key`.
    Second,
    /// `llm.aggregator_key`.
    Aggregator,
    /// `api_key` of an entry of `llm.providers`.
    Listed,
}

impl KeySetting {
    /// Returns the place in which users write the key.
    pub fn place(self) -> &'static str {
        match self {
            Self::First => "`PAPAYU_LLM_API_KEY`",
            Self::Second => "`PAPAYU_LLM_SECOND_API_KEY`",
            Self::Aggregator => "`PAPAYU_LLM_AGGREGATOR_KEY`",
            Self::Listed => "its `api_key` in `PAPAYU_LLM_PROVIDERS`",
        }
    }

    /// Returns the other setting that may be missing, for a model without an address; empty if there is none.
    pub(super) fn address_hint(self) -> &'static str {
        match self {
            Self::Aggregator => ", or the address of another server in `PAPAYU_LLM_AGGREGATOR_URL`",
            Self::First | Self::Second | Self::Listed => "",
        }
    }
}

/// The configuration of a provider over HTTP.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// The wire format.
    pub kind: ProviderKind,
    /// The vendor's own when `None`. A bare host, a base such as `…/v1` and the full route are all
    /// understood: what is missing is added.
    pub url: Option<String>,
    /// Needed by the vendors' own servers; local ones do without.
    pub api_key: Option<SecretString>,
    /// The setting of the key.
    pub key_setting: KeySetting,
    /// A model of the vendor when `None`.
    pub model: Option<String>,
    /// True to send the reply's schema for the provider to enforce. `None` means true, except for
    /// an OpenAI-compatible server other than `api.openai.com`.
    pub strict_json: Option<bool>,
    /// The amount of reasoning before a reply; sent to `OpenAI` and Gemini.
    pub reasoning_effort: ReasoningEffort,
    /// The temperature of replies, for providers that take one; 0 asks for the most likely reply.
    pub temperature: f64,
    /// Longest wait for one reply (`PAPAYU_LLM_TIMEOUT_SEC`).
    pub timeout: Duration,
    /// The program for [`ProviderKind::Command`].
    pub command: Option<ModelCommand>,
}
