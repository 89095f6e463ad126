//! Records of the index cache. Each contains a checksum of its key and content.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

pub use super::mark::{ContentHash, FileKind, FileMark};

use super::lazy_facts::LazyFacts;
use papayu_lang::Language;
use papayu_system::cache::Shelf;

/// Version of the record format. Increase it with every change of the records or of the results of
/// [`super::language::parse`].
const FORM: u32 = 6;

/// Bytes of the checksum at the start of a record.
const SUM_BYTES: usize = 8;

/// The parser and grammars that produce the facts. A test compares it with the lock file.
const GRAMMAR_VERSIONS: &str = "tree-sitter 0.27.1, c 0.24.2, c-sharp 0.23.5, cpp 0.23.4, go 0.25.0, java 0.23.5, \
    javascript 0.25.0, json 0.24.8, php 0.25.1, python 0.25.0, ruby 0.23.1, rust 0.24.2, typescript 0.23.2, yaml 0.7.2";

/// Returns the version string of the cache. Caches with another version are not used.
pub fn cache_version() -> String {
    version_of(|language| language.tree_sitter().is_some())
}

/// Returns the version string of a program with the grammars of these languages.
fn version_of(has_grammar: impl Fn(Language) -> bool) -> String {
    // Without its grammar a file has no facts, which a program with the grammar must not take over.
    let missing: Vec<_> = Language::all().filter(|language| !has_grammar(*language)).collect();
    format!("{} {FORM} {GRAMMAR_VERSIONS} without {missing:?}", env!("CARGO_PKG_VERSION"))
}

/// Returns the path of the cache file of a repository inside `folder`. `root` is the real path of
/// the repository.
pub fn cache_file(folder: &Path, root: &Path) -> PathBuf {
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let name = hash.iter().take(12).fold(String::new(), |mut name, byte| {
        // Writing to a string does not fail.
        let _ = write!(name, "{byte:02x}");
        name
    });
    folder.join(format!("index-{name}.db"))
}

/// Returns the folder for caches.
///
/// In CI it is inside the repository, where CI systems can keep it between runs. Otherwise it is
/// the user's cache folder by the rules of the platform; `None` without a home folder.
pub fn cache_folder(root: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // All large CI systems set `CI`; GitHub's runner sets it to `true`.
    if set("CI").is_some_and(|value| value.as_os_str() != "false") {
        return Some(root.join(".papa-yu/cache"));
    }
    let custom = if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        // A relative path in it must be ignored (XDG Base Directory Specification).
        let absolute = set("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
        absolute.or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    custom.map(|folder| folder.join("papayu-batch"))
}

/// Encodes the record of a file for the facts shelf. `None` if it cannot be encoded; the file is parsed again
/// then.
pub fn encode_facts(key: &str, mark: &FileMark, lazy: &LazyFacts) -> Option<Vec<u8>> {
    let body = postcard::to_extend(mark, vec![0; SUM_BYTES]).ok()?;
    with_checksum(Shelf::Facts, key, lazy.append_stored(body)?)
}

/// Decodes a record of the facts shelf; the facts themselves are decoded on first use.
///
/// Returns `None` if the record is damaged or belongs to another key.
pub fn decode_facts(key: &str, blob: Vec<u8>) -> Option<(FileMark, LazyFacts)> {
    let (mark, rest) =
        postcard::take_from_bytes(verify_checksum(Shelf::Facts, key, &blob)?).ok()?;
    let begin = blob.len() - rest.len();
    Some((mark, LazyFacts::read_later(blob, begin)?))
}

/// Encodes a value as a record for this shelf and key. `None` if it cannot be encoded.
pub fn encode(shelf: Shelf, key: &str, value: &impl Serialize) -> Option<Vec<u8>> {
    with_checksum(shelf, key, postcard::to_extend(value, vec![0; SUM_BYTES]).ok()?)
}

/// Writes the checksum into the first bytes of a record.
fn with_checksum(shelf: Shelf, key: &str, mut blob: Vec<u8>) -> Option<Vec<u8>> {
    let (_, body) = blob.split_at_checked(SUM_BYTES)?;
    let sum = compute_checksum(shelf, key, body).to_le_bytes();
    blob.get_mut(..SUM_BYTES)?.copy_from_slice(&sum);
    Some(blob)
}

/// Decodes a record; `None` if it is damaged or belongs to another shelf or key.
pub fn decode<T: DeserializeOwned>(shelf: Shelf, key: &str, blob: &[u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(verify_checksum(shelf, key, blob)?).ok()?;
    rest.is_empty().then_some(value)
}

fn verify_checksum<'b>(shelf: Shelf, key: &str, blob: &'b [u8]) -> Option<&'b [u8]> {
    let (sum, body) = blob.split_first_chunk::<SUM_BYTES>()?;
    (compute_checksum(shelf, key, body) == u64::from_le_bytes(*sum)).then_some(body)
}

/// Returns a checksum that detects accidental damage. Deliberate changes are no threat: who can
/// write the cache can write the files too.
fn compute_checksum(shelf: Shelf, key: &str, body: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    // Shelf and key are part of the checksum, so that a record cannot be read under another key.
    hasher.write(shelf.name().as_bytes());
    hasher.write_usize(key.len());
    hasher.write(key.as_bytes());
    hasher.write_usize(body.len());
    hasher.write(body);
    hasher.finish()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the lock file is read from the disk")]
mod tests {
    use super::*;
    use crate::language;
    use papayu_system::survey::Stamp;

    #[test]
    fn a_blob_is_of_no_use_to_another_key_another_shelf_or_when_a_bit_has_turned() {
        let value = ("facts".to_owned(), 7_u32);
        let blob = encode(Shelf::Facts, "a.ts", &value).unwrap();
        let read = |shelf, key, blob: &[u8]| decode::<(String, u32)>(shelf, key, blob);
        assert_eq!(read(Shelf::Facts, "a.ts", &blob), Some(value));
        assert_eq!(read(Shelf::Facts, "b.ts", &blob), None);
        assert_eq!(read(Shelf::Calls, "a.ts", &blob), None);
        for at in 0..blob.len() {
            let mut turned = blob.clone();
            turned[at] ^= 1 << (at % 8);
            assert_eq!(read(Shelf::Facts, "a.ts", &turned), None, "byte {at}");
            assert_eq!(read(Shelf::Facts, "a.ts", &blob[..at]), None, "cut at {at}");
        }
        let longer = [blob.as_slice(), &[0]].concat();
        assert_eq!(read(Shelf::Facts, "a.ts", &longer), None);
    }

    #[test]
    fn a_record_of_another_form_is_no_record() {
        let blob = encode(Shelf::Facts, "a.ts", &"text").unwrap();
        assert_eq!(decode_facts("a.ts", blob), None);
    }

    #[test]
    fn facts_come_back_as_they_were_and_are_kept_again_unread() {
        let stamp = Stamp { len: 9, modified: 1, changed: 2, inode: 3 };
        let mark = FileMark { stamp, settled: true, kind: FileKind::Text, content: Some([7; 32]) };
        let facts = language::parse(Language::TypeScript, "export class A {}\n").facts;
        let blob =
            encode_facts("a.ts", &mark, &LazyFacts::from_facts(Some(facts.clone()))).unwrap();
        let (read, lazy) = decode_facts("a.ts", blob.clone()).unwrap();
        assert_eq!((read, encode_facts("a.ts", &mark, &lazy)), (mark, Some(blob)));
        assert_eq!(lazy.facts(), Some(&facts));
    }

    #[test]
    fn programs_with_different_grammars_do_not_share_a_cache() {
        let all = version_of(|_| true);
        let versions: Vec<_> =
            Language::all().map(|without| version_of(|it| it != without)).collect();
        assert!(!versions.contains(&all) && versions.len() > 10);
        for (at, version) in versions.iter().enumerate() {
            assert_eq!(versions.iter().position(|it| it == version), Some(at), "{version}");
        }
    }

    #[test]
    fn the_version_names_the_grammars_that_are_built_in() {
        let lock =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"));
        let lock = lock.unwrap();
        let lines: Vec<_> = lock.lines().collect();
        let version = |name: &str| {
            let at = lines.iter().position(|line| *line == format!("name = \"{name}\"")).unwrap();
            lines[at + 1].trim_start_matches("version = ").trim_matches('"').to_owned()
        };
        for named in GRAMMAR_VERSIONS.split(", ") {
            let (name, of) = named.split_once(' ').unwrap();
            let is_whole = name == "tree-sitter";
            let name = if is_whole { name.to_owned() } else { format!("tree-sitter-{name}") };
            assert_eq!(of, version(&name), "{name}: raise FORM and write its version here");
        }
        let count = lines.iter().filter(|line| line.starts_with("name = \"tree-sitter")).count();
        // tree-sitter-language is no grammar.
        let hint = "write each grammar of Cargo.lock and its version in GRAMMAR_VERSIONS";
        assert_eq!(GRAMMAR_VERSIONS.split(", ").count() + 1, count, "{hint}");
    }

    #[test]
    fn the_cache_lies_in_the_repository_in_ci_and_else_where_the_platform_wants_it() {
        let root = Path::new("/work");
        let place = |variables: &[(&str, &str)]| {
            cache_folder(root, &|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(place(&[]), None);
        let in_repository = Some(PathBuf::from("/work/.papa-yu/cache"));
        assert_eq!(place(&[("CI", "true"), ("HOME", "/h")]), in_repository);
        if cfg!(target_os = "linux") {
            let at_home = Some(PathBuf::from("/h/.cache/papayu-batch"));
            assert_eq!(place(&[("CI", "false"), ("HOME", "/h")]), at_home);
            assert_eq!(place(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]), at_home);
            let chosen = Some(PathBuf::from("/c/papayu-batch"));
            assert_eq!(place(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]), chosen);
        }
        assert_ne!(cache_file(root, Path::new("/a")), cache_file(root, Path::new("/b")));
    }
}
