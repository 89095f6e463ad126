//! The engineering memory in a run: its block in the system message, and what replies ask to remember.

use serde_json::Value;

use super::run::Run;
use super::task::MemoryPatch;
use crate::domain::Version;
use crate::memory::{FilteredPatch, Memory, filter_patch};
use crate::prompts;

/// Why a value that could be saved is not.
const NOT_ACCEPTED: &str = "`--accept-memory` is not set";

impl Run<'_> {
    /// Returns the system message of a protocol: its rules, then the engineering memory.
    pub(super) fn system_message(&self, version: Version) -> String {
        let memory = self.task.background.memory.as_ref();
        let rules = prompts::system_prompt(version);
        memory.map_or_else(|| rules.to_owned(), |block| format!("{rules}\n{}", block.as_str()))
    }

    /// Keeps what a valid reply asks to remember, and records what of it is dropped.
    pub(super) fn keep_memory_patch(&mut self, validated: &Value) {
        let Some(patch) = validated.get("memory_patch") else { return };
        let mut filtered = filter_patch(patch, self.world.masker);
        if self.config.memory_patch == MemoryPatch::Drop {
            refuse_all(&mut filtered);
        }
        self.remembered.merge(filtered.memory.clone());
        self.exchange_mut(|exchange| {
            exchange.memory.memory.merge(filtered.memory);
            exchange.memory.dropped.extend(filtered.dropped);
        });
    }
}

/// Drops the values that could be saved.
fn refuse_all(filtered: &mut FilteredPatch) {
    let refused = std::mem::take::<Memory>(&mut filtered.memory);
    let keys = refused.entries().map(|(key, _)| (key.dotted(), NOT_ACCEPTED.to_owned()));
    filtered.dropped.extend(keys);
}
