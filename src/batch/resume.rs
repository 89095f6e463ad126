//! Decides whether a call begins a batch or resumes the one in its folder of results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::BatchError;
use super::journal::{BatchHead, BatchHistory, BatchJournal};
use super::select::Shard;
use super::session::BatchSession;
use crate::settings::FlagValue;
use papayu_base::domain::Sha256;

/// The wish of the user about an earlier batch in the same folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartMode {
    /// Begin a batch, unless an earlier one has not ended.
    #[default]
    New,
    /// Resume the batch; tasks that ended are not done again.
    Resume,
    /// Resume the batch, and do tasks again that did not end well.
    RetryFailed,
    /// Begin a batch in any case.
    Restart,
}

/// A call's request for the folder of results.
pub(super) struct StartRequest<'a> {
    /// The way to treat a batch that is there: begin, continue or replace it.
    pub(super) mode: StartMode,
    /// The digest of the manifest.
    pub(super) manifest: &'a Sha256,
    pub(super) shard: Option<Shard>,
    /// The settings of every task, which may not change when the batch is continued.
    pub(super) flags: Vec<FlagValue>,
    /// The folder of results.
    pub(super) out: &'a Path,
}

impl StartRequest<'_> {
    /// Returns the history of the batch that the call resumes; an empty one where it begins a batch.
    ///
    /// # Errors
    ///
    /// [`BatchError::Unfinished`], [`BatchError::OtherManifest`] or [`BatchError::OtherFlags`] if the folder
    /// has a batch that the call must not replace and cannot resume, and [`BatchError::Fix`] if its journal
    /// cannot be read.
    pub(super) fn read_history(&self, batch: &BatchSession) -> Result<BatchHistory, BatchError> {
        let history = BatchHistory::read(&batch.session.disk, &journal_path(self.out))?;
        Ok(if self.resumes(&history)? { history } else { BatchHistory::default() })
    }

    /// Returns `true` if an earlier call is continued. The manifest and the flags must be the same,
    /// so that the rows of both calls mean the same.
    fn resumes(&self, history: &BatchHistory) -> Result<bool, BatchError> {
        let folder = self.out.to_owned();
        let Some(head) = &history.head else { return Ok(false) };
        let is_same = head.manifest == self.manifest.to_string();
        match self.mode {
            StartMode::Restart => return Ok(false),
            // Shards of one batch may be done one after the other in one folder.
            StartMode::New if is_same && history.continues_with(self.shard) => {}
            StartMode::New if history.complete => return Ok(false),
            StartMode::New => return Err(BatchError::Unfinished { folder }),
            StartMode::Resume | StartMode::RetryFailed => {}
        }
        if !is_same {
            return Err(BatchError::OtherManifest { folder });
        }
        // Tasks of one batch should not run with different settings by accident.
        let flags = history.changed_flags(&self.flag_digests());
        if self.mode != StartMode::RetryFailed && !flags.is_empty() {
            return Err(BatchError::OtherFlags { folder, flags });
        }
        Ok(true)
    }

    /// Opens the journal: continues that of `history`, or begins one in its place.
    ///
    /// Fails with [`FixError`](crate::fix::FixError) if the file cannot be written.
    pub(super) fn open_journal<'b>(
        &self,
        batch: &'b BatchSession,
        history: &BatchHistory,
    ) -> Result<BatchJournal<'b>, BatchError> {
        let (path, disk) = (journal_path(self.out), &batch.session.disk);
        let head = BatchHead {
            manifest: self.manifest.to_string(),
            flags: self.flag_digests(),
            started_at: batch.outside.started.clone(),
        };
        if history.head.is_none() {
            return Ok(BatchJournal::create(disk, &path, head)?);
        }
        let journal = BatchJournal::resume(disk, &path, history)?;
        if !history.changed_flags(&head.flags).is_empty() {
            journal.record_head(head)?;
        }
        Ok(journal)
    }

    /// Returns the digest of each flag's value, by the flag's name.
    fn flag_digests(&self) -> BTreeMap<String, String> {
        let mut digests = BTreeMap::new();
        for (_, value, flag) in &self.flags {
            // A digest is enough to compare, and the journal may be public.
            digests.insert((*flag).to_owned(), Sha256::of(value.as_bytes()).to_string());
        }
        digests
    }
}

/// Returns the path of the journal in a folder of results.
pub(super) fn journal_path(out: &Path) -> PathBuf {
    out.join("journal.jsonl")
}
