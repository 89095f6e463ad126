//! Finds definitions by name. If files are parsed on demand, the words of the files decide
//! which ones are parsed.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{FileId, Index};
use super::facts::{Symbol, SymbolKind};
use papayu_system::map_parallel;

/// The files in which names are searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFiles<'n> {
    /// The names that are searched: all, or the rarest.
    pub names: BTreeSet<&'n str>,
    /// The files with a grammar that may contain one of them, sorted and parsed.
    pub files: Vec<FileId>,
}

impl Index {
    /// Returns the files that may contain one of the names, parsed on all cores.
    ///
    /// Files are taken name by name, the rarest first, as long as they are at most `limit`; more
    /// frequent names are left out. If all files are parsed already, the result is all names and
    /// files.
    pub fn find_named<'n>(&self, names: &[&'n str], limit: usize) -> NamedFiles<'n> {
        let has_grammar =
            |id: &FileId| self.file(*id).is_some_and(|file| file.language().is_some());
        let Some(words) = self.words() else {
            let files = (0..).map(FileId).take(self.files().len()).filter(has_grammar).collect();
            return NamedFiles { names: names.iter().copied().collect(), files };
        };
        let mut holders: Vec<(Vec<FileId>, &'n str)> =
            words.files_with(names).into_iter().zip(names.iter().copied()).collect();
        for (files, _) in &mut holders {
            files.retain(has_grammar);
        }
        // Rare names first: they need few files and are the best evidence.
        holders.sort_by_key(|(files, _)| files.len());
        let mut found = NamedFiles::default();
        let mut files = BTreeSet::new();
        for (more, name) in holders {
            let added = more.iter().filter(|id| !files.contains(*id)).count();
            if files.len() + added > limit {
                break;
            }
            files.extend(more);
            found.names.insert(name);
        }
        found.files = files.into_iter().collect();
        self.parse_files(&found.files);
        found
    }

    /// Returns the definitions of several names, each sorted by path.
    /// Names that more than `limit` files contain together are left out.
    pub fn definitions_of<'n>(
        &self,
        names: &[&'n str],
        limit: usize,
    ) -> BTreeMap<&'n str, Vec<(FileId, &Symbol)>> {
        let named = self.find_named(names, limit);
        let mut found: BTreeMap<&'n str, Vec<(FileId, &Symbol)>> = BTreeMap::new();
        for id in named.files {
            let facts = self.file(id).and_then(|file| file.facts());
            for symbol in facts.into_iter().flat_map(|facts| &facts.symbols) {
                let name = named.names.get(&*symbol.name);
                if let Some(name) = name.filter(|_| symbol.kind != SymbolKind::Test) {
                    found.entry(name).or_default().push((id, symbol));
                }
            }
        }
        found
    }

    /// Returns the terms of `(path, text)` pairs; files that are not in the index are left out.
    #[cfg(any(test, feature = "testing"))]
    pub fn terms_of_texts(&self, texts: &[(&str, &str)]) -> super::term_index::TermIndex {
        let bag = |(path, text): &(&str, &str)| {
            Some((self.find_path(path)?, super::term_index::encode_bag(text).into()))
        };
        super::term_index::TermIndex::new(texts.iter().filter_map(bag).collect())
    }

    /// Parses these files now, on all cores, if they are parsed on demand.
    pub fn parse_files(&self, files: &[FileId]) {
        map_parallel(files.len(), |at| {
            files.get(at).and_then(|id| self.file(*id)).is_some_and(|file| file.facts().is_some())
        });
    }

    /// Parses all files now, on all cores, if they are parsed on demand.
    pub fn parse_all(&self) {
        let files: Vec<FileId> = (0..).map(FileId).take(self.files().len()).collect();
        self.parse_files(&files);
    }
}

/// Returns the word that every usual import of a file contains: its name or, for the main file of a folder, the name of the
/// folder.
pub fn module_word(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    match (stem, parts.next()) {
        ("index" | "mod" | "__init__", Some(folder)) => folder,
        _ => stem,
    }
}

#[cfg(test)]
mod tests;
