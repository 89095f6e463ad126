//! One exchange as the trace records it: from the first request to the result of its plan.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::{ErrorCode, Mode, TraceId, Usage, Version};
use crate::memory::FilteredPatch;
use crate::protocol::Repairs;

/// An exchange under way.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) id: TraceId,
    /// PLAN becomes direct when its reply brings the change.
    pub(super) mode: Mode,
    /// Versions asked, in order.
    pub(super) versions: Vec<Version>,
    /// The version of the last reply: a budget can end the run before the next one is asked.
    pub(super) answered: Version,
    /// Why the first repair was asked for; v3 that falls back can see two.
    pub(super) repair: Option<ErrorCode>,
    /// Why the first fallback was made; from v3 there can be two.
    pub(super) fallback: Option<ErrorCode>,
    pub(super) injected_paths: Vec<String>,
    pub(super) validated: Option<Value>,
    pub(super) repairs: Repairs,
    pub(super) raw: Option<String>,
    /// The strategy of each hunk, by file.
    pub(super) strategies: BTreeMap<String, Vec<String>>,
    pub(super) usage: Usage,
    pub(super) llm_ms: u64,
    pub(super) input_chars: usize,
    pub(super) token_budget: u32,
    /// `true` if the last request contained the reply's schema.
    pub(super) strict_json: bool,
    /// The part of the replies that the user may want to keep, and what is dropped of it.
    pub(super) memory: FilteredPatch,
    pub(super) error: Option<(ErrorCode, String)>,
    /// `true` after the user's command has run on the change.
    pub(super) verified: bool,
    pub(super) started_ms: u64,
}

impl Exchange {
    pub(super) fn new(id: TraceId, mode: Mode, version: Version, started_ms: u64) -> Self {
        Self {
            id,
            mode,
            versions: vec![version],
            answered: version,
            repair: None,
            fallback: None,
            injected_paths: Vec::new(),
            validated: None,
            repairs: Repairs::default(),
            raw: None,
            strategies: BTreeMap::new(),
            usage: Usage::default(),
            llm_ms: 0,
            input_chars: 0,
            token_budget: 0,
            strict_json: false,
            memory: FilteredPatch::default(),
            error: None,
            verified: false,
            started_ms,
        }
    }

    /// Takes a reply that passed its schema.
    pub(super) fn accept(&mut self, validated: Value, repairs: Repairs) {
        self.validated = Some(validated);
        self.repairs.json |= repairs.json;
        self.repairs.tool_calls |= repairs.tool_calls;
        self.error = None;
    }

    /// Records a repair and the files whose digests it contains.
    pub(super) fn note_repair(&mut self, code: ErrorCode, injected: Vec<String>) {
        self.repair.get_or_insert(code);
        for path in injected {
            if !self.injected_paths.contains(&path) {
                self.injected_paths.push(path);
            }
        }
    }

    /// Takes down a step to an older protocol.
    pub(super) fn note_fallback(&mut self, code: ErrorCode, to: Version) {
        self.fallback.get_or_insert(code);
        self.versions.push(to);
    }

    /// Returns how many actions the reply asked for.
    pub(super) fn actions_count(&self) -> u64 {
        let actions = self.validated.as_ref().and_then(|value| {
            value.as_array().or_else(|| value.get("actions").and_then(Value::as_array))
        });
        actions.map_or(0, |actions| actions.len() as u64)
    }
}
