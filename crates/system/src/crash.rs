//! A tree that fails at its n-th operation: a full disk, a failing one, or a kill.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Entry, Lock, Owner, Tree};
use papayu_base::domain::{RepoPath, Sha256};

/// The fault at the n-th operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// It fails, as on a full disk, and leaves nothing; later ones work again.
    Once,
    /// It is done and still fails, as on a disk that is going; a file it writes is left half
    /// written. Later ones work again.
    Half,
    /// A read fails, and nothing else: only reads are counted.
    Read,
    /// It is torn, as by a kill: a file it writes is left half written, and nothing works after.
    ForGood,
}

/// Wraps a tree and counts its changes, syncs among them, or its reads.
pub struct CrashTree<'a> {
    /// The tree that works.
    inner: &'a dyn Tree,
    crash: Crash,
    /// The number of the operation that fails, from 0.
    at: usize,
    /// The number of operations so far.
    done: AtomicUsize,
}

impl<'a> CrashTree<'a> {
    /// Fails at operation number `at`, counted from 0.
    pub fn new(inner: &'a dyn Tree, crash: Crash, at: usize) -> Self {
        Self { inner, crash, at, done: AtomicUsize::new(0) }
    }

    /// Returns true once the failing operation was reached.
    pub fn crashed(&self) -> bool {
        self.done.load(Ordering::Relaxed) > self.at
    }

    /// Returns how many operations were counted.
    pub fn count(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Does a change, or fails in its place.
    fn change(&self, change: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.change_or(change, || Ok(()))
    }

    /// The same for a change that leaves something else when a kill tears it.
    fn change_or(
        &self,
        whole: impl FnOnce() -> io::Result<()>,
        torn: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        if self.crash == Crash::Read {
            return whole();
        }
        let number = self.done.fetch_add(1, Ordering::Relaxed);
        match self.crash {
            Crash::Half if number == self.at => whole()?,
            Crash::ForGood if number == self.at => torn()?,
            Crash::Once if number == self.at => {}
            Crash::ForGood if number > self.at => {}
            _ => return whole(),
        }
        Err(io::ErrorKind::StorageFull.into())
    }

    /// Counts a read, and fails in its place.
    fn read_at_all(&self) -> io::Result<()> {
        let fails =
            self.crash == Crash::Read && self.done.fetch_add(1, Ordering::Relaxed) == self.at;
        if fails { Err(io::Error::other("the disk cannot be read here")) } else { Ok(()) }
    }
}

impl Tree for CrashTree<'_> {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn seal(&self, bytes: &[u8]) -> io::Result<Sha256> {
        self.inner.seal(bytes)
    }

    fn entry(&self, path: &RepoPath) -> io::Result<Entry> {
        self.read_at_all()?;
        self.inner.entry(path)
    }

    fn resolve(&self, path: &RepoPath) -> io::Result<RepoPath> {
        self.read_at_all()?;
        self.inner.resolve(path)
    }

    fn read(&self, path: &RepoPath, limit: u64) -> io::Result<Vec<u8>> {
        self.read_at_all()?;
        self.inner.read(path, limit)
    }

    fn list(&self, folder: Option<&RepoPath>) -> io::Result<Vec<String>> {
        self.read_at_all()?;
        self.inner.list(folder)
    }

    fn create_for(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        mode: u32,
        owner: Option<Owner>,
    ) -> io::Result<()> {
        let half = || {
            let half = bytes.get(..bytes.len() / 2).unwrap_or(&[]);
            self.inner.create_for(path, half, mode, owner)
        };
        if self.crash == Crash::Half && self.done.load(Ordering::Relaxed) == self.at {
            return self.change(half);
        }
        self.change_or(|| self.inner.create_for(path, bytes, mode, owner), half)
    }

    fn rename(&self, from: &RepoPath, to: &RepoPath) -> io::Result<()> {
        self.change(|| self.inner.rename(from, to))
    }

    fn remove_file(&self, path: &RepoPath) -> io::Result<()> {
        self.change(|| self.inner.remove_file(path))
    }

    fn create_dir(&self, path: &RepoPath) -> io::Result<()> {
        self.change(|| self.inner.create_dir(path))
    }

    fn remove_dir(&self, path: &RepoPath) -> io::Result<()> {
        self.change(|| self.inner.remove_dir(path))
    }

    fn sync_dir(&self, folder: Option<&RepoPath>) -> io::Result<()> {
        self.change(|| self.inner.sync_dir(folder))
    }

    fn lock(&self, path: &RepoPath) -> io::Result<Box<dyn Lock>> {
        self.inner.lock(path)
    }

    fn lock_root(&self) -> io::Result<Box<dyn Lock>> {
        self.inner.lock_root()
    }
}
