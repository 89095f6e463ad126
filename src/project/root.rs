//! The root folder of a repository, its names listed once.

use papayu_base::domain::RepoPath;
use papayu_base::text::encoding;
use papayu_system::{Entry, Tree};

/// Longest manifest that is read, in bytes.
// A longer file counts as empty.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The root folder of a repository, or a folder with a project of its own.
pub(super) struct Root<'a> {
    tree: &'a dyn Tree,
    /// Empty, or the path of the folder with a slash at its end.
    prefix: String,
    names: Vec<String>,
}

impl<'a> Root<'a> {
    /// Lists the folder; one that cannot be listed counts as empty.
    pub(super) fn list(tree: &'a dyn Tree) -> Self {
        Self::list_at(tree, None)
    }

    /// Lists a folder below the root of the repository, or the root; one that cannot be listed counts as empty.
    pub(super) fn list_at(tree: &'a dyn Tree, folder: Option<&RepoPath>) -> Self {
        let mut names = tree.list(folder).unwrap_or_default();
        // Sorted, so that the same repository gives the same command on every file system.
        names.sort_unstable();
        let prefix = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
        Self { tree, prefix, names }
    }

    /// Returns the path of a name in the folder; `None` for a name that no path of a repository has.
    pub(super) fn path(&self, name: &str) -> Option<RepoPath> {
        RepoPath::parse(&format!("{}{name}", self.prefix)).ok()
    }

    /// Returns the names in it, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the first of the patterns that a name matches: the name. `None` if there is no match.
    pub(super) fn find(&self, patterns: &[&str]) -> Option<&str> {
        // The order of the patterns decides, not that of the names.
        patterns.iter().find_map(|pattern| self.names().find(|name| matches_pattern(pattern, name)))
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names().any(|found| found == name)
    }

    /// Returns the text of a file below the root; empty if there is none or it is too long.
    pub(super) fn read_text(&self, path: &str) -> String {
        let bytes = self
            .path(path)
            .and_then(|path| self.tree.read(&path, MAX_MANIFEST_BYTES).ok())
            .unwrap_or_default();
        encoding::shown(&bytes).into_owned()
    }

    pub(super) fn is_file(&self, path: &RepoPath) -> bool {
        matches!(self.tree.entry(path), Ok(Entry::File { .. }))
    }

    /// Returns `true` if the path below the root is a file.
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.path(path).is_some_and(|path| self.is_file(&path))
    }

    /// Returns `true` if the path below the root is anything, also a link.
    /// Links count too: `node_modules` may be one.
    pub(super) fn has_entry(&self, path: &str) -> bool {
        let entry = self.path(path).and_then(|path| self.tree.entry(&path).ok());
        entry.is_some_and(|entry| entry != Entry::Missing)
    }

    /// Returns the names in a folder at the root; empty if it is none.
    pub(super) fn list_folder(&self, name: &str) -> Vec<String> {
        // Asked before the disk: most folders are not there.
        if !self.has_name(name) {
            return Vec::new();
        }
        let path = self.path(name);
        let mut names = path.and_then(|path| self.tree.list(Some(&path)).ok()).unwrap_or_default();
        names.sort_unstable();
        names
    }
}

/// Returns `true` if a name matches a pattern with at most one `*`.
pub(super) fn matches_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}
