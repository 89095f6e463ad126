//! Pushes one branch with a lease, so that a concurrent push by someone else is never overwritten.

use std::time::Duration;

use super::error::{GitError, GitFault};
use super::oid::Oid;
use super::program::Git;
use super::remote::Remote;

/// Retries of a push after a lost connection.
const RETRIES: u32 = 2;
/// The pause before the first of them.
const PAUSE: Duration = Duration::from_secs(1);

/// The state that the remote's branch must have for the push to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lease {
    /// There is none yet.
    Absent,
    /// It names this commit.
    At(Oid),
}

/// Pushes a commit to a branch of the remote. A connection that is lost leaves it open whether the
/// branch moved, so the remote is asked before the push is tried again.
///
/// # Errors
///
/// [`GitFault::LeaseLost`] if the branch is not at the commit of `lease` (it is not changed then),
/// [`GitFault::Refused`] for a rule, a hook or missing rights, [`GitFault::Authentication`], and
/// [`GitFault::Network`] after two retries, one and two seconds later.
pub fn push_branch(
    git: &Git<'_>,
    remote: &Remote,
    branch: &str,
    commit: &Oid,
    lease: &Lease,
) -> Result<(), GitError> {
    let mut pause = PAUSE;
    let is_there = || remote.commit_of(git, branch).is_ok_and(|tip| tip.as_ref() == Some(commit));
    for _ in 0..RETRIES {
        let lost = match push_once(git, remote, branch, commit, lease) {
            Err(error) if error.fault == GitFault::Network => error,
            // Git sends again by itself what it got no answer for, and then meets its own push.
            Err(error) if error.fault == GitFault::LeaseLost && !is_there() => return Err(error),
            Err(error) if error.fault != GitFault::LeaseLost => return Err(error),
            Ok(()) | Err(_) => return Ok(()),
        };
        if !git.system.clock.sleep(pause) {
            return Err(GitError { fault: GitFault::Interrupted, ..lost });
        }
        // The push may have arrived although its answer was lost.
        pause *= 2;
        if is_there() {
            return Ok(());
        }
    }
    push_once(git, remote, branch, commit, lease)
}

/// Deletes a branch of the remote that is at this commit.
///
/// # Errors
///
/// [`GitFault::LeaseLost`] if the branch is at another commit; it is not deleted then. There are no retries.
pub fn delete_branch(
    git: &Git<'_>,
    remote: &Remote,
    branch: &str,
    commit: &Oid,
) -> Result<(), GitError> {
    send_update(git, remote, branch, None, &Lease::At(commit.clone()))
}

/// Pushes once, with `--force-with-lease` on the tip that is expected.
fn push_once(
    git: &Git<'_>,
    remote: &Remote,
    branch: &str,
    commit: &Oid,
    lease: &Lease,
) -> Result<(), GitError> {
    send_update(git, remote, branch, Some(commit), lease)
}

/// Moves a branch of the remote to a commit, or deletes it.
fn send_update(
    git: &Git<'_>,
    remote: &Remote,
    branch: &str,
    commit: Option<&Oid>,
    lease: &Lease,
) -> Result<(), GitError> {
    let name = format!("refs/heads/{branch}");
    let expected = match lease {
        // An empty expectation means that the branch must not exist.
        Lease::Absent => "",
        Lease::At(oid) => oid.as_str(),
    };
    let lease = format!("--force-with-lease={name}:{expected}");
    let what = format!("{}:{name}", commit.map_or("", Oid::as_str));
    let arguments = [
        "push",
        "--porcelain",
        // A `pre-push` hook is a command that the repository chose.
        "--no-verify",
        "--no-follow-tags",
        // The configuration may ask to push submodules too, which are not part of the fix.
        "--recurse-submodules=no",
        &lease,
        "--",
        remote.address(),
        &what,
    ];
    let doing = format!("push `{branch}` to {}", remote.address());
    git.run_network(&doing, &arguments, &remote.credential_variables(git)).map(drop)
}
