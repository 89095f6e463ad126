//! The place that a fix is published to.

use papayu_base::domain::EventSink;
use papayu_forge::Forge;
use papayu_forge::git::{Git, Remote};

/// The repository, the remote and the forge that a pull request needs.
pub struct PublishTarget<'a> {
    /// The repository.
    pub git: &'a Git<'a>,
    /// The remote that branches are pushed to.
    pub remote: &'a Remote,
    /// The forge of the pull requests.
    pub forge: &'a dyn Forge,
    /// Receives `BRANCH_PUSHED` and `PULL_REQUEST_READY`.
    pub events: &'a dyn EventSink,
}
