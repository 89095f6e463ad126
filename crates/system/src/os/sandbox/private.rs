//! The home and the folder for temporary files that the commands of a run have for themselves.
#![expect(clippy::disallowed_methods, reason = "the folder is outside the repository")]

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::hidden::Hidden;
use crate::os::environment::temporary_folder;

/// A folder with a home and a folder for temporary files; it goes with the value.
#[derive(Debug)]
pub(super) struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Makes the folder. Its home has links to what commands may see in the user's home, so that tools find their
    /// settings, and new files do not get into the user's home.
    ///
    /// Fails with the error of the disk. The folder is removed then, except if it could not be opened after it
    /// was made.
    pub(super) fn create(home: Option<&Path>, hidden: &Hidden) -> io::Result<Self> {
        // Paths of sockets have at most 107 bytes, so the name is short.
        let id = uuid::Uuid::new_v4().simple().to_string();
        let name = format!("papayu-{}", id.get(..8).unwrap_or_default());
        let root = temporary_folder().join(name);
        DirBuilder::new().mode(0o700).create(&root)?;
        let folder = Self(root.canonicalize()?);
        fs::create_dir(folder.temporary())?;
        fs::create_dir(folder.home())?;
        for visible in home.map(|home| hidden.visible_in(home)).into_iter().flatten() {
            let Some(place) = home.and_then(|home| visible.path.strip_prefix(home).ok()) else {
                continue;
            };
            let link = folder.home().join(place);
            fs::create_dir_all(link.parent().unwrap_or(&link))?;
            symlink(&visible.path, &link)?;
        }
        Ok(folder)
    }

    /// Returns the whole folder.
    pub(super) fn root(&self) -> &Path {
        &self.0
    }

    /// Returns the home.
    pub(super) fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    /// Returns the folder for temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.0.join("tmp")
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.0).is_err() {
            // Some tools make their caches read-only.
            make_writable(&self.0);
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Makes folders writable, the given one and all below, so that they can be removed.
fn make_writable(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}
