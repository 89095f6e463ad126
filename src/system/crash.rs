//! A tree that fails at its n-th change: a full disk, or a kill.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Entry, Lock, Tree};
use crate::domain::RepoPath;

/// What happens at the n-th change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crash {
    /// It fails, as on a full disk, and leaves nothing; later ones work again.
    Once,
    /// It is torn, as by a kill: a file it writes is left half written, and nothing works after.
    ForGood,
}

/// Wraps a tree and counts its changes, syncs among them.
pub(crate) struct CrashTree<'a> {
    inner: &'a dyn Tree,
    crash: Crash,
    at: usize,
    done: AtomicUsize,
}

impl<'a> CrashTree<'a> {
    /// Fails at change number `at`, counted from 0.
    pub(crate) fn new(inner: &'a dyn Tree, crash: Crash, at: usize) -> Self {
        Self { inner, crash, at, done: AtomicUsize::new(0) }
    }

    /// Tells whether the change that fails was reached.
    pub(crate) fn crashed(&self) -> bool {
        self.done.load(Ordering::Relaxed) > self.at
    }

    fn change(&self) -> Result<(), Fault> {
        let number = self.done.fetch_add(1, Ordering::Relaxed);
        match self.crash {
            Crash::Once if number == self.at => Err(Fault::Clean),
            Crash::ForGood if number == self.at => Err(Fault::Torn),
            Crash::ForGood if number > self.at => Err(Fault::Clean),
            _ => Ok(()),
        }
    }
}

enum Fault {
    Clean,
    Torn,
}

impl From<Fault> for io::Error {
    fn from(_: Fault) -> Self {
        Self::from(io::ErrorKind::StorageFull)
    }
}

impl Tree for CrashTree<'_> {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn entry(&self, path: &RepoPath) -> io::Result<Entry> {
        self.inner.entry(path)
    }

    fn resolve(&self, path: &RepoPath) -> io::Result<RepoPath> {
        self.inner.resolve(path)
    }

    fn read(&self, path: &RepoPath, limit: u64) -> io::Result<Vec<u8>> {
        self.inner.read(path, limit)
    }

    fn list(&self, folder: Option<&RepoPath>) -> io::Result<Vec<String>> {
        self.inner.list(folder)
    }

    fn create(&self, path: &RepoPath, bytes: &[u8], mode: u32) -> io::Result<()> {
        if let Err(fault) = self.change() {
            if matches!(fault, Fault::Torn) {
                let half = bytes.get(..bytes.len() / 2).unwrap_or(&[]);
                self.inner.create(path, half, mode)?;
            }
            return Err(fault.into());
        }
        self.inner.create(path, bytes, mode)
    }

    fn append(&self, path: &RepoPath, bytes: &[u8]) -> io::Result<()> {
        self.change()?;
        self.inner.append(path, bytes)
    }

    fn rename(&self, from: &RepoPath, to: &RepoPath) -> io::Result<()> {
        self.change()?;
        self.inner.rename(from, to)
    }

    fn remove_file(&self, path: &RepoPath) -> io::Result<()> {
        self.change()?;
        self.inner.remove_file(path)
    }

    fn create_dir(&self, path: &RepoPath) -> io::Result<()> {
        self.change()?;
        self.inner.create_dir(path)
    }

    fn remove_dir(&self, path: &RepoPath) -> io::Result<()> {
        self.change()?;
        self.inner.remove_dir(path)
    }

    fn sync_dir(&self, folder: Option<&RepoPath>) -> io::Result<()> {
        self.change()?;
        self.inner.sync_dir(folder)
    }

    fn lock(&self, path: &RepoPath) -> io::Result<Box<dyn Lock>> {
        self.inner.lock(path)
    }
}
