//! The results of tasks in the object store: a report needs no disk that the machines share.

use std::path::Path;

use super::fault::QueueError;
use super::records::Queue;
use crate::batch::row::TaskRow;
use papayu_base::domain::RepoPath;
use papayu_system::os::nats::NatsQueue;
use papayu_system::{Disk, Entry, Tree};

/// Longest file that is stored, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Folders of results that are stored, besides the files of the task.
const STORED: [&str; 2] = ["bundle", "bundle/files"];

/// Stores the files of a task's folder of results and of its bundle. A folder that cannot be read has none.
pub(super) fn store_results(
    queue: &Queue<'_>,
    disk: &dyn Disk,
    out: &Path,
    name: &str,
) -> Result<(), QueueError> {
    let Ok(tree) = disk.open_tree(&out.join(name)) else { return Ok(()) };
    for folder in std::iter::once(None).chain(STORED.map(Some)) {
        for path in list_files(tree.as_ref(), folder) {
            let Ok(bytes) = tree.read(&path, MAX_FILE) else { continue };
            queue.ask(|link| link.put_result(&format!("{name}/{path}"), &bytes))?;
        }
    }
    Ok(())
}

/// Returns the files of a folder in a tree.
fn list_files(tree: &dyn Tree, folder: Option<&str>) -> Vec<RepoPath> {
    let at = folder.and_then(|folder| RepoPath::parse(folder).ok());
    let names = tree.list(at.as_ref()).unwrap_or_default().into_iter();
    let prefix = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
    let paths = names.filter_map(|name| RepoPath::parse(&format!("{prefix}{name}")).ok());
    paths.filter(|path| matches!(tree.entry(path), Ok(Entry::File { .. }))).collect()
}

/// Writes the stored results of all rows into the folder `out`.
///
/// Fails with [`QueueError::Server`], and with [`QueueError::Damaged`] if a file cannot be written.
pub(super) fn fetch_results(
    queue: &Queue<'_>,
    disk: &dyn Disk,
    out: &Path,
    rows: &[TaskRow],
) -> Result<(), QueueError> {
    for object in queue.ask(NatsQueue::list_results)? {
        // Anyone who can write to the queue chooses the names.
        let Ok(path) = RepoPath::parse(&object) else { continue };
        let name = path.segments().next().unwrap_or_default();
        if path.segments().count() < 2 || !rows.iter().any(|row| row.name == name) {
            continue;
        }
        let found = queue.ask(|link| link.get_result(&object, MAX_FILE))?;
        let Some(bytes) = found else { continue };
        let written = disk.write(&out.join(path.as_str()), &bytes);
        written
            .map_err(|error| QueueError::Damaged(format!("`{path}` cannot be written: {error}")))?;
    }
    Ok(())
}
