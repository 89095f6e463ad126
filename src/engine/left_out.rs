//! Leaves out the edits of a reply that only an allowance permits, if the rest of the change needs none of them.

use std::collections::BTreeSet;

use super::change_state::{LeftOut, quote_paths};
use papayu_base::domain::{ActionSet, Allowance, RepoPath};
use papayu_lang::PathClass;
use papayu_vet::{Policy, Snapshot, StopCheck, vet_until};

/// A reply in two parts.
pub(super) struct SplitReply {
    /// The actions that need no allowance.
    pub(super) rest: ActionSet,
    /// The others.
    pub(super) left_out: ActionSet,
    /// The allowances that the others need.
    pub(super) missing: BTreeSet<Allowance>,
}

/// Splits a refused reply; `None` if more than allowances is missing, or one part would be empty.
///
/// An edit of a source file with tests is never left out: it may be the fix.
pub(super) fn split_reply(
    set: &ActionSet,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
    stop: StopCheck<'_>,
) -> Option<SplitReply> {
    let passes = |set: ActionSet, policy: &Policy| vet_until(set, snapshot, policy, stop).is_ok();
    if !passes(set.clone(), &policy.with_all_allowances()) {
        return None;
    }
    let nothing = || set.with_actions(Vec::new());
    let mut split = SplitReply { rest: nothing(), left_out: nothing(), missing: BTreeSet::new() };
    for action in &set.actions {
        let alone = set.with_actions(vec![action.clone()]);
        let is_source = |path: &RepoPath| {
            PathClass::of_path(path.as_str()) == PathClass::Source
                && !policy.checks.contains(&path.identity())
        };
        let missing: BTreeSet<Allowance> = if passes(alone.clone(), policy) {
            BTreeSet::new()
        } else {
            // Without it, the others do not suffice.
            let is_needed = |kind: &Allowance| !passes(alone.clone(), &policy.with_all_but(*kind));
            Allowance::ALL.into_iter().filter(is_needed).collect()
        };
        let may_go = RepoPath::parse(&action.path)
            .is_ok_and(|path| !is_source(&path) || !missing.contains(&Allowance::Tests));
        let part = if may_go && !missing.is_empty() {
            split.missing.extend(missing);
            &mut split.left_out
        } else {
            &mut split.rest
        };
        part.actions.push(action.clone());
    }
    (!split.rest.actions.is_empty() && !split.left_out.actions.is_empty()).then_some(split)
}

/// Returns the sentence about edits that were left out; empty without any.
pub(super) fn describe(left_out: &LeftOut) -> String {
    if left_out.paths.is_empty() {
        return String::new();
    }
    let paths = quote_paths(&left_out.paths);
    let flags = left_out.missing.iter().map(|kind| format!("`--allow {}`", kind.name()));
    let flags = flags.collect::<Vec<_>>().join(" and ");
    format!("the edits of {paths} were left out: they need {flags}")
}
