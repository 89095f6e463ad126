//! Opens files and folders for the sandbox part by part, so that no link is followed where others can make links.
//!
//! The file at a path can change; the file of a descriptor cannot. A rule is made from a descriptor, and the way to it
//! leads through no link that a repository or a command could have made.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{File, FileType};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Dir, Mode, OFlags, mkdirat, openat, readlinkat};
use rustix::io::Errno;

/// A descriptor that is good for nothing but to name its file.
#[cfg(target_os = "linux")]
const NAMED: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const NAMED: OFlags = OFlags::RDONLY;

/// Most links on the way to one file, as in the kernel.
const MAX_LINKS: usize = 40;

/// The numbers of a file, which all of its names share.
pub(super) type FileIdentity = (u64, u64);

/// A file or folder that is open, with its path without links.
#[derive(Debug)]
pub(super) struct OpenedPlace {
    file: File,
    path: PathBuf,
    kind: FileType,
    /// `true` if every user may make files in it.
    is_shared: bool,
    identity: FileIdentity,
}

/// Parts of the file system, as paths without links.
#[derive(Clone, Debug, Default)]
pub(super) struct Areas(Vec<PathBuf>);

/// The end of a path.
#[derive(Debug)]
pub(super) enum PathEnd {
    /// A file or folder.
    Place(OpenedPlace),
    /// A file or folder in an area that counts as a whole.
    Covered,
}

/// The way on which a path is opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceSearch<'a> {
    /// Areas in which links are not followed, since a repository or a command can make them.
    pub(super) untrusted: &'a Areas,
    /// Areas in which the search ends.
    pub(super) covered: &'a Areas,
    /// `true` if missing folders are made.
    pub(super) makes_folders: bool,
}

impl Areas {
    /// Adds the area below a path without links.
    pub(super) fn add(&mut self, path: PathBuf) {
        if !self.covers(&path) {
            self.0.push(path);
        }
    }

    /// Returns `true` if a path without links is in one of the areas.
    pub(super) fn covers(&self, path: &Path) -> bool {
        self.0.iter().any(|area| path.starts_with(area))
    }
}

impl OpenedPlace {
    /// Opens the root of the file system.
    pub(super) fn root() -> io::Result<Self> {
        let flags = NAMED | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Self::new(openat(CWD, c"/", flags, Mode::empty())?, PathBuf::from("/"))
    }

    fn new(fd: OwnedFd, path: PathBuf) -> io::Result<Self> {
        let file = File::from(fd);
        let found = file.metadata()?;
        let identity = (found.dev(), found.ino());
        let is_shared = found.mode() & 0o002 != 0;
        Ok(Self { file, path, kind: found.file_type(), is_shared, identity })
    }

    /// Opens an entry of this folder; a link itself is opened, not its target.
    pub(super) fn entry(&self, name: &OsStr) -> io::Result<Self> {
        let flags = NAMED | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Self::new(openat(&self.file, name, flags, Mode::empty())?, self.path.join(name))
    }

    /// Returns its path without links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the numbers of the file.
    pub(super) fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// Returns `true` for a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.kind.is_dir()
    }

    /// Returns `true` for a link.
    pub(super) fn is_link(&self) -> bool {
        self.kind.is_symlink()
    }

    /// Returns `true` for a regular file.
    pub(super) fn is_regular(&self) -> bool {
        self.kind.is_file()
    }

    /// Returns the names in this folder.
    ///
    /// Fails with the error of the system if the folder cannot be read.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let entries = Dir::new(openat(&self.file, c".", flags, Mode::empty())?)?;
        let mut names = Vec::new();
        for entry in entries {
            let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Makes a folder in this one.
    fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        match mkdirat(&self.file, name, Mode::from_raw_mode(0o755)) {
            Err(Errno::EXIST) => Ok(()),
            made => Ok(made?),
        }
    }

    fn parent(&self) -> io::Result<Self> {
        let flags = NAMED | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = self.path.parent().unwrap_or(&self.path).to_owned();
        Self::new(openat(&self.file, c"..", flags, Mode::empty())?, path)
    }
}

impl AsFd for OpenedPlace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl PlaceSearch<'_> {
    /// Opens the file or folder that an absolute path leads to.
    ///
    /// Fails with `NotFound` for a missing one, with `PermissionDenied` and the name of the link for a link or `..` in an
    /// untrusted area, and with the error of the system.
    pub(super) fn open(&self, path: &Path) -> io::Result<PathEnd> {
        if !path.is_absolute() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut rest: VecDeque<OsString> = parts_of(path).collect();
        let mut place = OpenedPlace::root()?;
        let mut links = 0;
        loop {
            if self.covered.covers(place.path()) {
                return Ok(PathEnd::Covered);
            }
            let Some(part) = rest.pop_front() else { return Ok(PathEnd::Place(place)) };
            if part == "/" {
                place = OpenedPlace::root()?;
            } else if part == ".." {
                self.check_trust(&place, &part)?;
                place = place.parent()?;
            } else {
                let next = self.open_entry(&place, &part)?;
                if !next.is_link() {
                    place = next;
                    continue;
                }
                self.check_trust(&place, &part)?;
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = readlinkat(&place.file, &part, Vec::new())?;
                let target = PathBuf::from(OsStr::from_bytes(target.as_bytes()));
                parts_of(&target).rev().for_each(|part| rest.push_front(part));
            }
        }
    }

    fn open_entry(&self, place: &OpenedPlace, name: &OsStr) -> io::Result<OpenedPlace> {
        match place.entry(name) {
            Err(error) if self.makes_folders && error.kind() == io::ErrorKind::NotFound => {
                place.make_folder(name)?;
                place.entry(name)
            }
            opened => opened,
        }
    }

    /// Fails if the entry of a folder may be a link that a repository, a command or another user made.
    fn check_trust(&self, place: &OpenedPlace, name: &OsStr) -> io::Result<()> {
        if place.is_shared || self.untrusted.covers(place.path()) {
            let text = format!("`{}` is a link", place.path().join(name).display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        Ok(())
    }
}

/// Returns the parts of a path; `/` at the front of an absolute one.
fn parts_of(path: &Path) -> impl DoubleEndedIterator<Item = OsString> + '_ {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_owned())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test makes the folders itself")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_only_where_nobody_else_can_make_them() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for folder in ["own/deep", "tree/real", "cache/pkg"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        symlink("own", root.join("alias")).unwrap();
        symlink(root.join("own"), root.join("tree/absolute")).unwrap();
        symlink("../own", root.join("tree/relative")).unwrap();
        symlink("/", root.join("cache/pkg/mod")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink("tree/relative", root.join("into")).unwrap();
        let (mut untrusted, mut covered) = (Areas::default(), Areas::default());
        untrusted.add(root.join("tree"));
        covered.add(root.join("cache"));
        let reached = |path: &str, makes_folders| {
            let search = PlaceSearch { untrusted: &untrusted, covered: &covered, makes_folders };
            search.open(&root.join(path)).map(|reached| match reached {
                PathEnd::Covered => "covered".to_owned(),
                PathEnd::Place(it) => it.path().strip_prefix(&root).unwrap().display().to_string(),
            })
        };
        for (path, place) in [
            ("own/deep", "own/deep"),
            ("alias/deep", "own/deep"),
            ("alias/../own", "own"),
            ("tree/real", "tree/real"),
            ("cache", "covered"),
            ("cache/pkg/mod/etc", "covered"),
        ] {
            assert_eq!(reached(path, false).unwrap(), place, "{path}");
        }
        for path in
            ["tree/absolute", "tree/relative/deep", "into", "tree/real/..", "tree/absolute/x"]
        {
            let error = reached(path, true).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{path}: {error}");
        }
        assert!(reached("loop", false).is_err());
        assert_eq!(reached("own/new/er", false).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(reached("own/new/er", true).unwrap(), "own/new/er");
        assert!(root.join("own/new/er").is_dir() && !root.join("own/x").exists());
        let mut names = reached("own", false).map(|_| OpenedPlace::root().unwrap()).unwrap();
        for part in parts_of(&root.join("own")).skip(1) {
            names = names.entry(&part).unwrap();
        }
        let mut found = names.names().unwrap();
        found.sort();
        assert_eq!(found, ["deep", "new"]);
    }
}
