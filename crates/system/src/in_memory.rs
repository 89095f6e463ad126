//! A repository's folder in memory that also knows what a power cut would leave of it.
//!
//! The model is stricter than any file system we know: a file's bytes are safe once `create`
//! returns, a name only once its folder was synced; until then a cut keeps the first few changes of
//! each folder, whatever happened in other folders. A rename is one change.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Entry, Lock, Owner, Tree};
use papayu_base::domain::{RepoPath, Sha256};

/// The object at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryNode {
    /// A folder.
    Dir,
    /// Bytes and permission bits.
    File(Vec<u8>, u32),
}

/// Every path of a tree.
pub type Nodes = BTreeMap<String, MemoryNode>;

/// One change of a folder's names.
#[derive(Clone, Debug)]
enum NameChange {
    Put(String, MemoryNode),
    Drop(String),
    Move(String, String),
}

/// The two versions of the tree, and the way from one to the other.
#[derive(Debug, Default)]
/// The tree as programs see it.
struct TreeVersions {
    /// The tree after a power cut.
    seen: Nodes,
    /// The changes that are not synced, with their folder, in order.
    durable: Nodes,
    pending: Vec<(String, NameChange)>,
}

/// The tree; folders and files only.
#[derive(Debug, Default)]
pub struct MemoryTree {
    state: Mutex<TreeVersions>,
    locks: Arc<Mutex<BTreeSet<String>>>,
}

impl MemoryTree {
    /// Starts with these nodes, all of them durable.
    pub fn new(nodes: Nodes) -> Self {
        let state = TreeVersions { seen: nodes.clone(), durable: nodes, pending: Vec::new() };
        Self { state: Mutex::new(state), locks: Arc::default() }
    }

    /// Returns every node outside `.papa-yu`.
    pub fn nodes(&self) -> Nodes {
        let mut nodes = self.state().seen.clone();
        nodes.retain(|path, _| path.split('/').next() != Some(".papa-yu"));
        nodes
    }

    /// Cuts the power: of each folder's unsynced changes the first `keep(count)` stay, 0 to
    /// `count`.
    pub fn cut_power(&self, mut keep: impl FnMut(usize) -> usize) {
        let mut state = self.state();
        let pending = std::mem::take(&mut state.pending);
        let folders: BTreeSet<_> = pending.iter().map(|(folder, _)| folder.clone()).collect();
        for folder in folders {
            let changes: Vec<_> = pending.iter().filter(|(of, _)| *of == folder).collect();
            for (_, change) in changes.iter().take(keep(changes.len())) {
                apply(&mut state.durable, change);
            }
        }
        let names: BTreeSet<_> = state.durable.keys().cloned().collect();
        let hangs = |path: &str| {
            path.match_indices('/').all(|(at, _)| names.contains(path.get(..at).unwrap_or("")))
        };
        state.durable.retain(|path, _| hangs(path));
        state.seen = state.durable.clone();
    }

    /// Returns the state; a thread that panicked in a test leaves it usable.
    fn state(&self) -> MutexGuard<'_, TreeVersions> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a change that is not synced.
    fn change(&self, at: &RepoPath, change: NameChange) {
        let mut state = self.state();
        apply(&mut state.seen, &change);
        let folder = at.parent().map(|folder| folder.as_str().to_owned());
        state.pending.push((folder.unwrap_or_default(), change));
    }

    /// Returns the node at a path.
    fn node(&self, path: &RepoPath) -> Option<MemoryNode> {
        self.state().seen.get(path.as_str()).cloned()
    }

    /// Returns an error unless a new entry can be created at the path.
    fn free_place(&self, path: &RepoPath) -> io::Result<()> {
        let parent = path.parent().map(|parent| self.node(&parent));
        match (parent, self.node(path)) {
            (Some(None), _) => Err(ErrorKind::NotFound.into()),
            (Some(Some(MemoryNode::File(..))), _) => Err(ErrorKind::NotADirectory.into()),
            (_, Some(_)) => Err(ErrorKind::AlreadyExists.into()),
            _ => Ok(()),
        }
    }
}

/// Applies a change to the nodes.
fn apply(nodes: &mut Nodes, change: &NameChange) {
    match change {
        NameChange::Put(path, node) => {
            nodes.insert(path.clone(), node.clone());
        }
        NameChange::Drop(path) => {
            let below = format!("{path}/");
            nodes.retain(|known, _| known != path && !known.starts_with(&below));
        }
        NameChange::Move(from, to) => {
            if let Some(node) = nodes.remove(from) {
                nodes.insert(to.clone(), node);
            }
        }
    }
}

impl Tree for MemoryTree {
    fn root(&self) -> &Path {
        Path::new("/memory")
    }

    fn seal(&self, bytes: &[u8]) -> io::Result<Sha256> {
        Ok(Sha256::of(&[b"memory", bytes].concat()))
    }

    fn entry(&self, path: &RepoPath) -> io::Result<Entry> {
        Ok(match self.node(path) {
            None => Entry::Missing,
            Some(MemoryNode::Dir) => Entry::Dir,
            Some(MemoryNode::File(bytes, mode)) => {
                Entry::File { len: bytes.len() as u64, mode, links: 1, owner: None }
            }
        })
    }

    fn resolve(&self, path: &RepoPath) -> io::Result<RepoPath> {
        Ok(path.clone())
    }

    fn read(&self, path: &RepoPath, limit: u64) -> io::Result<Vec<u8>> {
        match self.node(path) {
            None => Err(ErrorKind::NotFound.into()),
            Some(MemoryNode::Dir) => Err(ErrorKind::InvalidInput.into()),
            Some(MemoryNode::File(bytes, _)) if bytes.len() as u64 > limit => {
                Err(ErrorKind::InvalidData.into())
            }
            Some(MemoryNode::File(bytes, _)) => Ok(bytes),
        }
    }

    fn list(&self, folder: Option<&RepoPath>) -> io::Result<Vec<String>> {
        let prefix = folder.map_or(String::new(), |folder| format!("{folder}/"));
        let state = self.state();
        let below = state.seen.keys().filter_map(|path| path.strip_prefix(&prefix));
        Ok(below.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    fn create_for(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        mode: u32,
        _: Option<Owner>,
    ) -> io::Result<()> {
        self.free_place(path)?;
        self.change(
            path,
            NameChange::Put(path.to_string(), MemoryNode::File(bytes.to_vec(), mode)),
        );
        Ok(())
    }

    fn rename(&self, from: &RepoPath, to: &RepoPath) -> io::Result<()> {
        match (self.node(from), self.node(to)) {
            (None, _) => Err(ErrorKind::NotFound.into()),
            (_, Some(MemoryNode::Dir)) => Err(ErrorKind::IsADirectory.into()),
            (_, None) => self.free_place(to),
            _ => Ok(()),
        }?;
        self.change(to, NameChange::Move(from.to_string(), to.to_string()));
        Ok(())
    }

    fn remove_file(&self, path: &RepoPath) -> io::Result<()> {
        match self.node(path) {
            None => Err(ErrorKind::NotFound.into()),
            Some(MemoryNode::Dir) => Err(ErrorKind::IsADirectory.into()),
            Some(MemoryNode::File(..)) => {
                self.change(path, NameChange::Drop(path.to_string()));
                Ok(())
            }
        }
    }

    fn create_dir(&self, path: &RepoPath) -> io::Result<()> {
        self.free_place(path)?;
        self.change(path, NameChange::Put(path.to_string(), MemoryNode::Dir));
        Ok(())
    }

    fn remove_dir(&self, path: &RepoPath) -> io::Result<()> {
        match self.node(path) {
            None => Err(ErrorKind::NotFound.into()),
            Some(MemoryNode::File(..)) => Err(ErrorKind::NotADirectory.into()),
            Some(MemoryNode::Dir) if !self.list(Some(path))?.is_empty() => {
                Err(ErrorKind::DirectoryNotEmpty.into())
            }
            Some(MemoryNode::Dir) => {
                self.change(path, NameChange::Drop(path.to_string()));
                Ok(())
            }
        }
    }

    fn sync_dir(&self, folder: Option<&RepoPath>) -> io::Result<()> {
        if folder.is_some_and(|folder| self.node(folder) != Some(MemoryNode::Dir)) {
            return Err(ErrorKind::NotFound.into());
        }
        let folder = folder.map_or("", RepoPath::as_str);
        let mut state = self.state();
        for (of, change) in std::mem::take(&mut state.pending) {
            if of == folder {
                apply(&mut state.durable, &change);
            } else {
                state.pending.push((of, change));
            }
        }
        Ok(())
    }

    fn lock(&self, path: &RepoPath) -> io::Result<Box<dyn Lock>> {
        self.hold(path.as_str())
    }

    fn lock_root(&self) -> io::Result<Box<dyn Lock>> {
        self.hold("")
    }
}

impl MemoryTree {
    /// Takes a lock, or returns `WouldBlock`.
    fn hold(&self, path: &str) -> io::Result<Box<dyn Lock>> {
        let mut held = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.insert(path.to_string()) {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(MemoryLock { path: path.to_string(), locks: Arc::clone(&self.locks) }))
    }
}

/// A lock of this tree, released when it is dropped.
struct MemoryLock {
    path: String,
    locks: Arc<Mutex<BTreeSet<String>>>,
}

impl Lock for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}
