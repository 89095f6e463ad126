//! The repository's texts, each read when first asked for and kept while evidence is gathered.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::role::{self, Role};
use crate::domain::RepoPath;
use crate::index::{FileFacts, FileId, Index};
use crate::protocol;
use crate::system::Tree;
use crate::text::encoding;

/// Files over this many bytes are data or bundles; evidence is not looked for in them.
const MAX_BYTES: u64 = 1024 * 1024;

/// The index with the texts behind it; a file with secrets has no text here.
pub struct Library<'a> {
    tree: &'a dyn Tree,
    /// What the files define.
    pub index: &'a Index,
    texts: RefCell<HashMap<FileId, Option<Rc<str>>>>,
    roles: Vec<Role>,
}

impl<'a> Library<'a> {
    /// Returns an empty library over a repository.
    pub fn new(tree: &'a dyn Tree, index: &'a Index) -> Self {
        let roles = index.files().iter().map(|file| role::of(&file.path)).collect();
        Self { tree, index, texts: RefCell::default(), roles }
    }

    /// Returns a file's path; empty for a file of another index.
    pub fn path(&self, id: FileId) -> &'a str {
        self.index.file(id).map_or("", |file| file.path.as_str())
    }

    /// Returns what its syntax tree says, where a grammar reads it.
    pub fn facts(&self, id: FileId) -> Option<&'a FileFacts> {
        self.index.file(id)?.facts.as_ref()
    }

    /// Returns the part it plays.
    pub fn role(&self, id: FileId) -> Role {
        self.roles.get(id.0 as usize).copied().unwrap_or(Role::Other)
    }

    /// Returns its text; `None` for one that is protected, too large, or no text.
    pub fn text(&self, id: FileId) -> Option<Rc<str>> {
        if let Some(held) = self.texts.borrow().get(&id) {
            return held.clone();
        }
        let text = self.read(id);
        self.texts.borrow_mut().insert(id, text.clone());
        text
    }

    fn read(&self, id: FileId) -> Option<Rc<str>> {
        let path = RepoPath::parse(self.path(id)).ok()?;
        let resolved = self.tree.resolve(&path).ok()?;
        if protocol::is_protected(&resolved) {
            return None;
        }
        let bytes = self.tree.read(&resolved, MAX_BYTES).ok()?;
        Some(encoding::decode(&bytes).ok()?.text.into())
    }

    /// Returns the absolute path of the repository, as logs may print it.
    pub fn root(&self) -> String {
        self.tree.root().to_string_lossy().into_owned()
    }

    /// Returns all files that play a part, in the order of paths.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = FileId> + '_ {
        self.roles.iter().zip(0..).filter(move |(held, _)| **held == role).map(|(_, id)| FileId(id))
    }
}

/// Returns a path's folder, empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns a path's name without its folder.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns a file's name up to its first dot.
pub fn stem(path: &str) -> &str {
    let name = name(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
