//! Facts in a shared store: which are written, and which are used.

use std::collections::BTreeMap;
use std::sync::Mutex;

use sha2::Digest as _;

use super::*;

const TEXT: &str =
    "import { a } from './a';\n\nexport function b() {\n  // TODO: c\n  return a();\n}\n";
const REQUEST: TextRequest<'static> =
    TextRequest { language: Language::TypeScript, hash: [7; 32], text: TEXT };

/// A store in memory.
#[derive(Default)]
struct MemoryStore(Mutex<BTreeMap<String, Vec<u8>>>);

impl SharedStore for MemoryStore {
    fn fetch(&self, keys: &[String]) -> Vec<Option<Vec<u8>>> {
        let records = self.0.lock().unwrap();
        keys.iter().map(|key| records.get(key).cloned()).collect()
    }

    fn add(&self, records: &[(String, Vec<u8>)]) {
        self.0.lock().unwrap().extend(records.iter().cloned());
    }

    fn append(&self, _: &str, _: &str) {}

    fn read_list(&self, _: &str, _: usize) -> Result<Vec<Vec<u8>>, String> {
        Ok(Vec::new())
    }
}

/// Reads texts of TypeScript through the store, and returns which facts are from it.
fn read(store: &MemoryStore, masker: &Masker, texts: &[&str]) -> Vec<bool> {
    let requests: Vec<_> = texts
        .iter()
        .map(|text| TextRequest { hash: sha2::Sha256::digest(text).into(), text, ..REQUEST })
        .collect();
    let read = SharedFacts { store, masker }.read_texts(&requests);
    let parsed: Vec<_> = read.iter().map(|(parsed, _)| parsed.clone()).collect();
    assert_eq!(parsed, requests.iter().map(TextRequest::parse).collect::<Vec<_>>());
    read.into_iter().map(|(_, is_shared)| is_shared).collect()
}

#[test]
fn facts_with_a_known_secret_or_without_a_tree_are_not_shared() {
    let (store, masker) = (MemoryStore::default(), Masker::new(["geheim-und-lang".to_owned()]));
    let texts = [
        TEXT,
        "// TODO: remove geheim-und-lang\n",
        "function f(key = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz') {}\n",
        "(((",
    ];
    assert_eq!(read(&store, &masker, &texts), [false; 4]);
    // A secret that is found by its form is masked in the facts already.
    assert_eq!(read(&store, &masker, &texts), [true, false, true, false]);
}

#[test]
fn facts_that_cannot_be_those_of_the_text_are_refused_whatever_their_checksum() {
    let decode = |parsed: &ParsedFile| {
        let record = store::encode(Shelf::Facts, "key", &(&parsed.facts, &parsed.calls));
        REQUEST.decode("key", &record.unwrap())
    };
    let parsed = REQUEST.parse();
    assert_eq!(decode(&parsed), Some(parsed.clone()));
    let changes: [fn(&mut ParsedFile); 15] = [
        |it| it.facts.language = Language::Ruby,
        |it| it.facts.symbols[0].start = 0,
        |it| it.facts.symbols[0].start = it.facts.symbols[0].end + 1,
        |it| it.facts.symbols[0].end = 8,
        |it| it.facts.symbols[0].line = u32::MAX,
        |it| it.facts.symbols[0].parent = Some(0),
        |it| it.facts.symbols[0].signature = "x".repeat(MAX_TEXT + 1).into(),
        |it| it.facts.symbols[0].name = "\x1b]0;x\x07".into(),
        |it| it.facts.imports[0].line = 0,
        |it| it.facts.exports[0].line = 8,
        |it| it.facts.todos[0].line = 8,
        |it| it.calls[0].line = 0,
        |it| it.calls[0].caller = Some(1),
        |it| it.facts.symbols.clear(),
        |it| (it.facts.parse_error, it.facts.symbols, it.calls) = (true, Vec::new(), Vec::new()),
    ];
    for (at, change) in changes.iter().enumerate() {
        let mut changed = parsed.clone();
        change(&mut changed);
        assert_eq!(decode(&changed), None, "change {at}");
    }
}
