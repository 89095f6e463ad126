//! Requests to providers and their replies, in one form for all of them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use papayu_base::domain::{
    ActionSet, EventSink, FailureReport, MergeConflict, Mode, ProviderRecord, RepoPath, Sha256,
    Usage, Version,
};
use papayu_base::text::Masked;
use papayu_patch::protocol::{Refusal, ReplyForm};

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
    /// The lines that show the claims of a summary.
    SelfCheck,
    /// The remarks of a review.
    Review,
    /// A second opinion on a change.
    Judge,
    /// A summary of the pages of online research.
    WebSummary,
    /// A summary of the conversation so far.
    ConversationSummary,
    /// A recipe of the proved change.
    Recipe,
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
            Self::SelfCheck => "self-check".into(),
            Self::Review => "review".into(),
            Self::Judge => "judge".into(),
            Self::WebSummary => "web-summary".into(),
            Self::ConversationSummary => "conversation-summary".into(),
            Self::Recipe => "recipe".into(),
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

/// One request. Its texts are a conversation in the order of the prompt. Within a run, each request
/// only adds turns to the one before, so that a provider's prompt cache can serve the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// Why it is made.
    pub ask: Ask,
    /// PLAN or APPLY.
    pub mode: Mode,
    /// The protocol the reply must follow.
    pub version: Version,
    /// The form of the reply, if it is neither a plan nor a change.
    pub form: Option<ReplyForm>,
    /// True when a reply to PLAN may bring the change (protocol section 13).
    pub accepts_change: bool,
    /// Rules and protocol: the same in every request of a version.
    pub system: String,
    /// Structure and FILE blocks, the first part of the first message.
    pub prefix: Masked<String>,
    /// Goal, failure and what was asked first: the rest of the first message.
    pub tail: Masked<String>,
    /// The replies so far and the messages that followed them, oldest first.
    pub turns: Vec<Turn>,
    /// The strict schema of the reply, for providers that take one.
    pub wire_schema: Arc<WireSchema>,
    /// Longest reply wanted, in tokens.
    pub max_output_tokens: u32,
    /// Files shown in FILE blocks with the digest shown.
    pub shown: Vec<(RepoPath, Sha256)>,
    /// The present failures, masked; the tail describes them in text.
    pub report: Arc<FailureReport>,
    /// The lines that a recording is keyed by: the parts of the request that depend neither on the
    /// machine nor on the wording of our prompts.
    pub stable: Vec<String>,
}

/// A reply of the model and the message that follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The reply, as the model wrote it.
    pub reply: Masked<String>,
    /// The answers and the next request.
    pub message: Masked<String>,
}

impl ModelRequest {
    /// Returns how many characters the model reads.
    pub fn input_chars(&self) -> usize {
        self.count_texts(|text| text.chars().count())
    }

    /// Returns the length of all texts in bytes.
    pub fn input_bytes(&self) -> usize {
        self.count_texts(str::len)
    }

    /// Returns the sum of `count` over all texts of the request.
    fn count_texts(&self, count: impl Fn(&str) -> usize) -> usize {
        let first = [&self.system, &*self.prefix, &*self.tail].map(|text| count(text));
        let turns = self.turns.iter().map(|turn| count(&turn.reply) + count(&turn.message));
        first.into_iter().chain(turns).sum()
    }
}

/// The checks of a run that a provider makes before it chooses between replies.
pub trait RunChecks: Sync {
    /// Checks that the run can apply a change to its files as they are now. Nothing is written.
    ///
    /// # Errors
    ///
    /// The refusal of the run.
    fn check_change(&self, set: ActionSet) -> Result<(), Refusal>;

    /// Returns the tokens that the reply to one more request may have, after the requests of `spent`.
    ///
    /// # Errors
    ///
    /// A sentence about the limit that is reached.
    fn reply_tokens(&self, request: &ModelRequest, spent: &[ProviderRecord])
    -> Result<u32, String>;
}

/// The limits of one call and the sink of its events.
#[derive(Clone, Copy)]
pub struct CallLimits<'a> {
    /// Time left for the whole run; retries and waits stay within it.
    pub time_left: Duration,
    /// The sink of events.
    pub events: &'a dyn EventSink,
    /// The checks of the run; `None` outside of one.
    pub checks: Option<&'a dyn RunChecks>,
}

/// Why the model stopped writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// The token limit cut it off.
    Length,
    /// It refused to answer.
    Refusal,
}

/// A model's reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderReply {
    /// The text, unread.
    pub text: String,
    /// Why it ended.
    pub finish: FinishReason,
    /// Tokens, all retries included.
    pub usage: Usage,
    /// Requests sent for it, retries included.
    pub requests: u32,
    /// The providers that were asked for it, where there are several.
    pub merge: Option<Merge>,
}

/// The providers behind one reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// The part of each; prices are not known here.
    pub providers: Vec<ProviderRecord>,
    /// The actions that were left out.
    pub conflicts: Vec<MergeConflict>,
}

/// A call that brought no reply.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{provider}: {fault}")]
pub struct ProviderError {
    /// `openai`, `anthropic`, `ollama`, `command`, `replay`.
    pub provider: &'static str,
    /// The reason.
    pub fault: ProviderFault,
    /// Requests sent before giving up.
    pub requests: u32,
}

impl ProviderError {
    /// Returns `true` if the provider, or one of several of which none answered, did not answer in time.
    pub fn is_timeout(&self) -> bool {
        match &self.fault {
            ProviderFault::Timeout { .. } => true,
            ProviderFault::AllFailed { has_timeout, .. } => *has_timeout,
            _ => false,
        }
    }

    /// Returns the next step where no server answers at the address; `None` for other errors.
    pub fn hint(&self) -> Option<String> {
        let ProviderFault::Unreachable { url, .. } = &self.fault else { return None };
        let start = match self.provider {
            "ollama" => "start Ollama there (`ollama serve`)",
            _ => "start the server there, or allow the connection",
        };
        Some(format!(
            "no server is reached at {url}: {start}, or name another address with `--api-url`"
        ))
    }

    /// Returns an error of a provider that has sent nothing.
    pub fn setup(provider: &'static str, message: impl Into<String>) -> Self {
        Self { provider, fault: ProviderFault::Setup(message.into()), requests: 0 }
    }
}

/// The reason why a call brought no reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ProviderFault {
    /// None of several providers answered.
    #[error("no provider answered: {}", describe_failures(.providers))]
    AllFailed {
        /// The part of each.
        providers: Vec<ProviderRecord>,
        /// `true` if at least one of them did not answer in time.
        #[serde(default)]
        has_timeout: bool,
    },
    /// No answer in time (`LLM_REQUEST_TIMEOUT`).
    #[error("no answer from {url} within {seconds} s")]
    Timeout {
        /// The URL of the server.
        url: String,
        /// The time limit in seconds.
        seconds: u64,
    },
    /// No connection, after retries.
    #[error("cannot reach {url}: {reason}")]
    Unreachable {
        /// The URL of the server.
        url: String,
        /// The error of the network.
        reason: String,
    },
    /// The provider answered with an error, after retries where those make sense.
    #[error("{url} answered {status}: {message}")]
    Refused {
        /// The URL of the server.
        url: String,
        /// HTTP status.
        status: u16,
        /// The provider's own words, masked and cut.
        message: String,
    },
    /// The answer is not of the provider's documented form.
    #[error("{url} answered something unreadable: {reason}")]
    Unreadable {
        /// The URL of the server.
        url: String,
        /// The fault of the answer.
        reason: String,
    },
    /// The recording does not contain this request.
    #[error("the recording {file} does not have this request:\n{difference}")]
    NotRecorded {
        /// The recording.
        file: String,
        /// The nearest recorded request against this one.
        difference: String,
    },
    /// The program of the user gave no reply.
    #[error("`{command}` {reason}")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// The rest of the sentence, with the last words of the program.
        reason: String,
    },
    /// The provider itself could not be set up or its input read.
    #[error("{0}")]
    Setup(String),
    /// A signal asked the run to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Returns the error of each provider in one line.
fn describe_failures(providers: &[ProviderRecord]) -> String {
    let failures = providers.iter().map(|it| {
        format!("{} of {}: {}", it.model, it.provider, it.error.as_deref().unwrap_or("no reply"))
    });
    failures.collect::<Vec<_>>().join("; ")
}

/// Somebody who answers requests.
pub trait Provider: Send + Sync {
    /// Returns the provider's name for traces: `openai`, `anthropic`, `ollama`, `command`, `replay`.
    fn name(&self) -> &'static str;

    /// Returns the model's name for traces.
    fn model(&self) -> &str;

    /// Returns true when the last request contained the reply's schema, for traces.
    fn sends_schema(&self) -> bool {
        false
    }

    /// Returns the providers behind this one, each of which gets every request; none for a model.
    fn members(&self) -> Vec<&dyn Provider> {
        Vec::new()
    }

    /// Answers one request. Transient faults are retried inside, within `call.time_left`.
    fn ask(
        &self,
        request: &ModelRequest,
        call: &CallLimits<'_>,
    ) -> Result<ProviderReply, ProviderError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_not_reached_is_named_with_the_step_for_it() {
        let url = "http://localhost:11434/api/chat".to_owned();
        let fault = ProviderFault::Unreachable { url, reason: "Connection refused".to_owned() };
        let hint = |provider| ProviderError { provider, fault: fault.clone(), requests: 1 }.hint();
        let expected = "no server is reached at http://localhost:11434/api/chat: start Ollama there (`ollama serve`), or name another address with `--api-url`";
        assert_eq!(hint("ollama").as_deref(), Some(expected));
        assert!(hint("openai").is_some_and(|hint| !hint.contains("ollama serve")));
        assert_eq!(ProviderError::setup("ollama", "no model").hint(), None);
    }
}
