//! Leaves out the edits of a reply that only an allowance permits, if the rest of the change needs none of them.

use super::change_state::quote_paths;
use papayu_base::domain::{ActionSet, RepoPath};
use papayu_lang::PathClass;
use papayu_vet::{Policy, Snapshot, StopCheck, vet_until};

/// A reply in two parts.
pub(super) struct SplitReply {
    /// The actions that need no allowance.
    pub(super) rest: ActionSet,
    /// The others.
    pub(super) left_out: ActionSet,
}

/// Splits a refused reply; `None` if more than allowances is missing, or one part would be empty.
///
/// An edit of a source file is never left out: it may be the fix, with a test in the same file.
pub(super) fn split_reply(
    set: &ActionSet,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
    stop: StopCheck<'_>,
) -> Option<SplitReply> {
    let open = policy.with_all_allowances();
    vet_until(set.clone(), snapshot, &open, stop).ok()?;
    let nothing = || set.with_actions(Vec::new());
    let mut split = SplitReply { rest: nothing(), left_out: nothing() };
    for action in &set.actions {
        let alone = set.with_actions(vec![action.clone()]);
        let is_source = |path: &RepoPath| {
            PathClass::of_path(path.as_str()) == PathClass::Source
                && !policy.checks.contains(&path.identity())
        };
        let may_go = RepoPath::parse(&action.path).is_ok_and(|path| !is_source(&path));
        let needs_allowance = may_go
            && vet_until(alone.clone(), snapshot, policy, stop).is_err()
            && vet_until(alone, snapshot, &open, stop).is_ok();
        let part = if needs_allowance { &mut split.left_out } else { &mut split.rest };
        part.actions.push(action.clone());
    }
    (!split.rest.actions.is_empty() && !split.left_out.actions.is_empty()).then_some(split)
}

/// Returns the sentence about edits that were left out; empty without any.
pub(super) fn describe(paths: &[RepoPath]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let paths = quote_paths(paths);
    format!("the edits of {paths} were left out, because this run does not allow them")
}
