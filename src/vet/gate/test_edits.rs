//! Gate `protected`, the part on tests: a fix must not change the tests that prove it.

use super::LocatedAction;
use crate::domain::{ErrorCode, Kind, RepoPath};
use crate::lang;
use crate::protocol::Refusal;
use crate::vet::{PathFact, Policy};

/// Refuses to change or remove a test file that exists, unless the run allows it; new ones are
/// fine.
pub(super) fn check(actions: &[LocatedAction], policy: &Policy) -> Result<(), Refusal> {
    if policy.allow_test_edits {
        return Ok(());
    }
    for action in actions {
        let mut touched: Vec<&RepoPath> = match (action.named.kind, &action.fact) {
            (_, PathFact::File { resolved, .. }) => vec![resolved],
            (Kind::DeleteDir, PathFact::Dir { files, .. }) => {
                files.iter().map(|(path, _)| path).collect()
            }
            _ => vec![],
        };
        // By the resolved path: a link may give a test another name.
        touched.retain(|path| lang::is_test(path.as_str()));
        if let Some(path) = touched.first() {
            let what = if **path == action.named.path {
                String::new()
            } else {
                format!("means `{path}`, which ")
            };
            let reason = format!("{what}is an existing test; `--allow-test-edits` would allow it");
            return Err(action.named.refuse(ErrorCode::ForbiddenPath, reason));
        }
    }
    Ok(())
}
