//! What is known of a file, read from its blob only when somebody asks: most questions ask of few files,
//! and those that ask of all want little of each.

use std::hash::Hasher as _;
use std::sync::OnceLock;

use rustc_hash::FxHasher;
use serde::Deserialize;

use super::facts::{Export, FileFacts, Import};
use super::language::Language;

/// Bytes of a name's hash.
const HASH_BYTES: usize = 4;

/// The facts of one file, or the bytes they are kept as.
#[derive(Clone, Debug)]
pub struct Held {
    facts: OnceLock<Option<FileFacts>>,
    kept: Option<Kept>,
}

/// A sound blob, and where in it the hashes of names and the facts begin.
#[derive(Clone, Debug)]
struct Kept {
    blob: Vec<u8>,
    names: usize,
    facts: usize,
}

/// What a file takes from others and gives away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses<'f> {
    /// In source order.
    pub imports: &'f [Import],
    /// In source order.
    pub exports: &'f [Export],
}

/// How facts begin: a part that is read without the rest.
#[derive(Deserialize)]
struct Beginning {
    _language: Language,
    _parse_error: bool,
    imports: Vec<Import>,
    exports: Vec<Export>,
}

impl Held {
    /// Returns facts that are at hand.
    pub fn of(facts: Option<FileFacts>) -> Self {
        Self { facts: OnceLock::from(facts), kept: None }
    }

    /// Returns what was written, to be read later; it begins there in a blob whose sum is right.
    pub fn read_later(blob: Vec<u8>, begin: usize) -> Option<Self> {
        let rest = blob.get(begin..)?;
        let (_, rest) = postcard::take_from_bytes::<&[u8]>(rest).ok()?;
        let facts = blob.len() - rest.len();
        Some(Self { facts: OnceLock::new(), kept: Some(Kept { blob, names: begin, facts }) })
    }

    /// Returns the facts; `None` where no grammar reads the file.
    pub fn facts(&self) -> Option<&FileFacts> {
        self.facts.get_or_init(|| postcard::from_bytes(self.kept()?).ok()?).as_ref()
    }

    /// Returns the grammar that read the file.
    pub fn language(&self) -> Option<Language> {
        match (self.facts.get(), self.kept()) {
            (None, Some(kept)) => postcard::take_from_bytes::<Option<Language>>(kept).ok()?.0,
            _ => self.facts().map(|facts| facts.language),
        }
    }

    /// Asks what the file takes and gives away; the rest of the facts is not read for it.
    pub fn with_uses<T>(&self, ask: impl FnOnce(Uses<'_>) -> T) -> Option<T> {
        if let (None, Some(kept)) = (self.facts.get(), self.kept()) {
            let begin = postcard::take_from_bytes::<Option<Beginning>>(kept).ok()?.0?;
            return Some(ask(Uses { imports: &begin.imports, exports: &begin.exports }));
        }
        let facts = self.facts()?;
        Some(ask(Uses { imports: &facts.imports, exports: &facts.exports }))
    }

    /// Returns the hashes of the names of all symbols, in their order.
    pub fn names(&self) -> Vec<u32> {
        let Some(kept) = self.kept.as_ref().filter(|_| self.facts.get().is_none()) else {
            let symbols = self.facts().map(|facts| facts.symbols.as_slice()).unwrap_or_default();
            return symbols.iter().map(|symbol| hash(&symbol.name)).collect();
        };
        let names = kept.blob.get(kept.names..).unwrap_or_default();
        let names: &[u8] =
            postcard::take_from_bytes(names).map(|(names, _)| names).unwrap_or_default();
        names.as_chunks::<HASH_BYTES>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    /// Appends it all as it is kept.
    pub fn write(&self, mut body: Vec<u8>) -> Option<Vec<u8>> {
        if let Some(kept) = &self.kept {
            body.extend_from_slice(kept.blob.get(kept.names..)?);
            return Some(body);
        }
        let names: Vec<u8> = self.names().into_iter().flat_map(u32::to_le_bytes).collect();
        let body = postcard::to_extend(names.as_slice(), body).ok()?;
        postcard::to_extend(&self.facts(), body).ok()
    }

    fn kept(&self) -> Option<&[u8]> {
        let kept = self.kept.as_ref()?;
        kept.blob.get(kept.facts..)
    }
}

/// Returns the hash that a name is found by; whoever finds one compares the names too.
pub fn hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.facts() == other.facts()
    }
}

impl Eq for Held {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::language;

    const TEXT: &str = "import { a, b as c } from './x';\nexport { d } from 'y';\nexport class Cart { add() {} }\n\
        it('adds', () => {});\n";

    fn facts() -> FileFacts {
        language::parse(Language::TypeScript, TEXT).facts
    }

    fn kept(held: &Held) -> Held {
        Held::read_later(held.write(vec![7; 3]).unwrap(), 3).unwrap()
    }

    #[test]
    fn a_part_that_is_read_alone_is_what_the_whole_says() {
        let (facts, at_hand) = (facts(), Held::of(Some(facts())));
        for held in [at_hand.clone(), kept(&at_hand), kept(&kept(&at_hand))] {
            assert_eq!(held.language(), Some(Language::TypeScript));
            let uses = held.with_uses(|uses| (uses.imports.to_vec(), uses.exports.to_vec()));
            assert_eq!(uses, Some((facts.imports.clone(), facts.exports.clone())));
            let names: Vec<u32> = facts.symbols.iter().map(|symbol| hash(&symbol.name)).collect();
            assert_eq!((held.names(), names.is_empty()), (names, false));
            assert_eq!(held.facts(), Some(&facts));
        }
    }

    #[test]
    fn a_file_that_no_grammar_reads_has_no_part_either() {
        for held in [Held::of(None), kept(&Held::of(None))] {
            assert_eq!(
                (held.language(), held.with_uses(|_| ()), held.names()),
                (None, None, vec![])
            );
            assert_eq!(held.facts(), None);
        }
    }

    #[test]
    fn a_blob_that_ends_too_early_is_none() {
        assert!(Held::read_later(vec![9, 9], 1).is_none());
        assert!(Held::read_later(Vec::new(), 5).is_none());
    }
}
