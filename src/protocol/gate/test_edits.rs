//! Gate `protected`, the part on tests: what proves a fix is not the fix's to change.

use super::Located;
use crate::domain::{ErrorCode, Kind, RepoPath};
use crate::lang;
use crate::protocol::facts::Fact;
use crate::protocol::policy::Policy;
use crate::protocol::refusal::Refusal;

/// Refuses to change or remove a test file that exists, unless the run allows it; new ones are fine.
pub(in crate::protocol) fn check(actions: &[Located], policy: &Policy) -> Result<(), Refusal> {
    if policy.allow_test_edits {
        return Ok(());
    }
    for action in actions {
        let mut touched: Vec<&RepoPath> = match (action.named.kind, &action.fact) {
            (_, Fact::File { resolved, .. }) => vec![resolved],
            (Kind::DeleteDir, Fact::Dir { files, .. }) => {
                files.iter().map(|(path, _)| path).collect()
            }
            _ => vec![],
        };
        touched.retain(|path| lang::is_test(path.as_str()));
        if let Some(path) = touched.first() {
            let what = if **path == action.named.path {
                String::new()
            } else {
                format!("means `{path}`, which ")
            };
            let reason = format!("{what}is an existing test; `--allow-test-edits` would allow it");
            return Err(action.refuse(ErrorCode::ForbiddenPath, reason));
        }
    }
    Ok(())
}
