//! Gate `path`: relative, inside the root, and the only spelling of that name.

use super::{LocatedAction, NamedAction};
use crate::{PathFact, PathFacts};
use papayu_base::domain::{Action, ErrorCode, RepoPath};
use papayu_base::text::is_invisible;
use papayu_patch::protocol::Refusal;

/// Parses the paths of all actions, which needs no file.
///
/// # Errors
///
/// Returns the refusal of the first path that is absolute, contains `..`, or is otherwise not
/// portable; see [`RepoPath::parse`].
pub(super) fn parse_paths(actions: Vec<Action>) -> Result<Vec<NamedAction>, Refusal> {
    let mut named = Vec::new();
    for (index, action) in actions.into_iter().enumerate() {
        let path = RepoPath::parse(&action.path).map_err(|fault| Refusal::of_path(index, fault))?;
        named.push(NamedAction { index, path, kind: action.kind(), op: action.op });
    }
    Ok(named)
}

/// Applies the rules that need the disk: no link leaves the root, no other spelling exists, and
/// what is removed is called by its own name.
///
/// Fails with `ERR_INVALID_PATH` for the first action that breaks a rule. A path below a file passes, because
/// the gate `conflict` refuses it with a code of its own.
pub(super) fn locate(
    actions: Vec<NamedAction>,
    files: &dyn PathFacts,
) -> Result<Vec<LocatedAction>, Refusal> {
    actions.into_iter().map(|named| locate_one(named, files)).collect()
}

/// Returns an action at the path that the file system has; another spelling of an existing path is
/// refused.
fn locate_one(named: NamedAction, files: &dyn PathFacts) -> Result<LocatedAction, Refusal> {
    let fact = files.find(&named.path, named.kind);
    let reason = match &fact {
        PathFact::Unusable { reason } => reason.clone(),
        PathFact::OtherSpelling { existing } => {
            format!("is spelled `{existing}` in the repository")
        }
        PathFact::Missing { .. } if named.path.as_str().chars().any(is_invisible) => {
            "has a character that a reader does not see".to_owned()
        }
        PathFact::Missing { resolved, .. }
        | PathFact::File { resolved, .. }
        | PathFact::Dir { resolved, .. } => {
            // A removal through a link would remove a file that the reply does not name.
            if !named.deletes() || *resolved == named.path {
                return Ok(LocatedAction { resolved: resolved.clone(), named, fact });
            }
            format!("is reached through a link; its own name is `{resolved}`")
        }
        // Refused with its own code by the gate `conflict`.
        PathFact::Blocked { .. } => {
            return Ok(LocatedAction { resolved: named.path.clone(), named, fact });
        }
    };
    Err(named.refuse(ErrorCode::InvalidPath, reason))
}
