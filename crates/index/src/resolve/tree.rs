//! The files of an index by folder and by name, and its manifests.

use std::hash::BuildHasher;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::paths::{folders_upwards, name, parent, shared_folders};
use crate::code::{FileId, Index};
use crate::facts::FileFacts;
use papayu_lang::Language;

/// Lookup tables of the files of an index.
pub(crate) struct FileTable<'a> {
    pub(super) index: &'a Index,
    paths: HashMap<&'a str, FileId>,
    folders: HashMap<&'a str, Vec<FileId>>,
    names: HashMap<&'a str, Vec<FileId>>,
    known: HashSet<&'a str>,
    folder_names: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> FileTable<'a> {
    /// Builds the tables.
    pub(crate) fn of(index: &'a Index) -> Self {
        let mut tree = Self {
            index,
            paths: HashMap::default(),
            folders: HashMap::default(),
            names: HashMap::default(),
            known: HashSet::default(),
            folder_names: HashMap::default(),
        };
        for (file, id) in index.files().iter().zip((0..).map(FileId)) {
            let (path, folder) = (file.path.as_str(), parent(&file.path));
            tree.paths.insert(path, id);
            tree.folders.entry(folder).or_default().push(id);
            tree.names.entry(name(path)).or_default().push(id);
            for above in folders_upwards(folder) {
                // The parents of a known folder are known already.
                if !tree.known.insert(above) {
                    break;
                }
                tree.folder_names.entry(name(above)).or_default().push(above);
            }
        }
        tree
    }

    /// Returns a file by its exact path.
    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        self.paths.get(path).copied()
    }

    /// Returns a file's path.
    pub(super) fn path(&self, id: FileId) -> &'a str {
        self.index.file(id).map_or("", |file| file.path.as_str())
    }

    /// Returns a file's folder.
    pub(super) fn folder_of(&self, id: FileId) -> &'a str {
        parent(self.path(id))
    }

    /// Returns the facts of a file.
    pub(super) fn facts(&self, id: FileId) -> Option<&'a FileFacts> {
        self.index.file(id)?.facts()
    }

    /// Returns a file's language.
    pub(super) fn language(&self, id: FileId) -> Option<Language> {
        self.index.file(id)?.language()
    }

    /// Returns the files directly in a folder, sorted.
    pub(super) fn files_in(&self, folder: &str) -> &[FileId] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if a folder contains a file at any depth.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        self.known.contains(folder)
    }

    /// Returns every file of a name, sorted by path.
    pub(super) fn files_named(&self, name: &str) -> &[FileId] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the files with these last path segments, sorted.
    pub(super) fn files_ending(&self, suffix: &str) -> Vec<FileId> {
        let ends = |id: &FileId| {
            let rest = self.path(*id).strip_suffix(suffix);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.files_named(name(suffix)).iter().copied().filter(ends).collect()
    }

    /// Returns the folders with these last path segments, in the order of their first files.
    pub(super) fn folders_ending(&self, suffix: &str) -> Vec<&'a str> {
        let named = self.folder_names.get(name(suffix)).into_iter().flatten().copied();
        let ends = |folder: &&str| {
            let rest = folder.strip_suffix(suffix);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        named.filter(ends).collect()
    }

    /// Returns the files that share most folders with `from`; several if they tie.
    pub(super) fn nearest_files(&self, from: FileId, files: &[FileId]) -> Vec<FileId> {
        let folder = self.folder_of(from);
        let near = |id: &FileId| shared_folders(folder, self.folder_of(*id));
        let best = files.iter().map(near).max().unwrap_or(0);
        files.iter().copied().filter(|id| near(id) == best).collect()
    }

    /// Returns the texts of the manifests of a name with their folders, sorted by path.
    pub(super) fn manifests(&self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files_named(name).iter().filter_map(|id| {
            let path = self.path(*id);
            Some((parent(path), self.index.manifest(path)?))
        })
    }
}

/// Returns the entry of the nearest folder upwards that has one. `None` if no folder has one.
pub(super) fn nearest_above<'m, T, S: BuildHasher>(
    map: &'m std::collections::HashMap<&str, T, S>,
    folder: &str,
) -> Option<&'m T> {
    folders_upwards(folder).find_map(|at| map.get(at))
}
