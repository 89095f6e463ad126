//! Writes the summary of a batch in all of its formats, and merges those of shards.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::error::BatchError;
use super::row::TaskRow;
use super::session::{BatchSession, absolute_path};
use super::summary::{BatchSummary, MergeError, html, junit, markdown, merge_summaries};
use crate::fix::FixError;
use crate::fix::delivery::variable;
use papayu_base::domain::Sha256;
use papayu_system::Disk as _;

/// Longest summary read.
const MAX_SUMMARY: u64 = 256 * 1024 * 1024;

/// The summary of a batch, and the folder that it was written to.
pub struct BatchReport {
    /// The folder of results.
    pub out: PathBuf,
    /// The summary, secrets masked.
    pub summary: BatchSummary,
}

/// Merges the summaries of a batch's shards, and writes the result into the folder `out`.
///
/// # Errors
///
/// [`FixError::Read`] if a summary cannot be read, [`BatchError::Merge`] if the shards are not of one batch,
/// and [`FixError::Write`] if a file cannot be written.
pub fn merge_folders(
    batch: &BatchSession,
    folders: &[PathBuf],
    out: &Path,
) -> Result<BatchReport, BatchError> {
    let out = absolute_path(out)?;
    let ShardSummaries { summary, folder_of } = read_shards(batch, folders, None)?;
    let results = |row: &TaskRow| {
        let shard = absolute_path(Path::new(folder_of.get(&row.name)?)).ok()?;
        // Only a path below the page is valid wherever the folder is moved to.
        let below = shard.strip_prefix(&out).ok()?.join(&row.name);
        below.to_str().map(str::to_owned)
    };
    write_reports(batch, &out, summary, &results)
}

/// The summary of all shards of a batch.
pub(super) struct ShardSummaries {
    pub(super) summary: BatchSummary,
    /// The folder of the shard that did a task, by the task's name.
    pub(super) folder_of: BTreeMap<String, String>,
}

/// Reads and merges the summaries of a batch's shards. `digest` is the expected one of the only summary.
///
/// # Errors
///
/// [`FixError::Read`] if a summary cannot be read, and [`BatchError::Merge`] if the shards are not of one batch or a
/// summary has another digest.
pub(super) fn read_shards(
    batch: &BatchSession,
    folders: &[PathBuf],
    digest: Option<Sha256>,
) -> Result<ShardSummaries, BatchError> {
    let mut shards = Vec::new();
    for folder in folders {
        let path = folder.join("summary.json");
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
    let (summary, folder_of) = merge_summaries(shards)?;
    Ok(ShardSummaries { summary, folder_of })
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
    Ok(BatchReport { out: out.to_owned(), summary })
}

/// Writes a file of the summary; an error names its path.
fn write_file(batch: &BatchSession, path: &Path, text: io::Result<String>) -> Result<(), FixError> {
    let written = text.and_then(|text| batch.session.disk.write(path, text.as_bytes()));
    written.map_err(|source| FixError::Write { path: path.to_owned(), source })
}
