//! Closes the pull requests of this program that are no longer needed, and brings the others up to date.

use std::collections::BTreeMap;

use serde::Serialize;

use super::branch_reader::BranchReader;
use super::error::PublishError;
use super::marker::Marker;
use super::pull_checks::are_green;
use super::withdrawal::{read_own_marker, withdraw};
use papayu_base::domain::fingerprint::BRANCH_PREFIX;
use papayu_forge::{Forge, ForgeError, ForgeFault, PullRequest};

/// The result of a sweep for one pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepAction {
    /// It stays as it is.
    Kept,
    /// The forge was asked to bring its branch up to date.
    Updated,
    /// It was closed.
    Closed,
    /// The forge refused to show, to update or to close it.
    Failed,
}

impl SweepAction {
    /// Returns its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Updated => "updated",
            Self::Closed => "closed",
            Self::Failed => "failed",
        }
    }
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
    /// See [`are_green`].
    is_green: bool,
}

/// The forge of a sweep, and the git side of its repository if that is at hand.
struct Sweeper<'a, 'r> {
    forge: &'a dyn Forge,
    reader: Option<&'a BranchReader<'r>>,
    bases: BTreeMap<String, NewestCommit>,
}

/// Looks at every open pull request of this program with a base that moved. Closes those with a green base branch and those that
/// conflict with it, and has the forge bring the branches of the others up to date. Sends at most three requests for
/// each, besides one list and the state of each base branch.
///
/// Without `reader`, a branch that was brought up to date before is left alone: only the files show that it has no work of
/// a person.
///
/// # Errors
///
/// Those of the list; what happens to a single pull request is in its entry.
pub fn sweep(
    forge: &dyn Forge,
    reader: Option<&BranchReader<'_>>,
) -> Result<Vec<SweptPull>, ForgeError> {
    let mut sweeper = Sweeper { forge, reader, bases: BTreeMap::new() };
    let mut swept: Vec<SweptPull> = Vec::new();
    let mut end: Option<String> = None;
    for pull in forge.open_pull_requests(BRANCH_PREFIX)? {
        // A page that moved while the list was read shows the same one twice.
        if swept.iter().any(|known| known.number == pull.number) {
            continue;
        }
        let done = match &end {
            Some(reason) => Err(reason.clone()),
            None => sweeper.sweep_one(&pull).map_err(|error| {
                // The next one would wait for the same limit, or be refused like this one.
                end = ends_sweep(&error).then(|| format!("not looked at: {error}"));
                error.to_string()
            }),
        };
        let (action, reason) = done.unwrap_or_else(|reason| (SweepAction::Failed, reason));
        swept.push(SweptPull { number: pull.number, url: pull.url, action, reason });
    }
    Ok(swept)
}

/// Returns true for an error that every further request would meet.
fn ends_sweep(error: &PublishError) -> bool {
    let PublishError::Forge(error) = error else { return false };
    matches!(
        error.fault,
        ForgeFault::RateLimited
            | ForgeFault::Authentication
            | ForgeFault::NoToken
            | ForgeFault::Interrupted
    )
}

impl Sweeper<'_, '_> {
    /// Closes one pull request or has it brought up to date, if it is out of date.
    fn sweep_one(&mut self, pull: &PullRequest) -> Result<(SweepAction, String), PublishError> {
        let kept = |reason: &str| Ok((SweepAction::Kept, reason.to_owned()));
        let Some(marker) = read_own_marker(pull) else {
            return kept("it has a text of other people");
        };
        if !marker.target.is_empty() && marker.target != pull.base {
            return kept("a person changed the branch that it goes into");
        }
        let newest = self.read_newest(&pull.base)?;
        if newest.commit.is_empty() {
            return kept("its base branch does not exist");
        }
        let Some(base) = self.find_base(pull, &marker)? else {
            return kept("it has commits of other people, or its branch was deleted");
        };
        if newest.commit == base {
            return kept("its base has not moved");
        }
        let commit = newest.commit.get(..12).unwrap_or(&newest.commit);
        if newest.is_green {
            let reason = format!("all checks of `{}` pass at {commit} without it", pull.base);
            withdraw(self.forge, pull, &reason)?;
            return Ok((SweepAction::Closed, reason));
        }
        // The list is older than this, and does not show whether it conflicts.
        let now = self.forge.pull_request(pull.number)?;
        if !now.is_open || now.head_commit != pull.head_commit {
            return kept("it changed during the sweep");
        }
        if now.is_mergeable == Some(false) {
            let reason = format!("it conflicts with `{}` at {commit}", pull.base);
            withdraw(self.forge, &now, &reason)?;
            return Ok((SweepAction::Closed, reason));
        }
        match self.forge.update_branch(&now) {
            Ok(()) => {
                let reason =
                    format!("its branch gets the commits of `{}` up to {commit}", pull.base);
                Ok((SweepAction::Updated, reason))
            }
            Err(error) if stays_out_of_date(&error) => kept(&error.to_string()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the commit of its target that a pull request is on; `None` if its branch has work of other people.
    fn find_base(
        &self,
        pull: &PullRequest,
        marker: &Marker,
    ) -> Result<Option<String>, PublishError> {
        if marker.commit == pull.head_commit {
            return Ok(Some(marker.base.clone()));
        }
        let Some(reader) = self.reader else { return Ok(None) };
        let base = reader.find_base(pull, &pull.head_commit, marker)?;
        Ok(base.map(|base| base.to_string()))
    }

    /// Returns the newest commit of a branch with the state of its checks, which are read once.
    fn read_newest(&mut self, branch: &str) -> Result<NewestCommit, ForgeError> {
        if let Some(known) = self.bases.get(branch) {
            return Ok(known.clone());
        }
        let newest = match self.forge.branch_state(branch)? {
            None => NewestCommit::default(),
            Some(state) => {
                let checks = self.forge.commit_checks(&state.commit)?;
                let is_green = are_green(&checks);
                NewestCommit { commit: state.commit, is_green }
            }
        };
        self.bases.insert(branch.to_owned(), newest.clone());
        Ok(newest)
    }
}

/// Returns true for a refusal that is a fact about the pull request or the forge: it conflicts, its branch moved, or there
/// is no such call.
fn stays_out_of_date(error: &ForgeError) -> bool {
    matches!(error.fault, ForgeFault::Unsupported | ForgeFault::Invalid | ForgeFault::Exists)
}
