//! One exchange as the trace records it: from the first request to the result of its plan.

use std::collections::BTreeMap;

use serde_json::Value;

use super::costs::Shares;
use papayu_base::domain::{
    ErrorCode, Judgement, Mode, ReplyActivity, SelfCheckRecord, TraceId, Usage, Version,
};
use papayu_patch::protocol::Repairs;
use papayu_system::memory::FilteredPatch;

/// The exchanges of a run.
#[derive(Default)]
pub(super) struct Exchanges {
    /// The exchange under way.
    pub(super) current: Option<OpenExchange>,
    /// The last exchange that brought a change.
    pub(super) last_apply: Option<OpenExchange>,
    /// The files of the finished ones.
    pub(super) trace_paths: Vec<String>,
}

impl Exchanges {
    /// Changes the exchange under way, if there is one.
    pub(super) fn update(&mut self, change: impl FnOnce(&mut OpenExchange)) {
        if let Some(exchange) = &mut self.current {
            change(exchange);
        }
    }
}

/// An exchange that is not finished.
#[derive(Clone, Debug)]
pub(super) struct OpenExchange {
    /// The name of its trace file.
    pub(super) id: TraceId,
    /// The kind of request; [`Mode::Plan`] becomes [`Mode::Direct`] when the reply contains the
    /// change.
    pub(super) mode: Mode,
    /// `true` if no model is asked.
    pub(super) is_free: bool,
    /// The provider and its model; empty if the user passed the actions.
    pub(super) asked: (String, String),
    /// The protocol versions asked for, in order; more than one after a fallback.
    pub(super) versions: Vec<Version>,
    /// The version of the last reply. A budget can end the run after a fallback and before its
    /// reply.
    pub(super) answered: Version,
    /// The code of the first repair request. There can be two, one before and one after a
    /// fallback from v3.
    pub(super) repair: Option<ErrorCode>,
    /// The code of the first fallback. From v3 there can be two: to v2, then to v1.
    pub(super) fallback: Option<ErrorCode>,
    /// Files with a digest in a repair request.
    pub(super) injected_paths: Vec<String>,
    /// The last reply that passed its schema, as JSON.
    pub(super) validated: Option<Value>,
    /// The corrections that made it readable.
    pub(super) repairs: Repairs,
    /// The assumptions about the last reply, a sentence each.
    pub(super) assumed: Vec<String>,
    /// The raw reply; only with `PAPAYU_TRACE_RAW`.
    pub(super) raw: Option<String>,
    /// The strategy of each hunk, by file.
    pub(super) strategies: BTreeMap<String, Vec<String>>,
    /// Tokens of all requests of the exchange.
    pub(super) usage: Usage,
    /// The answered requests and the edits of its replies.
    pub(super) activity: ReplyActivity,
    /// The providers asked.
    pub(super) shares: Shares,
    /// Milliseconds of waiting for the provider.
    pub(super) llm_ms: u64,
    /// Milliseconds of the project's own tools.
    pub(super) tools_ms: u64,
    /// Characters of the last request.
    pub(super) input_chars: usize,
    /// Most tokens of the last reply.
    pub(super) token_budget: u32,
    /// `true` if the last request contained the reply's schema.
    pub(super) strict_json: bool,
    /// The part of the replies that the user may want to keep, and what is dropped of it.
    pub(super) memory: FilteredPatch,
    /// The self-check of its summary.
    pub(super) self_check: Option<SelfCheckRecord>,
    /// The second opinion on its change.
    pub(super) judge: Option<Judgement>,
    /// The error that ended the exchange, with its reason.
    pub(super) error: Option<(ErrorCode, String)>,
    /// `true` after the user's command has run on the change.
    pub(super) verified: bool,
    /// Milliseconds from the start of the run.
    pub(super) started_ms: u64,
}

impl OpenExchange {
    /// Starts an exchange; `started_ms` counts from the start of the run.
    pub(super) fn new(id: TraceId, mode: Mode, version: Version, started_ms: u64) -> Self {
        Self {
            id,
            mode,
            is_free: false,
            asked: Default::default(),
            versions: vec![version],
            answered: version,
            repair: None,
            fallback: None,
            injected_paths: Vec::new(),
            validated: None,
            repairs: Repairs::default(),
            assumed: Vec::new(),
            raw: None,
            strategies: BTreeMap::new(),
            usage: Usage::default(),
            activity: ReplyActivity::default(),
            shares: Shares::default(),
            llm_ms: 0,
            tools_ms: 0,
            input_chars: 0,
            token_budget: 0,
            strict_json: false,
            memory: FilteredPatch::default(),
            self_check: None,
            judge: None,
            error: None,
            verified: false,
            started_ms,
        }
    }

    /// Keeps a reply that passed its schema, and clears the error of an earlier one.
    pub(super) fn accept(&mut self, validated: Value, repairs: Repairs) {
        self.validated = Some(validated);
        self.repairs.json |= repairs.json;
        self.repairs.tool_calls |= repairs.tool_calls;
        self.error = None;
    }

    /// Records a repair and the files that its digests belong to.
    pub(super) fn note_repair(&mut self, code: ErrorCode, injected: Vec<String>) {
        self.repair.get_or_insert(code);
        for path in injected {
            if !self.injected_paths.contains(&path) {
                self.injected_paths.push(path);
            }
        }
    }

    /// Records a fallback to an older protocol.
    pub(super) fn note_fallback(&mut self, code: ErrorCode, to: Version) {
        self.fallback.get_or_insert(code);
        self.versions.push(to);
    }

    /// Returns the number of actions in the last valid reply. v1 replies are an array; later
    /// ones have an `actions` field.
    pub(super) fn actions_count(&self) -> u64 {
        let actions = self.validated.as_ref().and_then(|value| {
            value.as_array().or_else(|| value.get("actions").and_then(Value::as_array))
        });
        actions.map_or(0, |actions| actions.len() as u64)
    }
}
