//! `create_file`, `edit_lines` and `delete_file`: each takes one action through the gates and the transaction.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::TypedAnswer;
use super::reading::{parse_path, read_file};
use super::tool::{Access, Tool, ToolResult};
use super::workspace::ToolSession;
use crate::apply::{self, TreeFacts};
use papayu_base::domain::{Action, ActionSet, Op, RepoPath, RunId, Sha256, Version};
use papayu_patch::render;
use papayu_vet::{self as vet, Snapshot};

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

/// The parameters of `create_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateParams {
    /// Path of the new file, relative to the repository.
    pub path: String,
    /// The whole text.
    pub content: String,
}

/// The tool `create_file`.
pub(super) struct CreateFile;

impl Tool for CreateFile {
    type Params = CreateParams;
    type Output<'w> = Edited;
    const NAME: &'static str = "create_file";
    const DESCRIPTION: &'static str =
        "Writes a new file. The change passes all gates and can be undone.";
    const ACCESS: Access = Access::Adds;
    const USES_INDEX: bool = false;

    fn run<'w>(params: CreateParams, workspace: &'w ToolSession<'w>) -> ToolResult<Edited> {
        let path = parse_path("path", &params.path)?.to_string();
        let action = Action { path, op: Op::CreateFile { content: Some(params.content) } };
        write_action(workspace, action, None)
    }
}

/// The parameters of `edit_lines`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EditParams {
    /// Path of the file, relative to the repository.
    pub path: String,
    /// First line to replace, from 1.
    #[schemars(range(min = 1))]
    pub start: u32,
    /// Last line to replace; `start - 1` inserts before `start`.
    pub end: u32,
    /// The lines that take their place; empty removes the lines.
    pub content: String,
}

/// The tool `edit_lines`.
pub(super) struct EditLines;

impl Tool for EditLines {
    type Params = EditParams;
    type Output<'w> = Edited;
    const NAME: &'static str = "edit_lines";
    const DESCRIPTION: &'static str =
        "Replaces lines of a file. The change passes all gates and can be undone.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    // The digest is of the file as it is now; the gates compare it again, in case it changes in
    // between.
    fn run<'w>(params: EditParams, workspace: &'w ToolSession<'w>) -> ToolResult<Edited> {
        let file = read_file(workspace.tree, &params.path)?;
        let action = Action {
            path: file.path.to_string(),
            op: Op::ReplaceRange {
                base_sha256: Some(file.sha256.to_string()),
                start_line: params.start.into(),
                end_line: params.end.into(),
                content: Some(params.content),
            },
        };
        write_action(workspace, action, Some((file.path, file.sha256)))
    }
}

/// The parameters of `delete_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeleteParams {
    /// Path of the file, relative to the repository.
    pub path: String,
}

/// The tool `delete_file`.
pub(super) struct DeleteFile;

impl Tool for DeleteFile {
    type Params = DeleteParams;
    type Output<'w> = Edited;
    const NAME: &'static str = "delete_file";
    const DESCRIPTION: &'static str =
        "Removes a file, where `policy.allow_delete` is set. The change can be undone.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    fn run<'w>(params: DeleteParams, workspace: &'w ToolSession<'w>) -> ToolResult<Edited> {
        let file = read_file(workspace.tree, &params.path)?;
        let action = Action { path: file.path.to_string(), op: Op::DeleteFile };
        write_action(workspace, action, Some((file.path, file.sha256)))
    }
}

/// Vets and writes one action. `shown` is the digest of the file that the caller read.
///
/// # Errors
///
/// `Refused` with the code of the gate; `Apply` if the file cannot be written, or another run has the
/// repository locked.
fn write_action(
    workspace: &ToolSession<'_>,
    action: Action,
    shown: Option<(RepoPath, Sha256)>,
) -> ToolResult<Edited> {
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
    Ok(TypedAnswer::new(Edited { path: path.clone(), patch, undo }, text, [path]))
}
