//! Recognizes the branches that have our change and nothing of a person.

use std::cell::OnceCell;

use super::error::PublishError;
use super::marker::Marker;
use papayu_forge::PullRequest;
use papayu_forge::git::{BranchName, CarriedChange, Git, Oid, PartialCopy, Remote};

/// Reads the branches of pull requests from a remote.
pub struct BranchReader<'a> {
    git: &'a Git<'a>,
    remote: &'a Remote,
    /// Made for the first branch that is not at our own commit.
    copy: OnceCell<PartialCopy<'a>>,
}

impl<'a> BranchReader<'a> {
    /// Returns a reader; nothing is fetched yet.
    pub fn new(git: &'a Git<'a>, remote: &'a Remote) -> Self {
        Self { git, remote, copy: OnceCell::new() }
    }

    /// Returns the commit of its target that a branch is on, if the branch has the change of the marker on that commit and
    /// nothing else: the forge brought it up to date. `None` if a person worked on it, or nothing shows the contrary.
    ///
    /// # Errors
    ///
    /// `Git` when the remote cannot be read.
    pub(super) fn find_base(
        &self,
        pull: &PullRequest,
        tip: &str,
        marker: &Marker,
    ) -> Result<Option<Oid>, PublishError> {
        let commits = (Oid::parse(tip), Oid::parse(&marker.commit));
        let (Some(tip), Some(change)) = commits else { return Ok(None) };
        let Some(target) = BranchName::parse(&pull.base) else { return Ok(None) };
        let carried = CarriedChange {
            // Not that of the pull request, which the forge names.
            branch: &marker.fingerprint.branch(),
            tip: &tip,
            change: &change,
            target: target.as_str(),
        };
        Ok(self.open_copy()?.find_base_of(carried)?)
    }

    /// Returns the temporary repository, made on first use. Fails with the error of git or of the disk.
    fn open_copy(&self) -> Result<&PartialCopy<'a>, PublishError> {
        if let Some(copy) = self.copy.get() {
            return Ok(copy);
        }
        let made = PartialCopy::create(self.git, self.remote)?;
        Ok(self.copy.get_or_init(|| made))
    }
}
