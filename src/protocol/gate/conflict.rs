//! Gate `conflict`: no path takes two incompatible actions, and actions fit what stands on disk.

use std::collections::BTreeMap;

use super::{Located, Named};
use crate::domain::{ErrorCode, Kind, RepoPath};
use crate::protocol::facts::Fact;
use crate::protocol::refusal::Refusal;

/// Refuses actions that cannot be done together, and drops a repeated `CREATE_DIR`. Paths are
/// compared as a file system would that folds case and normal forms.
pub(in crate::protocol) fn among(actions: Vec<Named>) -> Result<Vec<Named>, Refusal> {
    let places: Vec<_> = actions.iter().map(|action| (action, &action.path)).collect();
    let repeated = compare(&places)?;
    Ok(without(actions, &repeated))
}

/// Asks the same of the paths with links followed.
pub(in crate::protocol) fn among_resolved(actions: Vec<Located>) -> Result<Vec<Located>, Refusal> {
    let places: Vec<_> = actions.iter().map(|action| (&action.named, &action.resolved)).collect();
    let repeated = compare(&places)?;
    Ok(without(actions, &repeated))
}

fn without<T>(actions: Vec<T>, places: &[usize]) -> Vec<T> {
    let kept = actions.into_iter().enumerate().filter(|(place, _)| !places.contains(place));
    kept.map(|(_, action)| action).collect()
}

/// Returns the places of repeated `CREATE_DIR` actions.
fn compare(actions: &[(&Named, &RepoPath)]) -> Result<Vec<usize>, Refusal> {
    let mut repeated = Vec::new();
    let mut by_identity: BTreeMap<String, (&Named, &RepoPath)> = BTreeMap::new();
    for (place, (action, path)) in actions.iter().enumerate() {
        let Some((other, other_path)) = by_identity.insert(path.identity(), (action, path)) else {
            continue;
        };
        let both_make_it = (action.kind, other.kind) == (Kind::CreateDir, Kind::CreateDir);
        if !both_make_it || other_path != *path {
            return Err(conflict(action, other));
        }
        repeated.push(place);
    }
    let mut spellings: BTreeMap<String, (&str, &Named)> = BTreeMap::new();
    for (action, path) in actions {
        for folder in folders(path.as_str()) {
            let identity = identity(folder);
            if let Some((above, _)) = by_identity.get(&identity)
                && !may_hold(above.kind, action)
            {
                return Err(conflict(action, above));
            }
            let (spelling, first) = *spellings.entry(identity).or_insert((folder, action));
            if spelling != folder {
                return Err(conflict(action, first));
            }
        }
    }
    Ok(repeated)
}

fn conflict(action: &Named, other: &Named) -> Refusal {
    let (kind, other_kind) = (action.kind.name(), other.kind.name());
    let reason =
        format!("{kind} cannot go with {other_kind} of `{}` (action {})", other.path, other.index);
    action.refuse(ErrorCode::ActionConflict, reason)
}

/// Tells whether an action may stand below a path that takes an action itself.
fn may_hold(above: Kind, below: &Named) -> bool {
    match above {
        Kind::CreateDir => true,
        // Files go first, then their folder.
        Kind::DeleteDir => below.deletes(),
        _ => false,
    }
}

/// Returns every folder above a path, the outermost first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}

fn identity(folder: &str) -> String {
    RepoPath::parse(folder).map_or_else(|_| folder.to_owned(), |folder| folder.identity())
}

/// Refuses an action that does not fit what stands at its place.
pub(in crate::protocol) fn on_disk(actions: &[Located]) -> Result<(), Refusal> {
    actions.iter().try_for_each(|action| match misfit(action.named.kind, &action.fact) {
        Some(reason) => Err(action.refuse(ErrorCode::ActionConflict, reason)),
        None => Ok(()),
    })
}

/// Returns why a kind of action cannot be done to what stands there.
fn misfit(kind: Kind, fact: &Fact) -> Option<String> {
    let reason = match (kind, fact) {
        (_, Fact::Blocked { by }) => return Some(format!("lies below `{by}`, which is a file")),
        (Kind::CreateDir | Kind::DeleteDir, Fact::File { .. }) => "is a file, not a folder",
        (Kind::CreateDir | Kind::DeleteDir, Fact::Dir { .. }) => return None,
        (_, Fact::Dir { .. }) => "is a folder, not a file",
        (Kind::DeleteFile | Kind::DeleteDir, Fact::Missing { .. }) => "does not exist",
        _ => return None,
    };
    Some(reason.to_owned())
}
