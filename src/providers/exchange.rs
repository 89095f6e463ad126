//! What goes to a provider and what comes back, in one form for all of them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{EventSink, FailureReport, Mode, RepoPath, Sha256, Usage, Version};

/// Why a request is made; part of a recording's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    /// The first PLAN request.
    Plan,
    /// PLAN again with the answers of context round `n` (from 1).
    Round(u32),
    /// The first APPLY request.
    Apply,
    /// The same request again after a reply that was no valid JSON.
    RepairJson,
    /// A repair of an APPLY in the same protocol.
    RepairApply,
    /// The one APPLY in the older protocol.
    Fallback,
}

impl Ask {
    /// Returns the name used in recordings and events.
    pub fn name(self) -> String {
        match self {
            Self::Plan => "plan".into(),
            Self::Round(round) => format!("round-{round}"),
            Self::Apply => "apply".into(),
            Self::RepairJson => "repair-json".into(),
            Self::RepairApply => "repair-apply".into(),
            Self::Fallback => "fallback".into(),
        }
    }
}

/// A schema in the subset that strict structured output accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct WireSchema {
    /// A name of letters, digits and `_`.
    pub name: String,
    /// The JSON Schema.
    pub schema: Value,
}

/// One request. Texts are in the order of the prompt: what stays the same comes first, so that a
/// provider's prompt cache can serve it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Why it is made.
    pub ask: Ask,
    /// PLAN or APPLY.
    pub mode: Mode,
    /// The protocol the reply must follow.
    pub version: Version,
    /// Rules and protocol: the same in every request of a version.
    pub system: String,
    /// Structure and FILE blocks: only ever grows within a run.
    pub prefix: String,
    /// Goal, failure, history and what is asked now.
    pub tail: String,
    /// The strict schema of the reply, for providers that take one.
    pub wire_schema: Arc<WireSchema>,
    /// Longest reply wanted, in tokens.
    pub max_output_tokens: u32,
    /// Files shown in FILE blocks with the digest shown.
    pub shown: Vec<(RepoPath, Sha256)>,
    /// What fails now, masked; the tail says it in words.
    pub report: Arc<FailureReport>,
    /// What a recording is keyed by: the parts of the request that do not change from machine to
    /// machine or with the wording of our prompts, a line each.
    pub stable: Vec<String>,
}

impl Request {
    /// Returns how many characters the model reads.
    pub fn input_chars(&self) -> usize {
        [&self.system, &self.prefix, &self.tail].iter().map(|text| text.chars().count()).sum()
    }
}

/// What limits one call, and who hears about it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Time left for the whole run; retries and waits stay within it.
    pub time_left: Duration,
    /// Where events go.
    pub events: &'a dyn EventSink,
}

/// Why the model stopped writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// The token limit cut it off.
    Length,
    /// It refused to answer.
    Refusal,
}

/// A model's reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The text, unread.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens, all retries included.
    pub usage: Usage,
    /// Requests sent for it, retries included.
    pub requests: u32,
}

/// A call that brought no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{provider}: {fault}")]
pub struct ProviderError {
    /// `openai`, `anthropic`, `ollama`, `replay`.
    pub provider: &'static str,
    /// What happened.
    pub fault: ProviderFault,
    /// Requests sent before giving up.
    pub requests: u32,
}

impl ProviderError {
    /// Returns an error of a provider that has sent nothing.
    pub fn setup(provider: &'static str, message: impl Into<String>) -> Self {
        Self { provider, fault: ProviderFault::Setup(message.into()), requests: 0 }
    }
}

/// What happened to a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ProviderFault {
    /// No answer in time (`LLM_REQUEST_TIMEOUT`).
    #[error("no answer from {url} within {seconds} s")]
    Timeout {
        /// Who was asked.
        url: String,
        /// How long.
        seconds: u64,
    },
    /// No connection, after retries.
    #[error("cannot reach {url}: {reason}")]
    Unreachable {
        /// Who was asked.
        url: String,
        /// What the network said.
        reason: String,
    },
    /// The provider answered with an error, after retries where those make sense.
    #[error("{url} answered {status}: {message}")]
    Refused {
        /// Who was asked.
        url: String,
        /// HTTP status.
        status: u16,
        /// The provider's own words, masked and cut.
        message: String,
    },
    /// The answer is not of the provider's documented form.
    #[error("{url} answered something unreadable: {reason}")]
    Unreadable {
        /// Who was asked.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The recording does not hold this request.
    #[error("the recording {file} does not hold this request:\n{difference}")]
    NotRecorded {
        /// The recording.
        file: String,
        /// The nearest recorded request against this one.
        difference: String,
    },
    /// The provider itself could not be set up or its input read.
    #[error("{0}")]
    Setup(String),
    /// A signal asked the run to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Somebody who answers requests.
pub trait Provider: Send + Sync {
    /// Returns the provider's name for traces: `openai`, `anthropic`, `ollama`, `replay`.
    fn name(&self) -> &'static str;

    /// Returns the model's name for traces.
    fn model(&self) -> &str;

    /// Tells whether the reply's schema is sent with requests; as of the last one, for traces.
    fn sends_schema(&self) -> bool {
        false
    }

    /// Answers one request. Transient faults are retried inside, within `call.time_left`.
    fn ask(&self, request: &Request, call: &Call<'_>) -> Result<Reply, ProviderError>;
}
