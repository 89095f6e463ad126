//! The values that every stage of one run works with.

use super::runtime::Runtime;
use super::session::Session;
use papayu_base::domain::EventSink;
use papayu_forge::git::{Git, GitError};

/// A repository with its settings, the access to the system, and the receiver of events.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    /// The repository and the settings.
    pub(crate) session: &'a Session,
    /// Processes, network, clock, and the secrets to mask.
    pub(crate) runtime: &'a Runtime,
    /// The receiver of events.
    pub(crate) events: &'a dyn EventSink,
}

impl<'a> RunContext<'a> {
    /// Returns git in the folder of the run.
    ///
    /// Fails as [`open_git`] does.
    pub(crate) fn open_git(self) -> Result<Git<'a>, GitError> {
        open_git(self.session, self.runtime)
    }
}

/// Returns git in the folder of a session, which is searched for its repository once.
///
/// Fails as [`Git::open`] does.
pub(super) fn open_git<'a>(
    session: &'a Session,
    runtime: &'a Runtime,
) -> Result<Git<'a>, GitError> {
    let (system, environment, masker) = (runtime.system(), &session.environment, &runtime.masker);
    if let Some(place) = session.git_place.get() {
        return Ok(Git::at_place(system, place.clone(), environment, masker));
    }
    let git = Git::open(system, session.tree.root(), environment, masker)?;
    // Another thread may have been faster; it found the same.
    let _ = session.git_place.set(git.place().clone());
    Ok(git)
}
