//! The messages with the models, and what their replies brought.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::conversation::Conversation;
use super::engine_inputs::EngineInputs;
use super::exchange::OpenExchange;
use super::task::MemoryPatch;
use papayu_base::domain::event::{Event, EventName};
use papayu_base::domain::hunk::HunkFault;
use papayu_base::domain::{ErrorCode, Plan, RepoPath, Sha256, Version};
use papayu_patch::prompts::OtherFault;
use papayu_patch::protocol::Refusal;
use papayu_system::memory::{Dropped, FilteredPatch, Memory, filter_patch};

/// Why a value that could be saved is not.
const NOT_ACCEPTED: &str = "`--accept-memory` is not set";

/// A reply that was refused, kept for the repair request.
#[derive(Clone, Debug)]
pub(super) struct RefusedReply {
    pub(super) code: ErrorCode,
    pub(super) reason: String,
    /// The file that it is about, if it is about one.
    pub(super) path: Option<String>,
    /// The hunk or edit without a place, if that is the reason.
    pub(super) hunk: Option<Box<HunkFault>>,
    pub(super) digests: Vec<(String, Sha256)>,
    /// Other faults of the same reply.
    pub(super) others: Vec<OtherFault>,
    /// The older version of the protocol to ask in, for a fallback.
    pub(super) fallback: Option<Version>,
}

/// The messages with the models, and what their replies brought.
#[derive(Default)]
pub(super) struct Dialogue {
    /// All messages of the run.
    pub(super) conversation: Conversation,
    /// Context rounds answered in the PLAN under way.
    pub(super) round: u32,
    /// The last plan; `None` before the first one.
    pub(super) plan: Option<Plan>,
    /// The change of a plan that the tools propose, as a patch.
    pub(super) plan_diff: Option<String>,
    pub(super) refusal: Option<RefusedReply>,
    /// The digests of the files that the author of a change has seen.
    pub(super) shown: BTreeMap<RepoPath, Sha256>,
    /// Those of them that were shown in more than one version.
    pub(super) reshown: BTreeSet<RepoPath>,
    /// The values that replies asked to remember.
    pub(super) remembered: Memory,
    /// The keys of other values that they asked to remember, each with the reason why it is not saved.
    pub(super) not_remembered: Dropped,
}

impl Dialogue {
    /// Starts an attempt. A plan belongs to one attempt: the next model starts from the failure, not from it.
    pub(super) fn begin_attempt(&mut self) {
        self.plan = None;
        self.conversation.direct = None;
    }

    /// Records the digests of files that a message shows.
    pub(super) fn note_shown(&mut self, digests: Vec<(RepoPath, Sha256)>) {
        for (path, digest) in digests {
            let before = self.shown.insert(path.clone(), digest);
            if before.is_some_and(|before| before != digest) {
                self.reshown.insert(path);
            }
        }
    }

    /// Keeps a refusal for the repair request.
    pub(super) fn refuse(
        &mut self,
        inputs: &EngineInputs<'_>,
        refusal: Refusal,
        exchange: Option<&mut OpenExchange>,
    ) {
        let code = refusal.code;
        let others = refusal.others.iter().map(describe_other).collect();
        let reason = describe_fault(&refusal);
        inputs.emit_event(
            Event::new(EventName::ValidationFailed)
                .with("code", code.as_str())
                .with("reason", inputs.world.masker.mask(&reason).into_owned()),
        );
        if let Some(exchange) = exchange {
            exchange.error = Some((code, reason.clone()));
        }
        self.refusal = Some(RefusedReply {
            code,
            reason,
            path: refusal.path,
            hunk: refusal.hunk,
            digests: Vec::new(),
            others,
            fallback: None,
        });
    }

    /// Keeps what a valid reply asks to remember, and records what of it is dropped.
    pub(super) fn keep_memory_patch(
        &mut self,
        inputs: &EngineInputs<'_>,
        validated: &Value,
        exchange: Option<&mut OpenExchange>,
    ) {
        let Some(patch) = validated.get("memory_patch") else { return };
        let mut filtered = filter_patch(patch, inputs.world.masker);
        if inputs.config.memory_patch == MemoryPatch::Drop {
            refuse_all(&mut filtered);
        }
        self.remembered.merge(filtered.memory.clone());
        if let Some(exchange) = exchange {
            exchange.memory.memory.merge(filtered.memory);
            exchange.memory.dropped.extend(filtered.dropped.clone());
        }
        self.not_remembered.extend(filtered.dropped);
    }
}

/// Returns the fault of a refusal in words, with its path.
fn describe_fault(refusal: &Refusal) -> String {
    match &refusal.path {
        Some(path) => format!("`{path}` {}", refusal.reason),
        None => refusal.reason.clone(),
    }
}

fn describe_other(fault: &Refusal) -> OtherFault {
    let hunk = fault.hunk.as_deref().cloned();
    OtherFault { reason: format!("{}: {}", fault.code, describe_fault(fault)), hunk }
}

/// Drops the values that could be saved.
fn refuse_all(filtered: &mut FilteredPatch) {
    let refused = std::mem::take::<Memory>(&mut filtered.memory);
    let keys = refused.entries().map(|(key, _)| (key.dotted(), NOT_ACCEPTED.to_owned()));
    filtered.dropped.extend(keys);
}
