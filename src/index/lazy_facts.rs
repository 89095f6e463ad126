//! The facts of a file, decoded from the cached record on first use.
//!
//! Most queries need few files, and queries over all files need only a small part of each record.

use std::hash::Hasher as _;
use std::sync::OnceLock;

use rustc_hash::FxHasher;
use serde::Deserialize;

use super::facts::{Export, FileFacts, Import};
use super::language::Language;

/// Bytes of a name's hash.
const HASH_BYTES: usize = 4;

/// The facts of one file, or the bytes they are stored as.
#[derive(Clone, Debug)]
pub struct LazyFacts {
    facts: OnceLock<Option<FileFacts>>,
    kept: Option<StoredFacts>,
}

/// A verified record, with the offsets of the name hashes and of the facts.
#[derive(Clone, Debug)]
struct StoredFacts {
    blob: Vec<u8>,
    names: usize,
    facts: usize,
}

/// The imports and exports of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses<'f> {
    /// In source order.
    pub imports: &'f [Import],
    /// In source order.
    pub exports: &'f [Export],
}

/// The first fields of the facts, which are decoded without the rest.
#[derive(Deserialize)]
struct FactsHeader {
    _language: Language,
    _parse_error: bool,
    imports: Vec<Import>,
    exports: Vec<Export>,
}

impl LazyFacts {
    /// Wraps facts that are already decoded.
    pub fn from_facts(facts: Option<FileFacts>) -> Self {
        Self { facts: OnceLock::from(facts), kept: None }
    }

    /// Wraps a record whose checksum was verified; the facts start at `begin` and are decoded
    /// later.
    ///
    /// Returns `None` if the record ends too early.
    pub fn read_later(blob: Vec<u8>, begin: usize) -> Option<Self> {
        let rest = blob.get(begin..)?;
        let (_, rest) = postcard::take_from_bytes::<&[u8]>(rest).ok()?;
        let facts = blob.len() - rest.len();
        Some(Self { facts: OnceLock::new(), kept: Some(StoredFacts { blob, names: begin, facts }) })
    }

    /// Returns the facts; `None` for files without a grammar.
    pub fn facts(&self) -> Option<&FileFacts> {
        self.facts.get_or_init(|| postcard::from_bytes(self.stored_bytes()?).ok()?).as_ref()
    }

    /// Returns the language of the file.
    pub fn language(&self) -> Option<Language> {
        match (self.facts.get(), self.stored_bytes()) {
            (None, Some(kept)) => postcard::take_from_bytes::<Option<Language>>(kept).ok()?.0,
            _ => self.facts().map(|facts| facts.language),
        }
    }

    /// Calls `ask` with the imports and exports, without decoding the other facts.
    pub fn with_uses<T>(&self, ask: impl FnOnce(Uses<'_>) -> T) -> Option<T> {
        // The header is enough as long as no query has decoded all facts.
        if let (None, Some(kept)) = (self.facts.get(), self.stored_bytes()) {
            let begin = postcard::take_from_bytes::<Option<FactsHeader>>(kept).ok()?.0?;
            return Some(ask(Uses { imports: &begin.imports, exports: &begin.exports }));
        }
        let facts = self.facts()?;
        Some(ask(Uses { imports: &facts.imports, exports: &facts.exports }))
    }

    /// Returns the name hash of every symbol, in their order.
    pub fn name_hashes(&self) -> Vec<u32> {
        let Some(kept) = self.kept.as_ref().filter(|_| self.facts.get().is_none()) else {
            let symbols = self.facts().map(|facts| facts.symbols.as_slice()).unwrap_or_default();
            return symbols.iter().map(|symbol| hash_name(&symbol.name)).collect();
        };
        let names = kept.blob.get(kept.names..).unwrap_or_default();
        let names: &[u8] =
            postcard::take_from_bytes(names).map(|(names, _)| names).unwrap_or_default();
        names.as_chunks::<HASH_BYTES>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    /// Appends the stored form to `body`; `None` if it cannot be encoded.
    pub fn append_stored(&self, mut body: Vec<u8>) -> Option<Vec<u8>> {
        // An unchanged record is copied without decoding it.
        if let Some(kept) = &self.kept {
            body.extend_from_slice(kept.blob.get(kept.names..)?);
            return Some(body);
        }
        let names: Vec<u8> = self.name_hashes().into_iter().flat_map(u32::to_le_bytes).collect();
        let body = postcard::to_extend(names.as_slice(), body).ok()?;
        postcard::to_extend(&self.facts(), body).ok()
    }

    fn stored_bytes(&self) -> Option<&[u8]> {
        let kept = self.kept.as_ref()?;
        kept.blob.get(kept.facts..)
    }
}

/// Returns the hash by which a name is looked up. Different names can have the same hash, so
/// callers compare the names too.
pub fn hash_name(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

impl PartialEq for LazyFacts {
    fn eq(&self, other: &Self) -> bool {
        self.facts() == other.facts()
    }
}

impl Eq for LazyFacts {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::language;

    const TEXT: &str = "import { a, b as c } from './x';\nexport { d } from 'y';\nexport class Cart { add() {} }\n\
        it('adds', () => {});\n";

    fn facts() -> FileFacts {
        language::parse(Language::TypeScript, TEXT).facts
    }

    fn stored_bytes(held: &LazyFacts) -> LazyFacts {
        LazyFacts::read_later(held.append_stored(vec![7; 3]).unwrap(), 3).unwrap()
    }

    #[test]
    fn a_part_that_is_read_alone_is_what_the_whole_says() {
        let (facts, at_hand) = (facts(), LazyFacts::from_facts(Some(facts())));
        for held in [at_hand.clone(), stored_bytes(&at_hand), stored_bytes(&stored_bytes(&at_hand))]
        {
            assert_eq!(held.language(), Some(Language::TypeScript));
            let uses = held.with_uses(|uses| (uses.imports.to_vec(), uses.exports.to_vec()));
            assert_eq!(uses, Some((facts.imports.clone(), facts.exports.clone())));
            let names: Vec<u32> =
                facts.symbols.iter().map(|symbol| hash_name(&symbol.name)).collect();
            assert_eq!((held.name_hashes(), names.is_empty()), (names, false));
            assert_eq!(held.facts(), Some(&facts));
        }
    }

    #[test]
    fn a_file_that_no_grammar_reads_has_no_part_either() {
        for held in [LazyFacts::from_facts(None), stored_bytes(&LazyFacts::from_facts(None))] {
            assert_eq!(
                (held.language(), held.with_uses(|_| ()), held.name_hashes()),
                (None, None, vec![])
            );
            assert_eq!(held.facts(), None);
        }
    }

    #[test]
    fn a_blob_that_ends_too_early_is_none() {
        assert!(LazyFacts::read_later(vec![9, 9], 1).is_none());
        assert!(LazyFacts::read_later(Vec::new(), 5).is_none());
    }
}
