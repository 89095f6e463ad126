//! Takes one action of an editing tool through the gates and the transaction.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Answer;
use super::error::ToolError;
use super::workspace::Workspace;
use crate::apply::{self, TreeFacts};
use crate::domain::{Action, ActionSet, RepoPath, RunId, Sha256, Version};
use crate::patch::render;
use crate::vet::{self, Snapshot};

/// The data of an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Edited {
    /// The changed file.
    pub path: String,
    /// The change as a unified diff.
    pub patch: String,
    /// The command that restores the old text.
    pub undo: String,
}

/// Vets and writes one action. `shown` is the digest of the file that the caller read.
///
/// # Errors
///
/// `Refused` with the code of the gate; `Apply` if the file cannot be written, or another run has the
/// repository locked.
pub(super) fn write_action(
    workspace: &Workspace<'_>,
    action: Action,
    shown: Option<(RepoPath, Sha256)>,
) -> Result<Answer<Edited>, ToolError> {
    let path = action.path.clone();
    let shown: BTreeMap<RepoPath, Sha256> = shown.into_iter().collect();
    let set = ActionSet {
        version: Version::V2,
        actions: vec![action],
        summary: String::new(),
        validated: serde_json::Value::Null,
    };
    let files = TreeFacts(workspace.tree);
    let snapshot =
        Snapshot { files: &files, shown: &shown, earlier: None, masker: workspace.masker };
    let change = vet::vet(set, &snapshot, workspace.policy)?;
    // Locked only for the write, so that a client that reads does not block a run.
    let lock = apply::lock_repository(workspace.tree)?;
    lock.init_state_dir(workspace.tree)?;
    let clock = workspace.system.clock;
    let applied = apply::commit(workspace.tree, clock, &change, &RunId::new(clock.fresh_id()))?;
    applied.keep()?;
    let patch = render::render_shown(change.step());
    let text = if patch.is_empty() { format!("`{path}` is unchanged") } else { patch.clone() };
    let undo = "papayu-batch undo".to_owned();
    Ok(Answer::new(Edited { path: path.clone(), patch, undo }, text, [path]))
}
