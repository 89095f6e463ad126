//! The index in memory: every file of the repository with its facts, found by path and by name.

use std::collections::HashMap;
use std::sync::Arc;

pub use super::file_id::FileId;

use super::facts::{FileFacts, Symbol, SymbolKind};
use super::lazy_facts::LazyFacts;
use super::term_index::TermIndex;
use papayu_lang::Language;

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

    /// Returns the language by which the file is parsed. `None` for a file without facts.
    pub fn language(&self) -> Option<Language> {
        self.lazy.language()
    }

    /// Splits the file into its path and its facts.
    pub fn into_parts(self) -> (String, LazyFacts) {
        (self.path, self.lazy)
    }
}

/// All files of a repository, sorted by path.
#[derive(Debug, Default)]
pub struct Index {
    files: Vec<IndexedFile>,
    /// Texts of the manifests (`package.json`, `tsconfig.json`, `go.mod`, `Cargo.toml`, `pyproject.toml` …)
    /// by path, that say how imports are resolved.
    manifests: HashMap<String, String>,
    /// The words of files that are parsed on demand; `None` if all are parsed.
    words: Option<Arc<TermIndex>>,
}

impl Index {
    /// Creates an index of these files and manifests.
    pub fn new(mut files: Vec<IndexedFile>, manifests: HashMap<String, String>) -> Self {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Self { files, manifests, words: None }
    }

    /// Creates an index of `(path, text)` pairs. Every text is also available as a manifest.
    #[cfg(any(test, feature = "testing"))]
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

    /// Returns the files, without the manifests.
    pub fn into_files(self) -> Vec<IndexedFile> {
        self.files
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

    /// Returns the file with this id. `None` if there is none.
    pub fn file(&self, id: FileId) -> Option<&IndexedFile> {
        self.files.get(id.0 as usize)
    }

    /// Returns the text of the manifest at this path. `None` if there is none.
    pub fn manifest(&self, path: &str) -> Option<&str> {
        self.manifests.get(path).map(String::as_str)
    }

    /// Returns every definition of a name, sorted by path. Tests with a text as name are omitted.
    pub fn definitions(&self, name: &str) -> Vec<(FileId, &Symbol)> {
        let places = self.definition_places(name).into_iter();
        places.filter_map(|(id, at)| Some((id, self.symbol(id, at)?))).collect()
    }

    /// Returns the same definitions as file ids and positions in the symbols of the file.
    pub fn definition_places(&self, name: &str) -> Vec<(FileId, u32)> {
        let files = self.find_named(&[name], usize::MAX).files;
        self.places_in(&files, |symbol| *symbol.name == *name)
    }

    /// Returns the places of the definitions with `query`, which is in lower case, in their names, in the order of
    /// files. Tests with a text as name are omitted.
    pub(super) fn places_containing(&self, query: &str) -> Vec<(FileId, u32)> {
        let files: Vec<FileId> = (0..).map(FileId).take(self.files.len()).collect();
        self.parse_files(&files);
        self.places_in(&files, |symbol| symbol.name.to_lowercase().contains(query))
    }

    /// Returns the symbol at a position in the symbols of a file. `None` if there is none, or the file has no
    /// facts.
    pub fn symbol(&self, id: FileId, at: u32) -> Option<&Symbol> {
        self.file(id)?.facts()?.symbols.get(at as usize)
    }

    /// Returns the places of the symbols that are no tests and for which `wanted` returns `true`.
    // One pass takes some milliseconds in 10,000 files, so there is no table of names.
    fn places_in(&self, files: &[FileId], wanted: impl Fn(&Symbol) -> bool) -> Vec<(FileId, u32)> {
        let places = files.iter().flat_map(|id| {
            let facts = self.file(*id).and_then(IndexedFile::facts);
            let symbols = facts.into_iter().flat_map(|facts| &facts.symbols).zip(0..);
            symbols.map(|(symbol, at)| (symbol, (*id, at)))
        });
        let named = places.filter(|(symbol, _)| symbol.kind != SymbolKind::Test && wanted(symbol));
        named.map(|(_, place)| place).collect()
    }
}
