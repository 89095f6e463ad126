//! The index in memory: every file of the repository with its facts, found by path and by name.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::facts::{FileFacts, Symbol, SymbolKind};
use super::held::{Held, Uses, hash};
use super::language::{self, Language};
use crate::system::map_parallel;

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

    /// Returns the grammar that read it.
    pub fn language(&self) -> Option<Language> {
        self.held.language()
    }

    /// Asks what it takes from others and gives away; cheaper than all its facts.
    pub fn with_uses<T>(&self, ask: impl FnOnce(Uses<'_>) -> T) -> Option<T> {
        self.held.with_uses(ask)
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

/// Where each name is defined, sorted: the name's hash, the file, and the place in its symbols.
type Names = Vec<(u32, FileId, u32)>;

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

    /// Finds out where names are defined, if that has not been asked yet.
    pub fn prepare(&self) {
        self.by_name.get_or_init(|| self.names());
    }

    /// Returns every definition of a name (tests named by a text left out), in the order of paths.
    pub fn definitions(&self, name: &str) -> Vec<(FileId, &Symbol)> {
        self.defined(name).map(|(id, _, symbol)| (id, symbol)).collect()
    }

    /// Returns the same as files and places in their symbols.
    pub fn places(&self, name: &str) -> Vec<(FileId, u32)> {
        self.defined(name).map(|(id, at, _)| (id, at)).collect()
    }

    fn defined<'i>(&'i self, name: &str) -> impl Iterator<Item = (FileId, u32, &'i Symbol)> {
        let names = self.by_name.get_or_init(|| self.names());
        let wanted = hash(name);
        let from = names.partition_point(|(hash, ..)| *hash < wanted);
        let held = names.iter().skip(from).take_while(move |(hash, ..)| *hash == wanted);
        held.filter_map(move |(_, id, at)| {
            let symbol = self.file(*id)?.facts()?.symbols.get(*at as usize)?;
            let is_it = *symbol.name == *name && symbol.kind != SymbolKind::Test;
            is_it.then_some((*id, *at, symbol))
        })
    }

    /// Returns where all names are defined or may be; the files are asked on all cores.
    fn names(&self) -> Names {
        let hashes = map_parallel(self.files.len(), |at| {
            self.files.get(at).map(|file| file.held.names()).unwrap_or_default()
        });
        let mut names = Names::new();
        for (hashes, id) in hashes.into_iter().zip((0..).map(FileId)) {
            names.extend(hashes.into_iter().zip(0..).map(|(hash, place)| (hash, id, place)));
        }
        names.sort_unstable();
        names
    }
}
