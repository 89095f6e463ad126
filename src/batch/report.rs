//! Writes the summary of a batch in all of its formats, and merges those of shards.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::error::BatchError;
use super::resume::journal_path;
use super::row::TaskRow;
use super::session::{BatchSession, absolute_path};
use super::summary::{BatchSummary, MergeError, html, junit, markdown, merge_summaries};
use crate::fix::FixError;
use crate::fix::delivery::variable;
use papayu_base::domain::{OutcomeKind, Sha256};
use papayu_system::Disk as _;

/// Longest summary read.
const MAX_SUMMARY: u64 = 256 * 1024 * 1024;

/// The summary of a batch, and the folder that it was written to.
pub struct BatchReport {
    /// The folder of results.
    pub out: PathBuf,
    /// The summary, secrets masked.
    pub summary: BatchSummary,
    /// The folders of shards that have not ended; the summary has nothing of them.
    pub unfinished: Vec<PathBuf>,
    /// Why a publication had no fix to publish.
    pub nothing: Option<String>,
}

/// Merges the summaries of a batch's shards, and writes the result into the folder `out`. Shards that have not ended are
/// named, and the result is no success.
///
/// # Errors
///
/// [`FixError::Read`] if a summary cannot be read, [`BatchError::Merge`] if the shards are not of one batch,
/// [`BatchError::NotEnded`] if none of them has ended, and [`FixError::Write`] if a file cannot be written.
pub fn merge_folders(
    batch: &BatchSession,
    folders: &[PathBuf],
    out: &Path,
) -> Result<BatchReport, BatchError> {
    let out = absolute_path(out)?;
    let ShardSummaries { mut summary, folder_of, unfinished } = read_shards(batch, folders, None)?;
    note_unfinished(&mut summary, &unfinished);
    let results = |row: &TaskRow| {
        let shard = absolute_path(Path::new(folder_of.get(&row.name)?)).ok()?;
        // Only a path below the page is valid wherever the folder is moved to.
        let below = shard.strip_prefix(&out).ok()?.join(&row.name);
        below.to_str().map(str::to_owned)
    };
    let report = write_reports(batch, &out, summary, &results)?;
    Ok(BatchReport { unfinished, ..report })
}

/// The summary of all shards of a batch.
pub(super) struct ShardSummaries {
    pub(super) summary: BatchSummary,
    /// The folder of the shard that did a task, by the task's name.
    pub(super) folder_of: BTreeMap<String, String>,
    /// The folders of shards that have not ended.
    pub(super) unfinished: Vec<PathBuf>,
}

/// Reads and merges the summaries of a batch's shards. `digest` is the expected one of the only summary. A shard with a
/// journal and without a summary was killed or runs yet, and the others do not wait for it.
///
/// # Errors
///
/// [`FixError::Read`] if a summary cannot be read, [`BatchError::Merge`] if the shards are not of one batch or a
/// summary has another digest, and [`BatchError::NotEnded`] if no shard has a summary.
pub(super) fn read_shards(
    batch: &BatchSession,
    folders: &[PathBuf],
    digest: Option<Sha256>,
) -> Result<ShardSummaries, BatchError> {
    let (mut shards, mut unfinished) = (Vec::new(), Vec::new());
    let disk = &batch.session.disk;
    for folder in folders {
        let path = folder.join("summary.json");
        if !disk.is_file(&path) && disk.is_file(&journal_path(folder)) {
            unfinished.push(folder.clone());
            continue;
        }
        let bytes = batch.read_file(&path, MAX_SUMMARY)?;
        let found = Sha256::of(&bytes);
        if digest.is_some_and(|expected| expected != found) {
            let (shard, found) = (folder.display().to_string(), found.to_string());
            return Err(MergeError::OtherDigest { shard, found }.into());
        }
        let summary: Result<BatchSummary, _> = serde_json::from_slice(&bytes);
        let summary = summary.map_err(|error| FixError::Read { path, source: error.into() })?;
        shards.push((folder.display().to_string(), summary));
    }
    if let (true, Some(folder)) = (shards.is_empty(), unfinished.first()) {
        return Err(BatchError::NotEnded { folder: folder.clone() });
    }
    let (summary, folder_of) = merge_summaries(shards)?;
    Ok(ShardSummaries { summary, folder_of, unfinished })
}

/// Records the shards that have not ended: a part of a batch is never a success.
pub(super) fn note_unfinished(summary: &mut BatchSummary, unfinished: &[PathBuf]) {
    for folder in unfinished {
        let reason = format!("the batch in `{}` has not ended", folder.display());
        summary.add_stop(OutcomeKind::NotFixed, reason);
    }
}

/// Writes the masked summary into the folder `out`, and its Markdown to the page of the CI job. `results` returns
/// the folder of a task's results, relative to `out`.
///
/// # Errors
///
/// [`FixError::Write`] for the first file that cannot be written.
pub(super) fn write_reports(
    batch: &BatchSession,
    out: &Path,
    mut summary: BatchSummary,
    results: &dyn Fn(&TaskRow) -> Option<String>,
) -> Result<BatchReport, BatchError> {
    // Masked once, before any format is rendered.
    summary.mask(&batch.outside.masker);
    let json = serde_json::to_string_pretty(&summary).map(|text| text + "\n");
    write_file(batch, &out.join("summary.json"), json.map_err(io::Error::from))?;
    write_file(batch, &out.join("summary.md"), Ok(markdown(&summary)))?;
    write_file(batch, &out.join("junit.xml"), Ok(junit(&summary)))?;
    write_file(batch, &out.join("report.html"), Ok(html(&summary, results)))?;
    if let Some(path) = variable(&batch.session, "GITHUB_STEP_SUMMARY").map(PathBuf::from) {
        let written = batch.session.disk.append(&path, markdown(&summary).as_bytes());
        written.map_err(|source| FixError::Write { path, source })?;
    }
    Ok(BatchReport { out: out.to_owned(), summary, unfinished: Vec::new(), nothing: None })
}

/// Writes a file of the summary; an error names its path.
fn write_file(batch: &BatchSession, path: &Path, text: io::Result<String>) -> Result<(), FixError> {
    let written = text.and_then(|text| batch.session.disk.write(path, text.as_bytes()));
    written.map_err(|source| FixError::Write { path: path.to_owned(), source })
}
