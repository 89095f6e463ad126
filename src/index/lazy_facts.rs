//! The facts of a file, decoded from the cached record or parsed from the disk on first use.
//!
//! Most queries need few files, and queries over all files need only a small part of each record.

use std::hash::Hasher as _;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHasher;
use serde::Deserialize;

use super::facts::{Export, FileFacts, Import};
use super::language::Language;
use super::mark::ContentHash;
use super::parser::FactsParser;

/// Bytes of the hash of a name.
const HASH_BYTES: usize = 4;

/// The facts of one file, or the source from which they are read on first use.
#[derive(Clone, Debug)]
pub struct LazyFacts {
    /// Set on first use.
    facts: OnceLock<Option<FileFacts>>,
    /// The source of facts that are not read yet.
    source: Source,
}

/// The origin of facts on first use.
#[derive(Clone, Debug)]
enum Source {
    /// They were given.
    Given,
    /// A record of the cache.
    Record(StoredFacts),
    /// The file itself.
    Disk(UnparsedFile),
}

/// A file that is parsed on first use.
#[derive(Clone, Debug)]
struct UnparsedFile {
    path: Box<str>,
    parser: Arc<FactsParser>,
    /// The hash of the content that was parsed.
    parsed: OnceLock<ContentHash>,
}

/// The content of a stored record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// The file was not parsed.
    Words,
    /// The facts, but the calls of the file are not in the cache.
    Facts,
    /// Everything.
    Whole,
}

/// A verified record, with the offsets of the name hashes and of the facts.
#[derive(Clone, Debug)]
struct StoredFacts {
    /// The record as it is in the cache.
    blob: Vec<u8>,
    coverage: Coverage,
    /// The position of the name hashes in it.
    names: usize,
    /// The position of the encoded facts in it.
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
    // Only skipped: the fields before the imports.
    _parse_error: bool,
    imports: Vec<Import>,
    exports: Vec<Export>,
}

impl LazyFacts {
    /// Wraps facts that are already decoded.
    pub fn from_facts(facts: Option<FileFacts>) -> Self {
        Self { facts: OnceLock::from(facts), source: Source::Given }
    }

    /// Wraps a file that is parsed on first use.
    pub fn parse_later(path: &str, parser: &Arc<FactsParser>) -> Self {
        let (path, parser) = (path.into(), Arc::clone(parser));
        let file = UnparsedFile { path, parser, parsed: OnceLock::new() };
        Self { facts: OnceLock::new(), source: Source::Disk(file) }
    }

    /// Wraps a record whose checksum was verified; its part starts at `begin` and is decoded
    /// later.
    ///
    /// Returns `None` if the record ends too early.
    pub fn read_later(blob: Vec<u8>, begin: usize) -> Option<Self> {
        let coverage = Coverage::from_byte(*blob.get(begin)?)?;
        let names = begin + 1;
        let (_, rest) = postcard::take_from_bytes::<&[u8]>(blob.get(names..)?).ok()?;
        let facts = blob.len() - rest.len();
        let source = Source::Record(StoredFacts { blob, coverage, names, facts });
        Some(Self { facts: OnceLock::new(), source })
    }

    /// Returns what the stored record contains or, without one, what it would contain.
    pub fn coverage(&self) -> Coverage {
        match &self.source {
            Source::Given => Coverage::Whole,
            Source::Record(kept) => kept.coverage,
            Source::Disk(file) if file.parsed.get().is_some() => Coverage::Facts,
            Source::Disk(_) => Coverage::Words,
        }
    }

    /// Returns the hash of the content that was parsed since the index was read; `None` if the
    /// facts come from elsewhere or were not needed.
    pub fn newly_parsed(&self) -> Option<ContentHash> {
        match &self.source {
            Source::Disk(file) => file.parsed.get().copied(),
            _ => None,
        }
    }

    /// Returns the facts; `None` for files without a grammar, and for files that can no longer be
    /// read.
    pub fn facts(&self) -> Option<&FileFacts> {
        let read = || match &self.source {
            Source::Given => None,
            Source::Record(kept) => postcard::from_bytes(kept.facts()?).ok()?,
            Source::Disk(file) => {
                let (hash, facts) = file.parser.parse(&file.path)?;
                // Set once: `get_or_init` calls this once.
                let _ = file.parsed.set(hash);
                Some(facts)
            }
        };
        self.facts.get_or_init(read).as_ref()
    }

    /// Returns the language of the file.
    pub fn language(&self) -> Option<Language> {
        match (self.facts.get(), &self.source) {
            (None, Source::Record(kept)) => {
                postcard::take_from_bytes::<Option<Language>>(kept.facts()?).ok()?.0
            }
            (None, Source::Disk(file)) => Language::of_path(&file.path),
            _ => self.facts().map(|facts| facts.language),
        }
    }

    /// Calls `ask` with the imports and exports, without decoding the other facts.
    pub fn with_uses<T>(&self, ask: impl FnOnce(Uses<'_>) -> T) -> Option<T> {
        // The header is enough as long as no query has decoded all facts.
        if let (None, Source::Record(kept)) = (self.facts.get(), &self.source) {
            let begin = postcard::take_from_bytes::<Option<FactsHeader>>(kept.facts()?).ok()?.0?;
            return Some(ask(Uses { imports: &begin.imports, exports: &begin.exports }));
        }
        let facts = self.facts()?;
        Some(ask(Uses { imports: &facts.imports, exports: &facts.exports }))
    }

    /// Returns the name hash of every symbol, in their order.
    pub fn name_hashes(&self) -> Vec<u32> {
        let (None, Source::Record(kept)) = (self.facts.get(), &self.source) else {
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
        body.push(self.coverage().to_byte());
        // An unchanged record is copied without decoding it.
        if let Source::Record(kept) = &self.source {
            body.extend_from_slice(kept.blob.get(kept.names..)?);
            return Some(body);
        }
        // Storing must not parse the file.
        let facts = self.facts.get().and_then(Option::as_ref);
        let symbols = facts.map(|facts| facts.symbols.as_slice()).unwrap_or_default();
        let names = symbols.iter().flat_map(|symbol| hash_name(&symbol.name).to_le_bytes());
        let names: Vec<u8> = names.collect();
        let body = postcard::to_extend(names.as_slice(), body).ok()?;
        postcard::to_extend(&facts, body).ok()
    }
}

impl StoredFacts {
    /// Returns the encoded facts.
    fn facts(&self) -> Option<&[u8]> {
        self.blob.get(self.facts..)
    }
}

impl Coverage {
    /// Returns the byte that represents the coverage in a record.
    fn to_byte(self) -> u8 {
        match self {
            Self::Words => 0,
            Self::Facts => 1,
            Self::Whole => 2,
        }
    }

    /// Returns the coverage for a byte; `None` for any other byte.
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Words, Self::Facts, Self::Whole].into_iter().find(|known| known.to_byte() == byte)
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

    fn stored_bytes(lazy: &LazyFacts) -> LazyFacts {
        LazyFacts::read_later(lazy.append_stored(vec![7; 3]).unwrap(), 3).unwrap()
    }

    #[test]
    fn a_part_that_is_read_alone_is_what_the_whole_says() {
        let (facts, at_hand) = (facts(), LazyFacts::from_facts(Some(facts())));
        for lazy in [at_hand.clone(), stored_bytes(&at_hand), stored_bytes(&stored_bytes(&at_hand))]
        {
            assert_eq!(lazy.language(), Some(Language::TypeScript));
            let uses = lazy.with_uses(|uses| (uses.imports.to_vec(), uses.exports.to_vec()));
            assert_eq!(uses, Some((facts.imports.clone(), facts.exports.clone())));
            let names: Vec<u32> =
                facts.symbols.iter().map(|symbol| hash_name(&symbol.name)).collect();
            assert_eq!((lazy.name_hashes(), names.is_empty()), (names, false));
            assert_eq!(lazy.facts(), Some(&facts));
        }
    }

    #[test]
    fn a_file_that_no_grammar_reads_has_no_part_either() {
        for lazy in [LazyFacts::from_facts(None), stored_bytes(&LazyFacts::from_facts(None))] {
            assert_eq!(
                (lazy.language(), lazy.with_uses(|_| ()), lazy.name_hashes()),
                (None, None, vec![])
            );
            assert_eq!(lazy.facts(), None);
        }
    }

    #[test]
    fn a_blob_that_ends_too_early_is_none() {
        assert!(LazyFacts::read_later(vec![9, 9], 1).is_none());
        assert!(LazyFacts::read_later(Vec::new(), 5).is_none());
    }
}
