//! The facts of a file, decoded from the cached record or parsed from the disk on first use.
//!
//! Most queries need few files.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::facts::FileFacts;
use super::mark::ContentHash;
use super::parser::FactsParser;
use papayu_lang::Language;

/// The facts of one file, or the source from which they are read on first use.
#[derive(Clone, Debug)]
pub struct LazyFacts {
    /// Set on first use.
    facts: OnceLock<Option<FileFacts>>,
    /// The source of facts that are not read yet.
    source: FactsSource,
}

/// The origin of facts on first use.
#[derive(Clone, Debug)]
enum FactsSource {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// The file was not parsed.
    Words,
    /// The facts, but the calls of the file are not in the cache.
    Facts,
    /// Everything.
    Whole,
}

/// A verified record.
#[derive(Clone, Debug)]
struct StoredFacts {
    /// The record as it is in the cache.
    blob: Vec<u8>,
    coverage: Coverage,
    /// The position of the encoded facts in it.
    facts: usize,
}

impl LazyFacts {
    /// Wraps facts that are already decoded.
    pub fn from_facts(facts: Option<FileFacts>) -> Self {
        Self { facts: OnceLock::from(facts), source: FactsSource::Given }
    }

    /// Wraps a file that is parsed on first use.
    pub fn parse_later(path: &str, parser: &Arc<FactsParser>) -> Self {
        let (path, parser) = (path.into(), Arc::clone(parser));
        let file = UnparsedFile { path, parser, parsed: OnceLock::new() };
        Self { facts: OnceLock::new(), source: FactsSource::Disk(file) }
    }

    /// Wraps a record with a verified checksum; its part starts at byte `begin` and is decoded later.
    ///
    /// Returns `None` if the record ends too early.
    pub fn read_later(blob: Vec<u8>, begin: usize) -> Option<Self> {
        let (coverage, rest) = postcard::take_from_bytes(blob.get(begin..)?).ok()?;
        let facts = blob.len() - rest.len();
        let source = FactsSource::Record(StoredFacts { blob, coverage, facts });
        Some(Self { facts: OnceLock::new(), source })
    }

    /// Returns what the stored record contains or, without one, what it would contain.
    pub fn coverage(&self) -> Coverage {
        match &self.source {
            FactsSource::Given => Coverage::Whole,
            FactsSource::Record(kept) => kept.coverage,
            FactsSource::Disk(file) if file.parsed.get().is_some() => Coverage::Facts,
            FactsSource::Disk(_) => Coverage::Words,
        }
    }

    /// Returns the hash of the content that was parsed since the index was read; `None` if the
    /// facts come from elsewhere or were not needed.
    pub fn newly_parsed(&self) -> Option<ContentHash> {
        match &self.source {
            FactsSource::Disk(file) => file.parsed.get().copied(),
            _ => None,
        }
    }

    /// Returns the facts; `None` for files without a grammar, and for files that can no longer be
    /// read.
    pub fn facts(&self) -> Option<&FileFacts> {
        let read = || match &self.source {
            FactsSource::Given => None,
            FactsSource::Record(kept) => postcard::from_bytes(kept.facts()?).ok()?,
            FactsSource::Disk(file) => {
                let (hash, facts) = file.parser.parse(&file.path)?;
                // Set once: `get_or_init` calls this once.
                let _ = file.parsed.set(hash);
                Some(facts)
            }
        };
        self.facts.get_or_init(read).as_ref()
    }

    /// Returns the language of the file. `None` for a file without facts.
    pub fn language(&self) -> Option<Language> {
        match (self.facts.get(), &self.source) {
            (None, FactsSource::Record(kept)) => {
                postcard::take_from_bytes::<Option<Language>>(kept.facts()?).ok()?.0
            }
            (None, FactsSource::Disk(file)) => Language::of_path(&file.path),
            _ => self.facts().map(|facts| facts.language),
        }
    }

    /// Appends the stored form to `body`; `None` if it cannot be encoded.
    pub fn append_stored(&self, body: Vec<u8>) -> Option<Vec<u8>> {
        let mut body = postcard::to_extend(&self.coverage(), body).ok()?;
        // An unchanged record is copied without decoding it.
        if let FactsSource::Record(kept) = &self.source {
            body.extend_from_slice(kept.facts()?);
            return Some(body);
        }
        // Storing must not parse the file.
        postcard::to_extend(&self.facts.get().and_then(Option::as_ref), body).ok()
    }
}

impl StoredFacts {
    /// Returns the encoded facts.
    fn facts(&self) -> Option<&[u8]> {
        self.blob.get(self.facts..)
    }
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
    use crate::language;

    const TEXT: &str = "import { a, b as c } from './x';\nexport { d } from 'y';\nexport class Cart { add() {} }\n\
        it('adds', () => {});\n";

    fn facts() -> FileFacts {
        language::parse(Language::TypeScript, TEXT).facts
    }

    fn stored_bytes(lazy: &LazyFacts) -> LazyFacts {
        LazyFacts::read_later(lazy.append_stored(vec![7; 3]).unwrap(), 3).unwrap()
    }

    #[test]
    fn stored_facts_are_those_that_were_given() {
        let (facts, at_hand) = (facts(), LazyFacts::from_facts(Some(facts())));
        for lazy in [at_hand.clone(), stored_bytes(&at_hand), stored_bytes(&stored_bytes(&at_hand))]
        {
            assert_eq!(lazy.language(), Some(Language::TypeScript));
            assert_eq!(lazy.facts(), Some(&facts));
        }
    }

    #[test]
    fn a_file_that_no_grammar_reads_has_no_facts() {
        for lazy in [LazyFacts::from_facts(None), stored_bytes(&LazyFacts::from_facts(None))] {
            assert_eq!((lazy.language(), lazy.facts()), (None, None));
        }
    }

    #[test]
    fn a_blob_that_ends_too_early_is_none() {
        assert!(LazyFacts::read_later(vec![9, 9], 1).is_none());
        assert!(LazyFacts::read_later(Vec::new(), 5).is_none());
    }
}
