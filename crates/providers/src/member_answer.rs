//! The answer of one of several providers.

use super::exchange::{
    CallLimits, FinishReason, ModelRequest, Provider, ProviderError, ProviderFault, ProviderReply,
};
use papayu_base::domain::{ProviderRecord, Usage};
use papayu_patch::protocol::Refusal;
use papayu_patch::protocol::merge::{self, ModelReply, ReplyRules};

/// A request and its limits.
#[derive(Clone, Copy)]
pub(super) struct Asked<'c> {
    pub(super) request: &'c ModelRequest,
    pub(super) call: &'c CallLimits<'c>,
}

/// The answer of one provider, and its part in the costs.
pub(super) struct MemberAnswer {
    pub(super) record: ProviderRecord,
    /// The reply, if it does not have the form of the protocol.
    pub(super) reply: Option<ProviderReply>,
    /// The reply, if it has the form of the protocol.
    pub(super) usable: Option<ModelReply>,
    /// The reason for which the run would refuse its actions.
    pub(super) refusal: Option<Refusal>,
    pub(super) is_interrupted: bool,
    pub(super) is_timeout: bool,
}

impl MemberAnswer {
    /// Returns the answer of a call, which took `ms` milliseconds.
    pub(super) fn new(
        provider: &dyn Provider,
        result: Result<ProviderReply, ProviderError>,
        ms: u64,
    ) -> Self {
        let mut answer = match result {
            Err(error) => {
                let mut failed = Self::failed(provider, error.fault.to_string());
                failed.is_interrupted = error.fault == ProviderFault::Interrupted;
                failed.is_timeout = error.is_timeout();
                failed.record.requests = error.requests;
                failed
            }
            Ok(reply) => {
                let mut answered = Self::failed(provider, String::new());
                answered.record.error = None;
                answered.record.failures = 0;
                answered.record.replies = 1;
                answered.record.requests = reply.requests;
                answered.record.tokens = reply.usage;
                answered.reply = Some(reply);
                answered
            }
        };
        answer.record.ms = ms;
        answer
    }

    /// Returns the answer of a provider that brought no reply.
    pub(super) fn failed(provider: &dyn Provider, reason: String) -> Self {
        let record = ProviderRecord {
            provider: provider.name().to_owned(),
            model: provider.model().to_owned(),
            is_aggregator: false,
            replies: 0,
            failures: 1,
            error: Some(reason),
            requests: 0,
            tokens: Usage::default(),
            cost_usd: None,
            ms: 0,
        };
        Self {
            record,
            reply: None,
            usable: None,
            refusal: None,
            is_interrupted: false,
            is_timeout: false,
        }
    }

    /// Reads the reply, and asks the run whether it can apply its actions. A reply that cannot be read is noted as a
    /// failure.
    pub(super) fn read_reply(&mut self, asked: Asked<'_>) {
        let Some(reply) = &self.reply else { return };
        match parse_reply(reply, asked.request) {
            Ok(value) => {
                let change = merge::read_change(asked.request.version, &value);
                self.refusal = change
                    .zip(asked.call.checks)
                    .and_then(|(set, checks)| checks.check_change(set).err());
                self.reply = None;
                self.usable = Some(ModelReply { model: self.record.model.clone(), value });
            }
            Err(reason) => self.note_failure(reason),
        }
    }

    /// Records that the provider gave no usable reply.
    fn note_failure(&mut self, reason: String) {
        self.record.replies = 0;
        self.record.failures = 1;
        self.record.error = Some(reason);
    }
}

/// Notes the changes that the run would refuse as failures of their models.
pub(super) fn note_refused(answers: &mut [MemberAnswer]) {
    for answer in answers {
        if let Some(refusal) = &answer.refusal {
            let reason = format!("its change cannot be applied: {refusal}");
            answer.note_failure(reason);
        }
    }
}

/// Returns the JSON of a reply, or the reason in words why it has none.
fn parse_reply(reply: &ProviderReply, request: &ModelRequest) -> Result<serde_json::Value, String> {
    let reading = ReplyRules {
        version: request.version,
        mode: request.mode,
        accepts_change: request.accepts_change,
        shown: &request.shown,
    };
    match reply.finish {
        FinishReason::Stop => {
            merge::read_reply(reading, &reply.text).map_err(|refusal| refusal.to_string())
        }
        FinishReason::Length => Err("the reply was cut off at its limit of tokens".to_owned()),
        FinishReason::Refusal => Err("the model refused to answer".to_owned()),
    }
}
