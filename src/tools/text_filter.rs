//! Finds the files that a search of a session can skip without reading them.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use super::reading::read_file;
use papayu_base::domain::Sha256;
use papayu_index::{IncrementalIndex, TrigramSet};
use papayu_system::Tree;

/// Most bytes of trigrams that a session keeps; files beyond it are read by every search.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The trigrams of the files that a session has searched.
#[derive(Debug, Default)]
pub struct TextFilter {
    files: RefCell<FxHashMap<String, (Sha256, TrigramSet)>>,
    bytes: Cell<usize>,
}

impl TextFilter {
    /// Removes the files that have changed. Called after each refresh of the index.
    pub fn keep_current(&mut self, keeper: &IncrementalIndex) {
        let mut bytes = 0;
        self.files.get_mut().retain(|path, (hash, set)| {
            let is_current = indexed_hash(keeper, path) == Some(*hash);
            bytes += if is_current { set.bytes() } else { 0 };
            is_current
        });
        self.bytes.set(bytes);
    }

    /// Returns `false` if a file certainly contains none of the parts.
    fn may_contain(&self, path: &str, parts: &[String]) -> bool {
        let files = self.files.borrow();
        let Some((_, set)) = files.get(path).filter(|_| !parts.is_empty()) else { return true };
        parts.iter().any(|part| set.may_contain(part))
    }

    /// Adds the trigrams of a file, unless all together have [`MAX_BYTES`] already.
    fn add_file(&self, path: &str, hash: Sha256, text: &str) {
        let mut files = self.files.borrow_mut();
        if self.bytes.get() < MAX_BYTES && !files.contains_key(path) {
            let set = TrigramSet::of_text(text);
            self.bytes.set(self.bytes.get() + set.bytes());
            files.insert(path.to_owned(), (hash, set));
        }
    }
}

/// Reads the files that may contain a text.
#[derive(Clone, Copy)]
pub(super) struct TextSearch<'w> {
    pub(super) tree: &'w dyn Tree,
    /// The trigrams, and the index that they are compared with; `None` for a single search.
    pub(super) filter: Option<(&'w TextFilter, &'w IncrementalIndex)>,
}

impl TextSearch<'_> {
    /// Returns the text of a file. `None` if it may not be shown, or if it certainly has none of `parts`; no
    /// parts means that nothing is known about the text.
    pub(super) fn read_if_contains(self, path: &str, parts: &[String]) -> Option<String> {
        if self.filter.is_some_and(|(filter, _)| !filter.may_contain(path, parts)) {
            return None;
        }
        let file = read_file(self.tree, path).ok()?;
        if let Some((filter, keeper)) = self.filter
            // A file that changed since the refresh is compared again by the next one.
            && indexed_hash(keeper, path) == Some(file.sha256)
        {
            filter.add_file(path, file.sha256, &file.text);
        }
        Some(file.text)
    }
}

fn indexed_hash(keeper: &IncrementalIndex, path: &str) -> Option<Sha256> {
    let mark = keeper.file_mark(keeper.index().find_path(path)?)?;
    mark.content.map(Sha256::from)
}
