//! The index in memory: every file of the repository with its facts, found by path and by name.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::facts::{FileFacts, Symbol};
use super::held::Held;
use super::language::{self, Language};

/// A file's place in [`Index::files`]; good for that index only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Relative to the root, `/`-separated.
    pub path: String,
    held: Held,
}

impl IndexedFile {
    /// Returns a file with what is known of it.
    pub fn new(path: String, held: Held) -> Self {
        Self { path, held }
    }

    /// Returns what its syntax tree says; `None` for a file no grammar reads, or one that is binary, too
    /// large, not text, or a link.
    pub fn facts(&self) -> Option<&FileFacts> {
        self.held.facts()
    }

    /// Returns its path and what is known of it.
    pub fn into_parts(self) -> (String, Held) {
        (self.path, self.held)
    }
}

/// All files, sorted by path, with what is found out of them when first asked for.
#[derive(Debug, Default)]
pub struct Index {
    files: Vec<IndexedFile>,
    /// Texts of the manifests (`package.json`, `tsconfig.json`, `go.mod`, `Cargo.toml`, `pyproject.toml` …)
    /// by path, that say how imports are resolved.
    manifests: HashMap<String, String>,
    by_name: OnceLock<Names>,
}

/// Where each name is defined: the file, and the place in its symbols.
type Names = HashMap<Box<str>, Vec<(FileId, u32)>>;

impl Index {
    /// Returns the index of these files and manifests.
    pub fn new(mut files: Vec<IndexedFile>, manifests: HashMap<String, String>) -> Self {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Self { files, manifests, by_name: OnceLock::new() }
    }

    /// Returns the index of texts at hand; every text may be asked for as a manifest.
    pub fn of_texts(texts: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| {
            let facts =
                Language::of_path(path).map(|language| language::parse(language, text).facts);
            IndexedFile::new((*path).to_owned(), Held::of(facts))
        };
        let manifest = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Self::new(texts.iter().map(file).collect(), texts.iter().map(manifest).collect())
    }

    /// Returns the files and manifests the index was made of.
    pub fn into_parts(self) -> (Vec<IndexedFile>, HashMap<String, String>) {
        (self.files, self.manifests)
    }

    /// Returns every file, sorted by path.
    pub fn files(&self) -> &[IndexedFile] {
        &self.files
    }

    /// Returns the file's place, `None` when the index does not hold it.
    pub fn find(&self, path: &str) -> Option<FileId> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        u32::try_from(at).ok().map(FileId)
    }

    /// Returns a file by its place.
    pub fn file(&self, id: FileId) -> Option<&IndexedFile> {
        self.files.get(id.0 as usize)
    }

    /// Returns the text of a manifest.
    pub fn manifest(&self, path: &str) -> Option<&str> {
        self.manifests.get(path).map(String::as_str)
    }

    /// Returns every definition of a name (tests named by a text left out), in the order of paths.
    pub fn definitions(&self, name: &str) -> Vec<(FileId, &Symbol)> {
        let found = self.places(name).iter().filter_map(|(id, at)| {
            let facts = self.file(*id)?.facts()?;
            Some((*id, facts.symbols.get(*at as usize)?))
        });
        found.collect()
    }

    /// Returns the same as files and places in their symbols.
    pub fn places(&self, name: &str) -> &[(FileId, u32)] {
        self.by_name.get_or_init(|| self.names()).get(name).map_or(&[], Vec::as_slice)
    }

    fn names(&self) -> HashMap<Box<str>, Vec<(FileId, u32)>> {
        let mut names: HashMap<Box<str>, Vec<(FileId, u32)>> = HashMap::new();
        for (file, id) in self.files.iter().zip(0..) {
            for (symbol, at) in file.facts().into_iter().flat_map(|facts| &facts.symbols).zip(0..) {
                if symbol.kind != super::facts::SymbolKind::Test {
                    names.entry(symbol.name.clone()).or_default().push((FileId(id), at));
                }
            }
        }
        names
    }
}
