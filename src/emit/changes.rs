//! The files that a change touches.

use crate::patch::{Change, Preview};

/// Returns the files a change touches, sorted, each once.
pub fn changed_files(preview: &Preview) -> Vec<String> {
    let file = |change: &Change| match change {
        Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
        change => Some(change.path().to_string()),
    };
    let mut files: Vec<String> = preview.changes().iter().filter_map(file).collect();
    files.sort_unstable();
    files.dedup();
    files
}
