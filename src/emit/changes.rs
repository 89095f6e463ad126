//! The files that a change touches.

use papayu_patch::{Change, Preview};

/// Returns the files a change touches, sorted, each once.
/// Folders are left out: git does not track them, and the list is compared with git's.
pub fn changed_files(preview: &Preview) -> Vec<String> {
    let changes = preview.changes().iter();
    // Only the kind of a change separates a folder from a file here: the path has no trailing
    // `/`.
    let is_folder =
        |change: &&Change| matches!(change, Change::CreateDir { .. } | Change::RemoveDir { .. });
    let files = changes.filter(|change| !is_folder(change));
    let mut files: Vec<String> = files.map(|change| change.path().to_string()).collect();
    // An overlay may have several changes of one path, a removal and a creation for example.
    files.sort_unstable();
    files.dedup();
    files
}
