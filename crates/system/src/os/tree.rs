//! A repository's folder on the real disk, opened once: every path is looked up beneath it.

use std::collections::VecDeque;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use ignore::overrides::{Override, OverrideBuilder};

use crate::survey::Stamp;
use crate::{Entry, Lock, Owner, RepositoryTop, Tree};
use papayu_base::domain::{RepoPath, Sha256};

/// Links followed on one path before it counts as a circle; Linux has the same limit.
const MAX_LINKS: u32 = 40;

/// The number and interval of attempts to lock: a child that a killed run had just forked keeps a
/// copy of its lock until it executes another program.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The folder behind [`Tree`]; the operating system keeps every lookup beneath it.
#[derive(Debug)]
pub struct OsTree {
    pub(super) root: PathBuf,
    pub(super) dir: Dir,
    /// The globs that a survey leaves out besides ignored files.
    pub(super) left_out: Override,
    /// The repository's top and the path from there, unless that is the root itself.
    top: Option<Box<(Self, RepoPath)>>,
}

impl OsTree {
    /// Opens a folder as the root; the error names it.
    pub fn open(root: &Path) -> io::Result<Self> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot open `{}`: {error}", root.display()))
        };
        let root = std::fs::canonicalize(root).map_err(named)?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(named)?;
        Ok(Self { root, dir, left_out: Override::empty(), top: None })
    }

    /// Returns the tree with the top of its repository, a folder above it or the root itself.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub(super) fn with_top(mut self, top: &Path) -> io::Result<Self> {
        let below = self.root.strip_prefix(top).ok().and_then(Path::to_str);
        // A path that is not UTF-8 has no name in journals, so such a folder counts as a repository of its own.
        if let Some(below) = below.and_then(|below| RepoPath::parse(below).ok()) {
            self.top = Some(Box::new((Self::open(top)?, below)));
        }
        Ok(self)
    }

    /// Returns the tree whose surveys leave out files and folders that match these globs, in the form of
    /// `.gitignore`.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a glob that cannot be read.
    pub fn ignoring(mut self, globs: &[String]) -> io::Result<Self> {
        let fault = |error: ignore::Error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let mut rules = OverrideBuilder::new(&self.root);
        for glob in globs {
            // In an override `!` leaves out, the opposite of its meaning in `.gitignore`.
            let rule = glob.strip_prefix('!').map_or_else(|| format!("!{glob}"), str::to_owned);
            rules.add(&rule).map_err(fault)?;
        }
        self.left_out = rules.build().map_err(fault)?;
        Ok(self)
    }

    fn open_file(&self, path: &RepoPath, options: &OpenOptions) -> io::Result<File> {
        self.dir.open_with(path.as_str(), options).map(cap_std::fs::File::into_std)
    }

    /// Opens the folder that a path lies in, folder by folder and through no link: one that has
    /// just taken a folder's place, even one that stays within the root, must not lead a write
    /// elsewhere.
    fn open_parent<'p>(&self, path: &'p RepoPath) -> io::Result<(Dir, &'p str)> {
        let mut folder = self.dir.try_clone()?;
        let mut segments = path.segments();
        let mut name = segments.next().unwrap_or_default();
        for next in segments {
            folder = folder.open_dir_nofollow(name)?;
            name = next;
        }
        Ok((folder, name))
    }

    /// Returns the target of a link; `None` when there is no link at `at`.
    fn link_at(&self, at: &str) -> io::Result<Option<PathBuf>> {
        match self.dir.symlink_metadata(at) {
            Ok(found) if found.is_symlink() => self.dir.read_link_contents(at).map(Some),
            Ok(_) => Ok(None),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Tree for OsTree {
    fn root(&self) -> &Path {
        &self.root
    }

    fn top(&self) -> Option<RepositoryTop<'_>> {
        self.top.as_deref().map(|(tree, folder)| RepositoryTop { tree, folder })
    }

    fn seal(&self, bytes: &[u8]) -> io::Result<Sha256> {
        let root = self.root.as_os_str().as_encoded_bytes();
        // The length keeps the root apart from the bytes.
        let length = root.len().to_be_bytes();
        super::user_key::sign(&[&length, root, bytes])
    }

    fn entry(&self, path: &RepoPath) -> io::Result<Entry> {
        let found = match self.dir.symlink_metadata(path.as_str()) {
            Err(error) if is_absent(&error) => return Ok(Entry::Missing),
            found => found?,
        };
        Ok(if found.is_symlink() {
            Entry::Link { target: self.dir.read_link_contents(path.as_str())? }
        } else if found.is_dir() {
            Entry::Dir
        } else if found.is_file() {
            let owner = Some(Owner { uid: found.uid(), gid: found.gid() });
            let mode = found.mode() & 0o7777;
            Entry::File { len: found.len(), mode, links: found.nlink(), owner }
        } else {
            Entry::Other
        })
    }

    fn resolve(&self, path: &RepoPath) -> io::Result<RepoPath> {
        let mut ahead: VecDeque<String> = path.segments().map(str::to_owned).collect();
        let mut behind: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(segment) = ahead.pop_front() {
            if segment == ".." {
                behind.pop().ok_or_else(|| escape_error(path))?;
                continue;
            }
            behind.push(segment);
            let Some(mut target) = self.link_at(&behind.join("/"))? else { continue };
            behind.pop();
            links += 1;
            if links > MAX_LINKS {
                return Err(path_error(path, "goes through a circle of links"));
            }
            if target.is_absolute() {
                target =
                    target.strip_prefix(&self.root).map_err(|_| escape_error(path))?.to_owned();
                behind.clear();
            }
            let target = split_target(&target)
                .ok_or_else(|| path_error(path, "goes through a link that is not UTF-8"))?;
            target.into_iter().rev().for_each(|segment| ahead.push_front(segment));
        }
        RepoPath::parse(&behind.join("/"))
            .map_err(|fault| io::Error::new(io::ErrorKind::InvalidInput, fault))
    }

    fn stamp(&self, path: &RepoPath) -> io::Result<Stamp> {
        let found = self.dir.symlink_metadata(path.as_str())?;
        if !found.is_file() {
            return Err(path_error(path, "is not a regular file"));
        }
        let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000) + rest;
        Ok(Stamp {
            len: found.len(),
            modified: nanoseconds(found.mtime(), found.mtime_nsec()),
            changed: nanoseconds(found.ctime(), found.ctime_nsec()),
            inode: found.ino(),
        })
    }

    fn read(&self, path: &RepoPath, limit: u64) -> io::Result<Vec<u8>> {
        // Asked before opening, because opening a pipe would wait for its other end.
        let found = self.dir.metadata(path.as_str())?;
        if !found.is_file() {
            return Err(path_error(path, "is not a regular file"));
        }
        let file = self.open_file(path, OpenOptions::new().read(true))?;
        // The byte too many shows the end, so that most files are read at once.
        let len = found.len().min(limit).saturating_add(1);
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            let message = format!("`{path}` is longer than {limit} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(bytes)
    }

    fn list(&self, folder: Option<&RepoPath>) -> io::Result<Vec<String>> {
        let entries = self.dir.read_dir(folder.map_or(".", RepoPath::as_str))?;
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    fn create_for(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        mode: u32,
        owner: Option<Owner>,
    ) -> io::Result<()> {
        let (folder, name) = self.open_parent(path)?;
        // Only for its owner until it is whole and theirs.
        let options = OpenOptions::new().write(true).create_new(true).mode(mode & 0o700).to_owned();
        let mut file = folder.open_with(name, &options)?.into_std();
        write_owned(&mut file, bytes, mode, owner).inspect_err(|_| {
            let _ = folder.remove_file(name);
        })
    }

    fn rename(&self, from: &RepoPath, to: &RepoPath) -> io::Result<()> {
        let ((from, name), (to, new_name)) = (self.open_parent(from)?, self.open_parent(to)?);
        from.rename(name, &to, new_name)
    }

    fn remove_file(&self, path: &RepoPath) -> io::Result<()> {
        let (folder, name) = self.open_parent(path)?;
        folder.remove_file(name)
    }

    fn create_dir(&self, path: &RepoPath) -> io::Result<()> {
        let (folder, name) = self.open_parent(path)?;
        folder.create_dir(name)
    }

    fn remove_dir(&self, path: &RepoPath) -> io::Result<()> {
        let (folder, name) = self.open_parent(path)?;
        folder.remove_dir(name)
    }

    fn sync_dir(&self, folder: Option<&RepoPath>) -> io::Result<()> {
        // `open_dir` gives a handle that only names the folder and cannot be synced.
        let options = OpenOptions::new().read(true).to_owned();
        let folder = folder.map_or(".", RepoPath::as_str);
        self.dir.open_with(folder, &options)?.sync_all()
    }

    fn lock(&self, path: &RepoPath) -> io::Result<Box<dyn Lock>> {
        // The repository may bring a link or a pipe by this name; opening one would wait, or go
        // elsewhere.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let options = OpenOptions::new()
            .write(true)
            .create(true)
            .custom_flags(flags.bits().cast_signed())
            .to_owned();
        let (folder, name) = self.open_parent(path)?;
        let file = folder.open_with(name, &options)?.into_std();
        if !file.metadata()?.is_file() {
            return Err(path_error(path, "is not a regular file"));
        }
        lock_file(file)
    }

    fn lock_root(&self) -> io::Result<Box<dyn Lock>> {
        let file = self.dir.open_with(".", OpenOptions::new().read(true))?.into_std();
        lock_file(file).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => error,
            _ => io::Error::new(io::ErrorKind::Unsupported, error),
        })
    }
}

/// The lock lives as long as the open file; the operating system closes it with the process.
#[derive(Debug)]
struct OsLock {
    file: File,
}

impl Lock for OsLock {}

impl Drop for OsLock {
    fn drop(&mut self) {
        // Closing the file would not suffice: a child that another thread has just forked has a
        // copy of it. A failure here has no other consequence.
        let _ = self.file.unlock();
    }
}

/// Locks an open file, after [`LOCK_TRIES`] tries with pauses. Fails with `WouldBlock` if another process has
/// the lock.
fn lock_file(file: File) -> io::Result<Box<dyn Lock>> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => return Ok(Box::new(OsLock { file })),
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// Writes a new file and gives it to its owner.
fn write_owned(file: &mut File, bytes: &[u8], mode: u32, owner: Option<Owner>) -> io::Result<()> {
    file.write_all(bytes)?;
    let is_theirs = owner.map_or(Ok(true), |owner| set_owner(file, owner))?;
    let mode = if is_theirs { mode } else { mode & 0o1777 };
    // The process's umask has taken bits away, and a change of owner those that lend rights.
    file.set_permissions(std::fs::Permissions::from_mode(mode))?;
    file.sync_all()
}

/// Gives a file to its owner, or at least to its group; the flag is true when the owner is right.
fn set_owner(file: &File, owner: Owner) -> io::Result<bool> {
    let found = file.metadata()?;
    if found.uid() == owner.uid && found.gid() == owner.gid {
        return Ok(true);
    }
    match fchown(file, Some(owner.uid), Some(owner.gid)) {
        // Only root gives files away, and not on every file system.
        Err(_) => {
            let group = fchown(file, None, Some(owner.gid)).is_ok();
            Ok(group && found.uid() == owner.uid)
        }
        Ok(()) => Ok(true),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the parts of a link's target; `None` if one is not UTF-8.
fn split_target(target: &Path) -> Option<Vec<String>> {
    let wanted = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    let text = |part: Component<'_>| part.as_os_str().to_str().map(str::to_owned);
    target.components().filter(wanted).map(text).collect()
}

fn escape_error(path: &RepoPath) -> io::Error {
    let message = format!("`{path}` goes through a link that leaves the repository");
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

fn path_error(path: &RepoPath, reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("`{path}` {reason}"))
}

#[cfg(test)]
mod tests;
