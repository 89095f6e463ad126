//! Reads traces back: bounded, tolerant of fields of a later version.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{TraceError, TraceFault};
use super::record::TraceRecord;
use crate::Disk;

/// The longest file read, in bytes: a change has at most 5 MiB, and JSON at worst sextuples it.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the trace in that file.
///
/// # Errors
///
/// [`TraceError`] if the file cannot be read, is longer than 64 MiB, or is no trace.
pub fn read(disk: &dyn Disk, path: &Path) -> Result<TraceRecord, TraceError> {
    json(disk, path)
}

/// Returns the golden trace in that file; `papayu-batch trace check` compares its form.
///
/// # Errors
///
/// [`TraceError`] if the file cannot be read, is longer than 64 MiB, or is no JSON.
pub fn read_golden(disk: &dyn Disk, path: &Path) -> Result<Value, TraceError> {
    json(disk, path)
}

/// Returns the `.json` files of a folder, sorted by name; empty when there is no such folder.
///
/// # Errors
///
/// [`TraceError`] if the folder exists and cannot be listed.
pub fn files(disk: &dyn Disk, folder: &Path) -> Result<Vec<PathBuf>, TraceError> {
    let mut all = disk
        .list(folder)
        .map_err(|error| TraceError { path: folder.to_owned(), fault: error.into() })?;
    all.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    // Opening a pipe or a folder with this ending would block or fail.
    all.retain(|path| disk.is_file(path));
    Ok(all)
}

/// Returns the golden traces of a path: the file itself, or the `.json` files of a folder and its
/// subfolders.
///
/// # Errors
///
/// [`TraceError`] for a folder that cannot be listed.
pub fn golden_files(disk: &dyn Disk, path: &Path) -> Result<Vec<PathBuf>, TraceError> {
    if disk.is_file(path) {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = files(disk, path)?;
    let entries = disk
        .list(path)
        .map_err(|error| TraceError { path: path.to_owned(), fault: error.into() })?;
    // A name with an ending is a file of another kind.
    for folder in entries.iter().filter(|entry| entry.extension().is_none()) {
        if !disk.is_file(folder) {
            found.extend(golden_files(disk, folder)?);
        }
    }
    Ok(found)
}

/// Reads a JSON file; an error names its path.
fn json<T: DeserializeOwned>(disk: &dyn Disk, path: &Path) -> Result<T, TraceError> {
    bytes(disk, path)
        // Unknown fields are ignored, so that later versions can add some.
        .and_then(|bytes| Ok(serde_json::from_slice(&bytes)?))
        .map_err(|fault| TraceError { path: path.to_owned(), fault })
}

/// Reads a file up to the limit.
fn bytes(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, TraceFault> {
    let mut bytes = Vec::new();
    // One byte over the limit shows that the file is longer.
    disk.open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TraceFault::TooLarge { limit: MAX_BYTES });
    }
    Ok(bytes)
}
