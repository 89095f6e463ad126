//! The folders that commands can change, in which this program writes through no link.
//!
//! A command of a repository, or the repository itself, may put a link or a pipe in the place of an output: the file at
//! its end would be overwritten with the rights of this program, or the write would wait for ever.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folders, with links resolved. It is global, because a write to an output does not know
/// which repositories are open. A batch adds one for each task.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Adds a folder that commands can change.
pub(super) fn add_folder(folder: &Path) {
    let Ok(folder) = folder.canonicalize() else { return };
    // All files would be outputs of commands.
    if folder.parent().is_none() {
        return;
    }
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).insert(folder);
}

/// Returns `true` if a path is in one of the folders that commands can change.
///
/// # Errors
///
/// Returns an error with the name of the link, if a folder on the way to the path is a link and
/// inside such a folder.
pub(super) fn check_place(path: &Path) -> io::Result<bool> {
    let absolute = std::path::absolute(path)?;
    let mut is_inside = false;
    let mut place = PathBuf::new();
    // The place without links; `None` from the first part that does not exist.
    let mut real = Some(PathBuf::new());
    let mut parts = absolute.components().peekable();
    while let Some(part) = parts.next() {
        place.push(part);
        let next = real.as_deref().and_then(|real| enter(real, part));
        let is_link = next.as_ref().is_some_and(|next| next.is_link);
        if is_inside && is_link && part != Component::ParentDir && parts.peek().is_some() {
            let message = format!("`{}` is a link", place.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        real = next.map(|next| next.real);
        if !is_inside || part == Component::ParentDir {
            is_inside = real.as_deref().is_some_and(is_known);
        }
    }
    Ok(is_inside)
}

/// An entry of a folder.
struct Entered {
    /// Its path without links.
    real: PathBuf,
    is_link: bool,
}

/// Returns the entry to which the next part of a path leads; `None` if there is none.
fn enter(folder: &Path, part: Component<'_>) -> Option<Entered> {
    if part == Component::ParentDir {
        let real = folder.parent().unwrap_or(folder).to_owned();
        return Some(Entered { real, is_link: false });
    }
    let real = folder.join(part);
    let is_link = fs::symlink_metadata(&real).ok()?.is_symlink();
    let real = if is_link { real.canonicalize().ok()? } else { real };
    Some(Entered { real, is_link })
}

/// Returns `true` if a folder, without links in its path, is one of the folders, or below one.
fn is_known(real: &Path) -> bool {
    let folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    real.ancestors().any(|folder| folders.contains(folder))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test makes the folders itself")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_in_a_folder_of_commands_is_no_way_to_an_output() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for folder in ["repo/real", "own"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        symlink(root.join("own"), root.join("repo/link")).unwrap();
        symlink(root.join("repo"), root.join("alias")).unwrap();
        symlink(root.join("own"), root.join("outside")).unwrap();
        add_folder(&root.join("alias"));
        let check = |path: &str| check_place(&root.join(path)).ok();
        for inside in ["repo/a", "repo/real/new/a", "alias/a", "repo/real/../a", "own/../repo/a"] {
            assert_eq!(check(inside), Some(true), "{inside}");
        }
        for outside in ["own/a", "outside/a", "new/a", "repo/../own/a", "repo/real/../../outside/a"]
        {
            assert_eq!(check(outside), Some(false), "{outside}");
        }
        for link in ["repo/link/a", "alias/link/a", "repo/real/../link/a", "repo/link/new/a"] {
            assert_eq!(check(link), None, "{link}");
        }
        assert_eq!(check("repo/link"), Some(true), "the place itself is replaced");
    }
}
