//! Gate `conflict`: no path takes two incompatible actions, and actions fit what is on disk.

use std::collections::BTreeMap;

use super::{LocatedAction, NamedAction};
use crate::PathFact;
use papayu_base::domain::{ActionKind, ErrorCode, RepoPath};
use papayu_patch::protocol::Refusal;

/// Refuses actions that cannot be done together, and drops a repeated `CREATE_DIR`. Paths are
/// compared as a file system would that folds case and normal forms.
///
/// Fails with `ERR_ACTION_CONFLICT`, see [`find_repeated`].
pub(super) fn check_named(actions: Vec<NamedAction>) -> Result<Vec<NamedAction>, Refusal> {
    let places: Vec<_> = actions.iter().map(|action| (action, &action.path)).collect();
    let repeated = find_repeated(&places)?;
    Ok(drop_repeated(actions, &repeated))
}

/// Does the same as [`check_named`] for the paths with links followed.
///
/// Fails with `ERR_ACTION_CONFLICT` if two paths as written are one path on the disk.
pub(super) fn check_located(actions: Vec<LocatedAction>) -> Result<Vec<LocatedAction>, Refusal> {
    let places: Vec<_> = actions.iter().map(|action| (&action.named, &action.resolved)).collect();
    let repeated = find_repeated(&places)?;
    Ok(drop_repeated(actions, &repeated))
}

/// Returns the actions without those at the positions `repeated`.
fn drop_repeated<T>(actions: Vec<T>, repeated: &[usize]) -> Vec<T> {
    let kept = actions.into_iter().enumerate().filter(|(at, _)| !repeated.contains(at));
    kept.map(|(_, action)| action).collect()
}

/// Returns the positions of repeated `CREATE_DIR` actions.
///
/// # Errors
///
/// Returns [`ErrorCode::ActionConflict`] for two actions on one path, for an action below a
/// path that another one writes, and for two spellings of one folder.
fn find_repeated(actions: &[(&NamedAction, &RepoPath)]) -> Result<Vec<usize>, Refusal> {
    let mut repeated = Vec::new();
    let mut by_identity: BTreeMap<String, (&NamedAction, &RepoPath)> = BTreeMap::new();
    for (place, (action, path)) in actions.iter().enumerate() {
        let Some((other, other_path)) = by_identity.insert(path.identity(), (action, path)) else {
            continue;
        };
        // Two actions may need the same folder, and it is created once.
        let both_make_it =
            (action.kind, other.kind) == (ActionKind::CreateDir, ActionKind::CreateDir);
        if !both_make_it || other_path != *path {
            return Err(refuse_pair(action, other));
        }
        repeated.push(place);
    }
    // `Src/a` and `src/b` create one folder on a case-insensitive disk.
    // Two spellings of one folder are one folder on some file systems and two on others.
    let mut spellings: BTreeMap<String, (&str, &NamedAction)> = BTreeMap::new();
    for (action, path) in actions {
        for folder in parent_folders(path.as_str()) {
            let identity = folder_identity(folder);
            if let Some((above, _)) = by_identity.get(&identity)
                && !may_be_below(above.kind, action)
            {
                return Err(refuse_pair(action, above));
            }
            let (spelling, first) = *spellings.entry(identity).or_insert((folder, action));
            if spelling != folder {
                return Err(refuse_pair(action, first));
            }
        }
    }
    Ok(repeated)
}

/// Returns the refusal of two actions for one path that exclude each other.
fn refuse_pair(action: &NamedAction, other: &NamedAction) -> Refusal {
    let (kind, other_kind) = (action.kind.name(), other.kind.name());
    let reason =
        format!("{kind} cannot go with {other_kind} of `{}` (action {})", other.path, other.index);
    action.refuse(ErrorCode::ActionConflict, reason)
}

/// Returns true when an action may be below a path that has an action itself.
fn may_be_below(above: ActionKind, below: &NamedAction) -> bool {
    match above {
        ActionKind::CreateDir => true,
        // Files are removed first, then their folder.
        ActionKind::DeleteDir => below.deletes(),
        _ => false,
    }
}

/// Returns every folder above a path, the outermost first.
fn parent_folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}

/// Returns the identity of a folder, in which spellings that a file system does not distinguish are
/// equal.
fn folder_identity(folder: &str) -> String {
    RepoPath::parse(folder).map_or_else(|_| folder.to_owned(), |folder| folder.identity())
}

/// Refuses an action that does not fit the state of its path.
///
/// Fails with `ERR_ACTION_CONFLICT` if a file is where a folder is expected or the reverse, if a parent of the
/// path is a file, or if the path to delete does not exist.
pub(super) fn check_fit(actions: &[LocatedAction]) -> Result<(), Refusal> {
    for action in actions {
        if let Some(reason) = find_misfit(action.named.kind, &action.fact) {
            return Err(action.named.refuse(ErrorCode::ActionConflict, reason));
        }
    }
    Ok(())
}

/// Returns the reason why a kind of action does not fit the state of a path; `None` if it does.
fn find_misfit(kind: ActionKind, fact: &PathFact) -> Option<String> {
    let reason = match (kind, fact) {
        (_, PathFact::Blocked { by }) => {
            return Some(format!("lies below `{by}`, which is a file"));
        }
        (ActionKind::CreateDir | ActionKind::DeleteDir, PathFact::File { .. }) => {
            "is a file, not a folder"
        }
        (ActionKind::CreateDir | ActionKind::DeleteDir, PathFact::Dir { .. }) => return None,
        (_, PathFact::Dir { .. }) => "is a folder, not a file",
        (ActionKind::DeleteFile | ActionKind::DeleteDir, PathFact::Missing { .. }) => {
            "does not exist"
        }
        _ => return None,
    };
    Some(reason.to_owned())
}
