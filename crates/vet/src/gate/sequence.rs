//! Runs the gates in the order of protocol section 4.

use std::collections::BTreeMap;

use super::{LocatedAction, NamedAction, base, conflict, content, limits, path, protected};
use crate::{PathFact, PathFacts, Policy};
use papayu_base::domain::{Action, ActionKind, ActionSet, ErrorCode, Op, RepoPath, Sha256};
use papayu_patch::protocol::Refusal;
use papayu_patch::{TreeAction, TreeOp};

/// Returns the actions of a reply in order of application, each with the bytes it applies to. No
/// two touch the same path, and none is below a path that another writes or removes. All actions
/// pass one gate before any meets the next.
///
/// # Errors
///
/// The refusal of the first gate that refuses.
pub(crate) fn check_actions(
    set: ActionSet,
    files: &dyn PathFacts,
    shown: &BTreeMap<RepoPath, Sha256>,
    policy: &Policy,
) -> Result<Vec<TreeAction>, Refusal> {
    let version = set.version;
    // First the gates that need no file, so that a hostile reply costs no disk access.
    let actions = check_unlocated(set.actions, policy)?;
    // Then path, conflict and protected again, with links followed.
    let actions = path::locate(actions, files)?;
    let actions = conflict::check_located(actions)?;
    conflict::check_fit(&actions)?;
    protected::check_located(&actions, policy)?;
    base::check_stated(&actions, shown)?;
    // A stated base must be right before it is compared with the disk, so that the reason is
    // the first mistake.
    base::check_rewrites(version, &actions, shown)?;
    content::check_patch_form(&actions)?;
    content::check_encoding(&actions)?;
    base::check_fresh(&actions, shown)?;
    let mut ordered = Vec::new();
    for action in drop_covered(actions) {
        ordered.extend(finish_action(action)?);
    }
    // A stable sort: equal kinds stay in the order of the reply.
    ordered.sort_by_key(|action| application_rank(action.kind));
    Ok(ordered)
}

/// Takes actions through the gates that need no file, once their texts are not those of the reply any more.
///
/// # Errors
///
/// The refusal of the first gate that refuses.
pub(crate) fn check_texts(actions: Vec<Action>, policy: &Policy) -> Result<(), Refusal> {
    check_unlocated(actions, policy).map(|_| ())
}

/// Takes actions through the gates that need no file.
fn check_unlocated(actions: Vec<Action>, policy: &Policy) -> Result<Vec<NamedAction>, Refusal> {
    let actions = path::parse_paths(actions)?;
    limits::check_count(&actions)?;
    limits::check_size(&actions)?;
    content::check_text(&actions)?;
    let actions = conflict::check_named(actions)?;
    protected::check_named(&actions, policy)?;
    protected::check_deletions(&actions, policy)?;
    Ok(actions)
}

/// Leaves out removals below a folder that is removed whole.
fn drop_covered(actions: Vec<LocatedAction>) -> Vec<LocatedAction> {
    let removed: Vec<_> = actions
        .iter()
        .filter(|action| action.named.kind == ActionKind::DeleteDir)
        .map(|action| action.resolved.clone())
        .collect();
    let is_kept = |action: &LocatedAction| !removed.iter().any(|dir| action.resolved.is_below(dir));
    actions.into_iter().filter(is_kept).collect()
}

/// Returns an action that passed the gates in its final form; `None` when nothing is left to do.
fn finish_action(located: LocatedAction) -> Result<Option<TreeAction>, Refusal> {
    let LocatedAction { named, resolved, fact } = located;
    let op = match (&named.op, fact) {
        (Op::CreateDir, PathFact::Dir { .. }) => return Ok(None),
        (Op::CreateDir, PathFact::Missing { missing_parents, .. }) => {
            TreeOp::CreateDir { missing_parents }
        }
        (
            Op::CreateFile { .. } | Op::UpdateFile { .. },
            PathFact::Missing { missing_parents, .. },
        ) => TreeOp::CreateFile { missing_parents, content: required_text(&named)? },
        (Op::CreateFile { .. } | Op::UpdateFile { .. }, PathFact::File { bytes, .. }) => {
            TreeOp::WriteFile { before: bytes, content: required_text(&named)? }
        }
        (Op::PatchFile { .. }, PathFact::File { bytes, .. }) => {
            let patch = named.text().ok_or_else(|| content::missing_patch(&named))?.to_owned();
            TreeOp::PatchFile { before: bytes, patch }
        }
        (&Op::ReplaceRange { start_line, end_line, .. }, PathFact::File { bytes, .. }) => {
            TreeOp::ReplaceRange {
                before: bytes,
                start_line,
                end_line,
                content: required_text(&named)?,
            }
        }
        (Op::EditFile { edits, .. }, PathFact::File { bytes, .. }) => {
            TreeOp::EditFile { before: bytes, edits: edits.clone() }
        }
        (Op::DeleteFile, PathFact::File { bytes, .. }) => TreeOp::DeleteFile { before: bytes },
        (Op::DeleteDir, PathFact::Dir { files, dirs, .. }) => TreeOp::DeleteDir { files, dirs },
        // The gates refuse every other pair; a gate with a mistake must not admit it.
        _ => {
            let reason = "does not fit the state of the path";
            return Err(named.refuse(ErrorCode::ActionConflict, reason));
        }
    };
    Ok(Some(TreeAction { index: named.index, kind: named.kind, path: resolved, op }))
}

/// Returns the text of an action, or the refusal of one without.
fn required_text(action: &NamedAction) -> Result<String, Refusal> {
    action.text().map(str::to_owned).ok_or_else(|| content::missing_content(action))
}

/// Returns the place of a kind in the order of application (protocol section 2): folders, files,
/// removals. The sort is stable, so actions of one rank keep the order of the reply.
fn application_rank(kind: ActionKind) -> u8 {
    match kind {
        ActionKind::CreateDir => 0,
        ActionKind::CreateFile
        | ActionKind::UpdateFile
        | ActionKind::PatchFile
        | ActionKind::ReplaceRange
        | ActionKind::EditFile => 1,
        ActionKind::DeleteFile => 2,
        ActionKind::DeleteDir => 3,
    }
}
