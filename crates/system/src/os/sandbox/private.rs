//! The home and the folder for temporary files that the commands of a run have for themselves.
#![expect(clippy::disallowed_methods, reason = "the folder is outside the repository")]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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
    pub(super) fn create(
        home: Option<&Path>,
        hidden: &Hidden,
        shared: Option<&SharedLinks>,
    ) -> io::Result<Self> {
        let folder = new_folder()?;
        let folder = Self { root: folder.path().canonicalize()?, _folder: folder };
        fs::create_dir(folder.temporary())?;
        fs::create_dir(folder.home())?;
        if let Some(home) = home {
            folder.link_visible(home, hidden, shared)?;
        }
        Ok(folder)
    }

    /// Makes links to what is not hidden in a home, which has no links in its path.
    fn link_visible(
        &self,
        home: &Path,
        hidden: &Hidden,
        shared: Option<&SharedLinks>,
    ) -> io::Result<()> {
        let none = Areas::default();
        let search = PlaceSearch { untrusted: &none, covered: &none, makes_folders: false };
        let Ok(PathEnd::Place(opened)) = search.open(home) else { return Ok(()) };
        let mut visible = Vec::new();
        hidden.visit_visible(&opened, &mut |place| visible.push(place.path().to_owned()));
        for path in visible {
            let Ok(place) = path.strip_prefix(home) else { continue };
            let link = self.home().join(place);
            fs::create_dir_all(link.parent().unwrap_or(&link))?;
            match shared {
                Some(shared) => shared.link(&path, &link)?,
                None => symlink(&path, &link)?,
            }
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

/// Links that the private homes of a batch's tasks have in common: each home has further names of them.
///
/// A new link takes a new inode, and ext4 looks for one that was not freed in the last seconds. In a batch of short tasks this
/// took longer than all else.
#[derive(Debug, Default)]
pub(crate) struct SharedLinks(Mutex<Option<KeptLinks>>);

/// A folder with links by what they lead to.
#[derive(Debug)]
struct KeptLinks {
    folder: TemporaryFolder,
    names: BTreeMap<PathBuf, PathBuf>,
}

impl SharedLinks {
    /// Makes a link to `path` with the name `link`.
    fn link(&self, path: &Path, link: &Path) -> io::Result<()> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match &mut *kept {
            Some(kept) => kept,
            none => none.insert(KeptLinks { folder: new_folder()?, names: BTreeMap::new() }),
        };
        if let Some(known) = kept.names.get(path)
            && fs::hard_link(known, link).is_ok()
        {
            return Ok(());
        }
        symlink(path, link)?;
        let name = kept.folder.path().join(kept.names.len().to_string());
        // Each home has a link of its own if the file system refuses further names for links.
        if fs::hard_link(link, &name).is_ok() {
            kept.names.insert(path.to_owned(), name);
        }
        Ok(())
    }
}

/// Makes a folder for temporary files. Paths of sockets have at most 107 bytes, so its name is short.
fn new_folder() -> io::Result<TemporaryFolder> {
    let id = uuid::Uuid::new_v4().simple().to_string();
    TemporaryFolder::create(id.get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn homes_of_a_batch_have_the_same_links_and_one_that_is_removed_leaves_the_others() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        fs::write(home.join("settings"), "own").unwrap();
        let shared = SharedLinks::default();
        let [first, second] = [(), ()].map(|()| {
            PrivateFolder::create(Some(&home), &Hidden::default(), Some(&shared)).unwrap()
        });
        let inode = |folder: &PrivateFolder| {
            fs::symlink_metadata(folder.home().join("settings")).unwrap().ino()
        };
        assert_eq!(inode(&first), inode(&second));
        fs::remove_file(first.home().join("settings")).unwrap();
        drop(first);
        assert_eq!(fs::read_to_string(second.home().join("settings")).unwrap(), "own");
    }
}
