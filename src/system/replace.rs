//! Replaces a file of a folder at once.

use std::io;

use super::Tree;
use crate::domain::RepoPath;

/// Writes a file under another name, syncs it and renames it, so that a reader and a kill see the old or the new one.
/// A link at the path is replaced, because its target may be anywhere. Two writers must not do so at once.
pub fn replace_file(tree: &dyn Tree, path: &RepoPath, bytes: &[u8], mode: u32) -> io::Result<()> {
    let unfinished = RepoPath::parse(&format!("{path}.new")).map_err(io::Error::other)?;
    // A kill may have left one.
    match tree.remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    tree.create(&unfinished, bytes, mode)?;
    tree.rename(&unfinished, path)?;
    tree.sync_dir(path.parent().as_ref())
}
