//! A proved change with the facts for its commit and its pull request.

use std::collections::BTreeMap;

use super::error::PublishError;
use super::snapshot::CommitFacts;
use papayu_base::domain::{FailureReport, Fingerprint, Outcome, RepoPath, RunId, Sha256};
use papayu_base::text::Masker;
use papayu_forge::git::{self, BranchName, CommitEntry, FileChange, Git, Oid, PreviewBase};
use papayu_vet::{self as vet, FileSides, Policy, Snapshot, VettedChange};

/// A proved change, ready to be committed.
#[derive(Clone, Debug)]
pub struct ProvedFix {
    /// The run that made it.
    pub run_id: RunId,
    /// The name of the failure it fixes.
    pub fingerprint: Fingerprint,
    /// The commit that it was made and proved on.
    pub base: Oid,
    /// The branch of that commit, where known.
    pub base_branch: Option<BranchName>,
    /// The files as git stores them.
    pub files: VettedFiles,
    /// The outcome of the run, with the proof.
    pub outcome: Outcome,
    /// The failures, secrets masked.
    pub failure: FailureReport,
    /// The author's summary, secrets masked; untrusted.
    pub summary: String,
}

/// A vetted change as git stores it. Its two constructors take a [`VettedChange`] or make one, so a
/// change that was not vetted cannot be published.
#[derive(Clone, Debug)]
pub struct VettedFiles {
    files: Vec<FileChange>,
    /// The files of the base commit.
    entries: Vec<(String, CommitEntry)>,
}

impl VettedFiles {
    /// Returns the files of a run's change as git stores them.
    ///
    /// # Errors
    ///
    /// Those of [`git::from_preview`].
    pub fn of_change(
        git: &Git<'_>,
        base: PreviewBase<'_>,
        change: &VettedChange,
    ) -> Result<Self, PublishError> {
        let files = git::from_preview(git, base, change.whole())?;
        Ok(Self { files, entries: base.entries.to_vec() })
    }

    /// Returns the files of a bundle after vetting them again on the commit `base`.
    ///
    /// # Errors
    ///
    /// `Tampered` when a file is not in the commit as the bundle says, `Gate` with the refusal of
    /// [`vet::vet_files`].
    pub(super) fn of_bundle(
        git: &Git<'_>,
        base: &Oid,
        files: Vec<FileChange>,
        policy: &Policy,
        masker: &Masker,
    ) -> Result<Self, PublishError> {
        let entries = git.list_entries(base)?;
        let mut sides = Vec::new();
        let mut bytes: BTreeMap<RepoPath, Vec<u8>> = BTreeMap::new();
        for file in &files {
            let entry = entries.iter().find(|(name, _)| name == file.path.as_str());
            if entry.map(|(_, entry)| &entry.oid) != file.before.as_ref() {
                let reason = format!("`{}` is different in {base}", file.path);
                return Err(PublishError::Tampered(reason));
            }
            // From git, not from the bundle: the gates compare with bytes that no bundle can forge.
            let before = file.before.as_ref().map(|oid| git.read_blob(oid)).transpose()?;
            bytes.extend(before.clone().map(|before| (file.path.clone(), before)));
            sides.push(FileSides { path: file.path.clone(), before, after: file.after.clone() });
        }
        let shown = bytes.iter().map(|(path, bytes)| (path.clone(), Sha256::of(bytes))).collect();
        let facts = CommitFacts::new(&entries, bytes);
        let snapshot = Snapshot { files: &facts, shown: &shown, earlier: None, masker };
        // The result is not used: it has the bytes of `files`, which also have the modes.
        vet::vet_files(sides, &snapshot, policy).map_err(PublishError::Gate)?;
        drop(facts);
        Ok(Self { files, entries })
    }

    /// Wraps files for a test of the texts about them.
    #[cfg(test)]
    pub(super) fn for_test(files: Vec<FileChange>) -> Self {
        Self { files, entries: Vec::new() }
    }

    /// Returns the files.
    pub fn as_slice(&self) -> &[FileChange] {
        &self.files
    }

    /// Returns the files of the base commit.
    pub fn base_entries(&self) -> &[(String, CommitEntry)] {
        &self.entries
    }
}
