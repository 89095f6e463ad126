//! Facts and calls of files in a store that several machines share, by the content of the file.
//!
//! Anyone who can write to the store can write a false record with a valid checksum, so a record is compared with the
//! text of its file before it is used.

use std::sync::LazyLock;

use super::facts::FileFacts;
use super::language::{self, ParsedFile};
use super::mark::ContentHash;
use super::store;
use papayu_base::domain::Sha256;
use papayu_base::text::Masker;
use papayu_lang::Language;
use papayu_system::cache::{SharedStore, Shelf};

/// Longest text of a fact in bytes, such as a name or a signature. A file with a longer one is not shared.
const MAX_TEXT: usize = 1000;

/// The version of the program, of the records and of the grammars, as keys contain it.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    Sha256::of(store::cache_version().as_bytes()).to_string().chars().take(16).collect()
});

/// A store of facts that several machines share.
#[derive(Clone, Copy)]
pub struct SharedFacts<'a> {
    /// The store.
    pub store: &'a dyn SharedStore,
    /// Finds secrets: facts with one are not shared.
    pub masker: &'a Masker,
}

/// A text that needs its facts.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextRequest<'t> {
    pub(super) language: Language,
    pub(super) hash: ContentHash,
    pub(super) text: &'t str,
}

impl SharedFacts<'_> {
    /// Returns the facts and calls of the texts, in their order, and whether they are from the store. Those that it
    /// lacks are parsed and added to it.
    pub(super) fn read_texts(&self, requests: &[TextRequest<'_>]) -> Vec<(ParsedFile, bool)> {
        if requests.is_empty() {
            return Vec::new();
        }
        let keys: Vec<String> = requests.iter().map(TextRequest::key).collect();
        let mut records = self.store.fetch(&keys).into_iter();
        let (mut read, mut added) = (Vec::with_capacity(keys.len()), Vec::new());
        for (request, key) in requests.iter().zip(keys) {
            let record = records.next().flatten();
            if let Some(parsed) = record.and_then(|record| request.decode(&key, &record)) {
                read.push((parsed, true));
                continue;
            }
            let parsed = request.parse();
            added.extend(self.encode(request, &key, &parsed).map(|record| (key, record)));
            read.push((parsed, false));
        }
        if !added.is_empty() {
            self.store.add(&added);
        }
        read
    }

    /// Returns the record of facts and calls; `None` if they cannot be shared.
    fn encode(&self, request: &TextRequest<'_>, key: &str, parsed: &ParsedFile) -> Option<Vec<u8>> {
        let texts = list_texts(parsed).join("\n");
        if self.masker.mask(&texts) != texts || !request.accepts(parsed) {
            return None;
        }
        store::encode(Shelf::Facts, key, &(&parsed.facts, &parsed.calls))
    }
}

impl TextRequest<'_> {
    /// Returns the key of the record.
    fn key(&self) -> String {
        format!("papayu:facts:{}:{:?}:{}", *VERSION, self.language, Sha256::from(self.hash))
    }

    /// Returns the facts and calls of the text.
    pub(super) fn parse(&self) -> ParsedFile {
        language::parse(self.language, self.text)
    }

    /// Returns the facts and calls of a record; `None` if it is damaged or cannot be of this text.
    fn decode(&self, key: &str, record: &[u8]) -> Option<ParsedFile> {
        let (facts, calls) = store::decode(Shelf::Facts, key, record)?;
        Some(ParsedFile { facts, calls }).filter(|parsed| self.accepts(parsed))
    }

    /// Returns `true` if the facts can be those of the text: each line exists, each position is that of a symbol, and
    /// texts are short and of one line.
    fn accepts(&self, parsed: &ParsedFile) -> bool {
        let ParsedFile { facts, calls } = parsed;
        // Without a grammar, or with too little memory, there is no tree. Another machine may have one.
        let is_parsed = !(facts.parse_error && facts.symbols.is_empty());
        let lines = memchr::memchr_iter(b'\n', self.text.as_bytes()).count() + 1;
        let has_line = |line: u32| (1..=lines).contains(&(line as usize));
        let is_before = |at: Option<u32>, end: usize| at.is_none_or(|at| (at as usize) < end);
        let mut symbols = facts.symbols.iter().enumerate();
        is_parsed
            && facts.language == self.language
            && symbols.all(|(at, symbol)| {
                [symbol.start, symbol.line, symbol.end].into_iter().all(has_line)
                    && symbol.start <= symbol.end
                    && is_before(symbol.parent, at)
            })
            && facts.imports.iter().all(|import| has_line(import.line))
            && facts.exports.iter().all(|export| has_line(export.line))
            && facts.todos.iter().all(|todo| has_line(todo.line))
            && calls
                .iter()
                .all(|call| has_line(call.line) && is_before(call.caller, facts.symbols.len()))
            && list_texts(parsed)
                .iter()
                .all(|text| text.len() <= MAX_TEXT && !text.contains(char::is_control))
    }
}

/// Returns every text in the facts and calls.
fn list_texts(parsed: &ParsedFile) -> Vec<&str> {
    let ParsedFile { facts, calls } = parsed;
    // Without `..`: a new field must be listed here.
    let FileFacts { language: _, parse_error: _, imports, exports, symbols, complexity: _, todos } =
        facts;
    let mut texts = Vec::new();
    for import in imports {
        texts.extend([Some(&import.module), import.alias.as_ref()].into_iter().flatten());
        texts.extend(
            import.names.iter().flat_map(|it| [Some(&it.name), it.alias.as_ref()]).flatten(),
        );
    }
    for export in exports {
        let all = [Some(&export.name), export.local.as_ref(), export.from.as_ref()];
        texts.extend(all.into_iter().flatten());
    }
    texts.extend(symbols.iter().flat_map(|symbol| [&symbol.name, &symbol.signature]));
    texts.extend(todos.iter().flat_map(|todo| [&todo.tag, &todo.text]));
    texts.extend(calls.iter().map(|call| &call.callee));
    texts.into_iter().map(AsRef::as_ref).collect()
}

#[cfg(test)]
mod tests;
