//! Compares the tree with a change once more, just before anything is written.

use std::collections::HashSet;

use papayu_base::domain::RepoPath;
use papayu_patch::preview::{Change, Preview};
use papayu_system::{Entry, Tree};

use super::ApplyError;
use super::step::{Image, PathChange, What};

/// Permission bits of new files, as most tools create them with the usual umask of 022.
const NEW_FILE: u32 = 0o644;

/// Returns the changes as steps for the journal, without those that change nothing.
///
/// # Errors
///
/// `BaseMismatch` where the tree differs from the one the change was made for: other bytes,
/// something in the place of a new file, a link on the way. `Reserved` for paths of git and of this
/// program.
pub(super) fn plan_steps(
    tree: &dyn Tree,
    preview: &Preview,
) -> Result<Vec<PathChange>, ApplyError> {
    let mut seen = HashSet::new();
    let mut steps: Vec<PathChange> = Vec::new();
    for change in preview.changes() {
        let path = change.path();
        if is_reserved(path) {
            return Err(ApplyError::Reserved { path: path.clone() });
        }
        // Compared by identity: some file systems take two spellings for one file.
        if !seen.insert(path.identity()) {
            return Err(base_mismatch(path, "is changed twice"));
        }
        match tree.resolve(path) {
            Ok(real) if real == *path => {}
            Ok(_) => return Err(base_mismatch(path, "is reached through a link by now")),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                return Err(base_mismatch(
                    path,
                    "is reached through a link that leaves the repository",
                ));
            }
            Err(source) => return Err(ApplyError::Read { path: path.clone(), source }),
        }
        // Links on the way were excluded, so the entry is that of the path itself.
        let entry = tree.entry(path).map_err(ApplyError::read_failed(path))?;
        if matches!(change, Change::CreateDir { .. } | Change::CreateFile { .. }) {
            check_new_place(tree, path, &steps)?;
        }
        steps.extend(
            plan_step(tree, change, &entry)?.map(|what| PathChange { path: path.clone(), what }),
        );
    }
    Ok(steps)
}

/// Refuses a new path without a folder, or with a neighbour of the same name in another spelling.
fn check_new_place(
    tree: &dyn Tree,
    path: &RepoPath,
    steps: &[PathChange],
) -> Result<(), ApplyError> {
    let folder = path.parent();
    if let Some(folder) = &folder {
        if steps.iter().any(|step| step.path == *folder && step.what == What::MakeDir) {
            return Ok(());
        }
        if tree.entry(folder).map_err(ApplyError::read_failed(folder))? != Entry::Dir {
            return Err(base_mismatch(path, "has no folder to go into any more"));
        }
    }
    let names = tree.list(folder.as_ref()).map_err(ApplyError::read_failed(path))?;
    for name in names.iter().filter(|name| *name != path.file_name()) {
        let other = match &folder {
            None => RepoPath::parse(name),
            Some(folder) => folder.join(name),
        };
        if other.is_ok_and(|other| other.identity() == path.identity()) {
            return Err(base_mismatch(path, "exists in another spelling by now"));
        }
    }
    Ok(())
}

/// Returns true for paths of git and of this program: neither a change nor a journal that came with
/// the repository may touch them.
pub(super) fn is_reserved(path: &RepoPath) -> bool {
    let identity = path.identity();
    identity.split('/').any(|segment| segment == ".git")
        || identity.split('/').next() == Some(".papa-yu")
}

/// Returns what a change does to a path as it is now; `None` if there is nothing to do, as for a
/// folder that exists.
fn plan_step(tree: &dyn Tree, change: &Change, entry: &Entry) -> Result<Option<What>, ApplyError> {
    let path = change.path();
    match (change, entry) {
        (Change::CreateDir { .. }, Entry::Missing) => Ok(Some(What::MakeDir)),
        (Change::CreateFile { after, .. }, Entry::Missing) => {
            let after = Some(Image { bytes: after.clone(), mode: NEW_FILE, owner: None });
            Ok(Some(What::File { before: None, after }))
        }
        (Change::WriteFile { before, after, .. }, Entry::File { mode, owner, .. }) => {
            check_unchanged(tree, path, entry, before)?;
            let image =
                |bytes: &Vec<u8>| Some(Image { bytes: bytes.clone(), mode: *mode, owner: *owner });
            // A write that changes nothing would only touch the time stamp, and rebuild what
            // depends on the file.
            let what = What::File { before: image(before), after: image(after) };
            Ok(Some(what).filter(|_| before != after))
        }
        (Change::RemoveFile { before, .. }, Entry::File { mode, owner, .. }) => {
            check_unchanged(tree, path, entry, before)?;
            let before = Some(Image { bytes: before.clone(), mode: *mode, owner: *owner });
            Ok(Some(What::File { before, after: None }))
        }
        (Change::RemoveDir { .. }, Entry::Dir) => Ok(Some(What::DropDir)),
        (Change::CreateDir { .. } | Change::CreateFile { .. }, _) => {
            Err(base_mismatch(path, "exists by now"))
        }
        (_, Entry::Missing) => Err(base_mismatch(path, "is deleted")),
        _ => Err(base_mismatch(path, "is no longer what it was when it was read")),
    }
}

/// Checks that a file is as the change expects it. The length is compared first, since it needs no
/// reading.
fn check_unchanged(
    tree: &dyn Tree,
    path: &RepoPath,
    entry: &Entry,
    before: &[u8],
) -> Result<(), ApplyError> {
    let same_length = matches!(entry, Entry::File { len, .. } if *len == before.len() as u64);
    // A file of another length differs, and may be too large to read.
    if same_length
        && tree.read(path, before.len() as u64).map_err(ApplyError::read_failed(path))? == before
    {
        return Ok(());
    }
    Err(base_mismatch(path, "changed since it was read"))
}

/// Returns the error of a file that changed since it was read.
pub(super) fn base_mismatch(path: &RepoPath, reason: &'static str) -> ApplyError {
    ApplyError::BaseMismatch { path: path.clone(), reason }
}
