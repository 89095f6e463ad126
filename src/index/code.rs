//! The index in memory: every file of the repository with its facts, found by path and by name.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

pub use super::file_id::FileId;

use super::facts::{FileFacts, Symbol, SymbolKind};
use super::language::Language;
use super::lazy_facts::{LazyFacts, Uses, hash_name};
use super::name_table::NameTable;
use super::term_index::TermIndex;
use crate::system::map_parallel;

/// A file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Relative to the root, `/`-separated.
    pub path: String,
    lazy: LazyFacts,
}

impl IndexedFile {
    /// Creates a file from its path and its facts.
    pub fn new(path: String, lazy: LazyFacts) -> Self {
        Self { path, lazy }
    }

    /// Returns the facts with their source.
    pub fn lazy_facts(&self) -> &LazyFacts {
        &self.lazy
    }

    /// Returns the facts read from the syntax tree.
    ///
    /// `None` for files without a grammar, and for links and files that are binary, too large or
    /// not text.
    pub fn facts(&self) -> Option<&FileFacts> {
        self.lazy.facts()
    }

    /// Returns the language by which the file is parsed.
    pub fn language(&self) -> Option<Language> {
        self.lazy.language()
    }

    /// Calls `ask` with the imports and exports and returns its result. Cheaper than decoding all
    /// facts.
    pub fn with_uses<T>(&self, ask: impl FnOnce(Uses<'_>) -> T) -> Option<T> {
        self.lazy.with_uses(ask)
    }

    /// Splits the file into its path and its facts.
    pub fn into_parts(self) -> (String, LazyFacts) {
        (self.path, self.lazy)
    }
}

/// All files of a repository, sorted by path. Lookup tables are built on first use.
#[derive(Debug, Default)]
pub struct Index {
    files: Vec<IndexedFile>,
    /// Texts of the manifests (`package.json`, `tsconfig.json`, `go.mod`, `Cargo.toml`, `pyproject.toml` …)
    /// by path, that say how imports are resolved.
    manifests: HashMap<String, String>,
    by_name: OnceLock<Names>,
    by_part: OnceLock<NameTable>,
    /// The words of files that are parsed on demand; `None` if all are parsed.
    words: Option<Arc<TermIndex>>,
}

/// Definitions by name: the hash of the name, the file, and the position in its symbols. Sorted
/// by hash, so that a name is found by binary search.
type Names = Vec<(u32, FileId, u32)>;

impl Index {
    /// Creates an index of these files and manifests.
    pub fn new(mut files: Vec<IndexedFile>, manifests: HashMap<String, String>) -> Self {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Self { files, manifests, by_name: OnceLock::new(), by_part: OnceLock::new(), words: None }
    }

    /// Creates an index of `(path, text)` pairs. Every text is also available as a manifest.
    #[cfg(test)]
    pub fn of_texts(texts: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| {
            let facts = Language::of_path(path)
                .map(|language| super::language::parse(language, text).facts);
            IndexedFile::new((*path).to_owned(), LazyFacts::from_facts(facts))
        };
        let manifest = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Self::new(texts.iter().map(file).collect(), texts.iter().map(manifest).collect())
    }

    /// Searches names by the words of the files from now on, because not all files are parsed.
    pub fn search_by_words(&mut self, words: Arc<TermIndex>) {
        self.words = Some(words);
    }

    /// Returns the words of files that are parsed on demand; `None` if all are parsed.
    pub(super) fn words(&self) -> Option<&TermIndex> {
        self.words.as_deref()
    }

    /// Splits the index into its files and manifests.
    pub fn into_parts(self) -> (Vec<IndexedFile>, HashMap<String, String>) {
        (self.files, self.manifests)
    }

    /// Returns every file, sorted by path.
    pub fn files(&self) -> &[IndexedFile] {
        &self.files
    }

    /// Returns the id of the file with this path; `None` if the index has no such file.
    pub fn find_path(&self, path: &str) -> Option<FileId> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        u32::try_from(at).ok().map(FileId)
    }

    /// Returns the file with this id.
    pub fn file(&self, id: FileId) -> Option<&IndexedFile> {
        self.files.get(id.0 as usize)
    }

    /// Returns the text of the manifest at this path.
    pub fn manifest(&self, path: &str) -> Option<&str> {
        self.manifests.get(path).map(String::as_str)
    }

    /// Returns every definition of a name, sorted by path. Tests with a text as name are omitted.
    pub fn definitions(&self, name: &str) -> Vec<(FileId, &Symbol)> {
        self.find_defined(name).into_iter().map(|(id, _, symbol)| (id, symbol)).collect()
    }

    /// Returns the same definitions as file ids and positions in the symbols of the file.
    pub fn definition_places(&self, name: &str) -> Vec<(FileId, u32)> {
        self.find_defined(name).into_iter().map(|(id, at, _)| (id, at)).collect()
    }

    /// Returns the definitions of a name with their positions.
    fn find_defined(&self, name: &str) -> Vec<(FileId, u32, &Symbol)> {
        let places = self.places_named(name).into_iter();
        let defined = places.filter_map(|(id, at)| {
            let symbol = self.file(id)?.facts()?.symbols.get(at as usize)?;
            // Different names can have one hash.
            let is_it = *symbol.name == *name && symbol.kind != SymbolKind::Test;
            is_it.then_some((id, at, symbol))
        });
        defined.collect()
    }

    /// Returns the definitions with `query`, which is in lower case, in their names, in the order of files. Each has
    /// its name in lower case, its file and its position in the symbols of the file. Tests with a text as name
    /// are omitted.
    pub(super) fn names_containing(&self, query: &str) -> Vec<(&str, FileId, u32)> {
        self.by_part.get_or_init(|| self.collect_parts()).find_containing(query)
    }

    /// Collects all names in lower case, for searches by a part of a name.
    fn collect_parts(&self) -> NameTable {
        let mut table = NameTable::default();
        for (file, id) in self.files.iter().zip((0..).map(FileId)) {
            let symbols = file.facts().into_iter().flat_map(|facts| &facts.symbols).zip(0..);
            for (symbol, place) in symbols.filter(|(symbol, _)| symbol.kind != SymbolKind::Test) {
                table.push(&symbol.name, id, place);
            }
        }
        table
    }

    /// Returns the file and position of each symbol that may have this name. The caller
    /// compares the names.
    fn places_named(&self, name: &str) -> Vec<(FileId, u32)> {
        // Not all files are parsed, so the table of names would be incomplete.
        if self.words.is_some() {
            let files = self.find_named(&[name], usize::MAX).files.into_iter();
            return files.flat_map(|id| self.places_in(id)).collect();
        }
        let names = self.by_name.get_or_init(|| self.collect_names());
        let wanted = hash_name(name);
        let from = names.partition_point(|(hash, ..)| *hash < wanted);
        let matching = names.iter().skip(from).take_while(move |(hash, ..)| *hash == wanted);
        matching.map(|(_, id, at)| (*id, *at)).collect()
    }

    /// Returns the positions of all symbols of a file.
    fn places_in(&self, id: FileId) -> Vec<(FileId, u32)> {
        let facts = self.file(id).and_then(IndexedFile::facts);
        let symbols = facts.map(|facts| facts.symbols.as_slice()).unwrap_or_default();
        symbols.iter().zip(0..).map(|(_, at)| (id, at)).collect()
    }

    /// Returns the definitions of all names. Files are hashed on all cores, because the index
    /// of a large repository has millions of names.
    fn collect_names(&self) -> Names {
        let hashes = map_parallel(self.files.len(), |at| {
            self.files.get(at).map(|file| file.lazy.name_hashes()).unwrap_or_default()
        });
        let mut names = Names::new();
        for (hashes, id) in hashes.into_iter().zip((0..).map(FileId)) {
            names.extend(hashes.into_iter().zip(0..).map(|(hash, place)| (hash, id, place)));
        }
        names.sort_unstable();
        names
    }
}
