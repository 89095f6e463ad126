//! The files that a change touches.

use crate::patch::{Change, Preview};

/// Returns the files a change touches, sorted, each once.
pub fn changed_files(preview: &Preview) -> Vec<String> {
    let changes = preview.changes().iter();
    let is_folder =
        |change: &&Change| matches!(change, Change::CreateDir { .. } | Change::RemoveDir { .. });
    let files = changes.filter(|change| !is_folder(change));
    let mut files: Vec<String> = files.map(|change| change.path().to_string()).collect();
    files.sort_unstable();
    files.dedup();
    files
}
