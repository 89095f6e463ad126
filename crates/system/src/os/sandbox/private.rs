//! The home and the folder for temporary files that the commands of a run have for themselves.
#![expect(clippy::disallowed_methods, reason = "the folder is outside the repository")]

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::hidden::Hidden;
use super::place::{Areas, PathEnd, PlaceSearch};
use crate::os::temporary::TemporaryFolder;

/// A folder with a home and a folder for temporary files; it goes with the value.
#[derive(Debug)]
pub(super) struct PrivateFolder {
    /// Without links.
    root: PathBuf,
    _folder: TemporaryFolder,
}

impl PrivateFolder {
    /// Makes the folder. Its home has links to what commands may see in the user's home, so that tools find their
    /// settings, and new files do not get into the user's home.
    ///
    /// Fails with the error of the disk.
    pub(super) fn create(home: Option<&Path>, hidden: &Hidden) -> io::Result<Self> {
        // Paths of sockets have at most 107 bytes, so the name is short.
        let id = uuid::Uuid::new_v4().simple().to_string();
        let folder = TemporaryFolder::create(id.get(..8).unwrap_or_default())?;
        let folder = Self { root: folder.path().canonicalize()?, _folder: folder };
        fs::create_dir(folder.temporary())?;
        fs::create_dir(folder.home())?;
        if let Some(home) = home {
            folder.link_visible(home, hidden)?;
        }
        Ok(folder)
    }

    /// Makes links to what is not hidden in a home, which has no links in its path.
    fn link_visible(&self, home: &Path, hidden: &Hidden) -> io::Result<()> {
        let none = Areas::default();
        let search = PlaceSearch { untrusted: &none, covered: &none, makes_folders: false };
        let Ok(PathEnd::Place(opened)) = search.open(home) else { return Ok(()) };
        let mut visible = Vec::new();
        hidden.visit_visible(&opened, &mut |place| visible.push(place.path().to_owned()));
        for path in visible {
            let Ok(place) = path.strip_prefix(home) else { continue };
            let link = self.home().join(place);
            fs::create_dir_all(link.parent().unwrap_or(&link))?;
            symlink(&path, &link)?;
        }
        Ok(())
    }

    /// Returns the whole folder.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the home.
    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Returns the folder for temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
}
