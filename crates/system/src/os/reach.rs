//! The folders that commands can change, in which this program writes through no link.
//!
//! A command of a repository, or the repository itself, may put a link or a pipe in the place of an output: the file at
//! its end would be overwritten with the rights of this program, or the write would wait for ever.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folders, with links resolved. It is global, because a write to an output does not know
/// which repositories are open.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Adds a folder that commands can change.
pub(super) fn add_folder(folder: &Path) {
    let Ok(folder) = folder.canonicalize() else { return };
    // All files would be outputs of commands.
    if folder.parent().is_none() {
        return;
    }
    let mut known = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.contains(&folder) {
        known.push(folder);
    }
}

/// Returns `true` if a path is in one of the folders that commands can change.
///
/// # Errors
///
/// Returns an error with the name of the link, if a folder on the way to the path is a link and
/// inside such a folder.
pub(super) fn check_place(path: &Path) -> io::Result<bool> {
    let absolute = std::path::absolute(path)?;
    let folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut is_inside = false;
    let mut place = PathBuf::new();
    let mut parts = absolute.components().peekable();
    while let Some(part) = parts.next() {
        place.push(part);
        if is_inside && part == Component::ParentDir {
            is_inside = is_known(&folders, &place);
        } else if is_inside && parts.peek().is_some() {
            let is_link = fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink());
            if is_link {
                let message = format!("`{}` is a link", place.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        } else if !is_inside {
            is_inside = is_known(&folders, &place);
        }
    }
    Ok(is_inside)
}

/// Returns `true` if a folder is one of the folders, or below one.
fn is_known(folders: &[PathBuf], place: &Path) -> bool {
    let real = place.canonicalize();
    real.is_ok_and(|real| folders.iter().any(|folder| real.starts_with(folder)))
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
