//! Gate `path`: relative, inside the root, and the only spelling of that name.

use super::{Located, Named};
use crate::domain::{Action, ErrorCode, RepoPath};
use crate::protocol::facts::{Fact, Facts};
use crate::protocol::refusal::Refusal;

/// Applies the lexical rules.
pub(in crate::protocol) fn lexical(actions: Vec<Action>) -> Result<Vec<Named>, Refusal> {
    let name = |(index, action): (usize, Action)| {
        let path = RepoPath::parse(&action.path).map_err(|fault| Refusal::of_path(index, fault))?;
        Ok(Named { index, path, kind: action.kind(), op: action.op })
    };
    actions.into_iter().enumerate().map(name).collect()
}

/// Applies the rules that need the disk: no link leaves the root, no other spelling exists, and
/// what is removed is called by its own name.
pub(in crate::protocol) fn resolved(
    actions: Vec<Named>,
    mut facts: Facts,
) -> Result<Vec<Located>, Refusal> {
    let locate = |named: Named| {
        let invalid = |reason: String| Err(named.refuse(ErrorCode::InvalidPath, reason));
        let Some(fact) = facts.entries.remove(&named.path) else {
            return invalid("was not looked up on disk".to_owned());
        };
        let resolved = match &fact {
            Fact::Unusable { reason } => return invalid(reason.clone()),
            Fact::OtherSpelling { existing } => {
                return invalid(format!("is spelled `{existing}` in the repository"));
            }
            Fact::Blocked { .. } => named.path.clone(),
            Fact::Missing { resolved, .. }
            | Fact::File { resolved, .. }
            | Fact::Dir { resolved, .. } => resolved.clone(),
        };
        if named.deletes() && resolved != named.path {
            return invalid(format!("is reached through a link; its own name is `{resolved}`"));
        }
        Ok(Located { named, resolved, fact })
    };
    actions.into_iter().map(locate).collect()
}
