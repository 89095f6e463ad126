//! The messages with the models, and what their replies brought.

use std::collections::BTreeMap;

use serde_json::Value;

use super::conversation::Conversation;
use super::engine_inputs::EngineInputs;
use super::exchange::OpenExchange;
use super::task::MemoryPatch;
use papayu_base::domain::event::{Event, EventName};
use papayu_base::domain::hunk::HunkFault;
use papayu_base::domain::{Action, ErrorCode, Op, Plan, RepoPath, Sha256, Version};
use papayu_patch::protocol::Refusal;
use papayu_system::memory::{FilteredPatch, Memory, filter_patch};

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
    /// The values that replies asked to remember.
    pub(super) remembered: Memory,
}

impl Dialogue {
    /// Starts an attempt. A plan belongs to one attempt: the next model starts from the failure, not from it.
    pub(super) fn begin_attempt(&mut self) {
        self.plan = None;
        self.conversation.direct = None;
    }

    /// Keeps a refusal for the repair request.
    pub(super) fn refuse(
        &mut self,
        inputs: &EngineInputs<'_>,
        refusal: Refusal,
        exchange: Option<&mut OpenExchange>,
    ) {
        let code = refusal.code;
        let reason = match &refusal.path {
            Some(path) => format!("`{path}` {}", refusal.reason),
            None => refusal.reason,
        };
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
            exchange.memory.dropped.extend(filtered.dropped);
        }
    }
}

/// Drops the values that could be saved.
fn refuse_all(filtered: &mut FilteredPatch) {
    let refused = std::mem::take::<Memory>(&mut filtered.memory);
    let keys = refused.entries().map(|(key, _)| (key.dotted(), NOT_ACCEPTED.to_owned()));
    filtered.dropped.extend(keys);
}

/// Sets the missing `base_sha256` of each action to the digest of the file that the model was shown.
///
/// Tools have no parameter for the digest. The gates still refuse an action on a file that was not shown, and
/// one on a file that has changed since.
pub(super) fn fill_digests(actions: &mut [Action], shown: &BTreeMap<RepoPath, Sha256>) {
    for action in actions {
        let digest = RepoPath::parse(&action.path).ok().and_then(|path| shown.get(&path));
        let (Op::PatchFile { base_sha256, .. }
        | Op::ReplaceRange { base_sha256, .. }
        | Op::EditFile { base_sha256, .. }) = &mut action.op
        else {
            continue;
        };
        if base_sha256.is_none() {
            *base_sha256 = digest.map(ToString::to_string);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_digest_of_a_file_that_was_shown_is_set() {
        let digest = Sha256::of(b"a");
        let shown = BTreeMap::from([(RepoPath::parse("src/a.rs").unwrap(), digest)]);
        let base = |path: &str, given: Option<&str>| {
            let op = Op::ReplaceRange {
                base_sha256: given.map(str::to_owned),
                start_line: 1,
                end_line: 1,
                content: Some(String::new()),
            };
            let mut actions = [Action { path: path.to_owned(), op }];
            fill_digests(&mut actions, &shown);
            let [Action { op: Op::ReplaceRange { base_sha256, .. }, .. }] = actions else {
                panic!("the action changed its kind");
            };
            base_sha256
        };
        assert_eq!(base("src/a.rs", None), Some(digest.to_string()));
        assert_eq!(base("src/a.rs", Some("other")), Some("other".to_owned()));
        assert_eq!(base("src/b.rs", None), None);
        assert_eq!(base("../a.rs", None), None);
    }
}
