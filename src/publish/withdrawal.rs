//! Closes pull requests of this program after their failure was fixed elsewhere, and no others.

use std::collections::BTreeMap;

use serde::Serialize;

use super::marker::Marker;
use crate::domain::fingerprint::BRANCH_PREFIX;
use crate::forge::{CheckConclusion, Closing, Forge, ForgeError, PullRequest};
use crate::git::Oid;

/// The result of a sweep for one pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepAction {
    /// It stays open.
    Kept,
    /// It was closed.
    Closed,
    /// The forge refused to close it or to show it.
    Failed,
}

/// A pull request that a sweep looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SweptPull {
    /// Its number.
    pub number: u64,
    /// The address of its web page.
    pub url: String,
    /// The result.
    pub action: SweepAction,
    /// Why.
    pub reason: String,
}

/// The newest commit of a base branch.
#[derive(Clone, Debug, Default)]
struct NewestCommit {
    /// Empty if there is no such branch.
    commit: String,
    /// True when its checks ran and none of them failed, waits or was left out by a person's decision.
    is_green: bool,
}

/// Closes a pull request with a reason and returns whether it did. One that a person added commits to stays open.
///
/// # Errors
///
/// Those of the forge.
pub fn withdraw(forge: &dyn Forge, pull: &PullRequest, reason: &str) -> Result<bool, ForgeError> {
    let Some(marker) = own_marker(pull) else { return Ok(false) };
    let marker = Marker { is_withdrawn: true, ..marker };
    let comment = format!(
        "papayu-batch closes this pull request: {reason}. When the failure comes back, it opens another one.\n"
    );
    let body = marker.replace_in(&pull.body);
    forge.close(pull.number, &Closing { comment, body })?;
    Ok(true)
}

/// Returns true when a pull request of ours was made on this commit.
pub fn is_for_commit(pull: &PullRequest, commit: &Oid) -> bool {
    own_marker(pull).is_some_and(|marker| marker.base == commit.as_str())
}

/// Returns the marker of a pull request that has our commit alone.
fn own_marker(pull: &PullRequest) -> Option<Marker> {
    let marker = Marker::read(&pull.body)?;
    // A body can be copied into the pull request of another branch.
    let is_own = marker.fingerprint.branch() == pull.head && marker.commit == pull.head_commit;
    is_own.then_some(marker)
}

/// Looks at every open pull request of this program, and closes those with a green base branch and those that
/// conflict with it. Sends at most three requests for each, besides one list and the state of each base branch.
///
/// # Errors
///
/// Those of the list; what happens to a single pull request is in its entry.
pub fn sweep(forge: &dyn Forge) -> Result<Vec<SweptPull>, ForgeError> {
    let mut bases: BTreeMap<String, NewestCommit> = BTreeMap::new();
    let mut swept = Vec::new();
    for pull in forge.open_pull_requests(BRANCH_PREFIX)? {
        if !bases.contains_key(&pull.base) {
            bases.insert(pull.base.clone(), read_newest(forge, &pull.base)?);
        }
        let newest = bases.get(&pull.base).cloned().unwrap_or_default();
        let (action, reason) = match sweep_one(forge, &pull, &newest) {
            Ok(done) => done,
            Err(error) => (SweepAction::Failed, error.to_string()),
        };
        swept.push(SweptPull { number: pull.number, url: pull.url, action, reason });
    }
    Ok(swept)
}

/// Returns the newest commit of a branch with the state of its checks.
fn read_newest(forge: &dyn Forge, branch: &str) -> Result<NewestCommit, ForgeError> {
    let Some(state) = forge.branch_state(branch)? else { return Ok(NewestCommit::default()) };
    let checks = forge.commit_checks(&state.commit)?;
    let is = |wanted: CheckConclusion| checks.iter().any(|check| check.conclusion == wanted);
    let is_open = is(CheckConclusion::Failure)
        || is(CheckConclusion::Pending)
        || is(CheckConclusion::ActionRequired);
    Ok(NewestCommit { commit: state.commit, is_green: is(CheckConclusion::Success) && !is_open })
}

/// Closes one pull request if it is out of date.
fn sweep_one(
    forge: &dyn Forge,
    pull: &PullRequest,
    newest: &NewestCommit,
) -> Result<(SweepAction, String), ForgeError> {
    let kept = |reason: &str| Ok((SweepAction::Kept, reason.to_owned()));
    let Some(marker) = own_marker(pull) else {
        return kept("it has commits or a text of other people");
    };
    if newest.commit.is_empty() || newest.commit == marker.base {
        return kept("its base has not moved");
    }
    let commit = newest.commit.get(..12).unwrap_or(&newest.commit);
    let reason = if newest.is_green {
        format!("all checks of `{}` pass at {commit} without it", pull.base)
    } else if forge.pull_request(pull.number)?.is_mergeable == Some(false) {
        format!("it conflicts with `{}` at {commit}", pull.base)
    } else {
        return kept("its failure is not known to be fixed, and it does not conflict");
    };
    withdraw(forge, pull, &reason)?;
    Ok((SweepAction::Closed, reason))
}
