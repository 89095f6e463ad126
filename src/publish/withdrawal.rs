//! Closes pull requests of this program after their failure was fixed elsewhere, and no others.

use super::marker::Marker;
use papayu_forge::git::Oid;
use papayu_forge::{Forge, ForgeError, PullClosing, PullRequest};

/// Closes a pull request of ours with a reason. The caller knows that it has no work of a person.
///
/// # Errors
///
/// Those of the forge.
pub fn withdraw(forge: &dyn Forge, pull: &PullRequest, reason: &str) -> Result<(), ForgeError> {
    let Some(marker) = read_own_marker(pull) else { return Ok(()) };
    let marker = Marker { is_withdrawn: true, ..marker };
    let comment = format!(
        "papayu-batch closes this pull request: {reason}. When the failure comes back, it opens another one.\n"
    );
    let body = marker.replace_in(&pull.body);
    forge.close(pull.number, &PullClosing { comment, body })
}

/// Returns true when a pull request of ours was made on this commit.
pub fn is_for_commit(pull: &PullRequest, commit: &Oid) -> bool {
    read_own_marker(pull).is_some_and(|marker| marker.base == commit.as_str())
}

/// Returns the marker of a pull request from the branch that the marker names; `None` for any other pull
/// request.
pub(super) fn read_own_marker(pull: &PullRequest) -> Option<Marker> {
    let marker = Marker::read(&pull.body)?;
    // A body can be copied into the pull request of another branch.
    (marker.fingerprint.branch() == pull.head).then_some(marker)
}
