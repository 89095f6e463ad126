//! How what is known of a file is kept: records that say whose they are and are found out when damaged.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::held::Held;
use crate::system::cache::Shelf;
use crate::system::survey::Stamp;

/// Goes up with every change of what records hold or of what [`super::language::parse`] says of a text.
const FORM: u32 = 4;

/// Bytes of the sum that a blob begins with.
const SUM_BYTES: usize = 8;

/// The parser and the grammars whose trees the facts are read from; a test compares it with the lock file.
const GRAMMARS: &str = "tree-sitter 0.27.1, c 0.24.2, c-sharp 0.23.5, cpp 0.23.4, go 0.25.0, java 0.23.5, \
    javascript 0.25.0, json 0.24.8, php 0.25.1, python 0.25.0, ruby 0.23.1, rust 0.24.2, typescript 0.23.2, yaml 0.7.2";

/// The SHA-256 of a file's bytes.
pub type ContentHash = [u8; 32];

/// What sort of file a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// Text that was read, with this content.
    Text(ContentHash),
    /// It holds NUL.
    Binary,
    /// Longer than what is read.
    Large,
    /// In an encoding that is not certain.
    NotText,
    /// A symbolic link.
    Link,
    /// It could not be read.
    Unreadable,
}

impl FileKind {
    /// Returns the content of a text.
    pub fn content(self) -> Option<ContentHash> {
        match self {
            Self::Text(hash) => Some(hash),
            _ => None,
        }
    }
}

/// The state of a file in which something was found out about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Its state on disk.
    pub stamp: Stamp,
    /// Whether it had been left alone long enough: one that was written just before it was read can be
    /// written again without its stamp saying so, and is read again next time.
    pub settled: bool,
    /// What it is.
    pub kind: FileKind,
}

/// Returns the text that a cache must have been written under to be of use.
pub fn version() -> String {
    format!("{} {FORM} {GRAMMARS}", env!("CARGO_PKG_VERSION"))
}

/// Returns the file of a repository's cache within the folder of all of them; one for each root, which
/// is given as its real path.
pub fn file(folder: &Path, root: &Path) -> PathBuf {
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let name = hash.iter().take(12).fold(String::new(), |mut name, byte| {
        // Writing to a string does not fail.
        let _ = write!(name, "{byte:02x}");
        name
    });
    folder.join(format!("index-{name}.db"))
}

/// Returns the folder where caches go: in CI the repository's own, which CI systems can keep between
/// runs; else the user's by the platform's custom. `None` where there is no home.
pub fn folder(root: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if set("CI").is_some_and(|value| value.as_os_str() != "false") {
        return Some(root.join(".papa-yu/cache"));
    }
    let custom = if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else if cfg!(windows) {
        set("LOCALAPPDATA")
    } else {
        let absolute = set("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
        absolute.or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    custom.map(|folder| folder.join("papayu-batch"))
}

/// Returns what the facts' shelf holds of a file as a blob.
pub fn close(key: &str, mark: &Mark, held: &Held) -> Option<Vec<u8>> {
    let body = postcard::to_extend(mark, vec![0; SUM_BYTES]).ok()?;
    summed(Shelf::Facts, key, held.write(body)?)
}

/// Returns when a blob of the facts' shelf held, and what it says, which is read when it is asked for;
/// `None` when it is damaged or another's.
pub fn open(key: &str, blob: Vec<u8>) -> Option<(Mark, Held)> {
    let (mark, rest) = postcard::take_from_bytes(sound(Shelf::Facts, key, &blob)?).ok()?;
    let begin = blob.len() - rest.len();
    Some((mark, Held::read_later(blob, begin)?))
}

/// Returns a value as a blob that only this key of this shelf gives back.
pub fn seal(shelf: Shelf, key: &str, value: &impl Serialize) -> Option<Vec<u8>> {
    summed(shelf, key, postcard::to_extend(value, vec![0; SUM_BYTES]).ok()?)
}

/// Puts the sum of what follows into the bytes kept free for it.
fn summed(shelf: Shelf, key: &str, mut blob: Vec<u8>) -> Option<Vec<u8>> {
    let (_, body) = blob.split_at_checked(SUM_BYTES)?;
    let sum = checksum(shelf, key, body).to_le_bytes();
    blob.get_mut(..SUM_BYTES)?.copy_from_slice(&sum);
    Some(blob)
}

/// Returns the value of a blob, `None` when it is damaged or another's.
pub fn unseal<T: DeserializeOwned>(shelf: Shelf, key: &str, blob: &[u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(sound(shelf, key, blob)?).ok()?;
    rest.is_empty().then_some(value)
}

fn sound<'b>(shelf: Shelf, key: &str, blob: &'b [u8]) -> Option<&'b [u8]> {
    let (sum, body) = blob.split_first_chunk::<SUM_BYTES>()?;
    (checksum(shelf, key, body) == u64::from_le_bytes(*sum)).then_some(body)
}

/// Finds accidents, which is all a cache has to fear: who can write it can write the files too.
fn checksum(shelf: Shelf, key: &str, body: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
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
    use crate::index::language::{self, Language};

    #[test]
    fn a_blob_is_of_no_use_to_another_key_another_shelf_or_when_a_bit_has_turned() {
        let value = ("facts".to_owned(), 7_u32);
        let blob = seal(Shelf::Facts, "a.ts", &value).unwrap();
        let read = |shelf, key, blob: &[u8]| unseal::<(String, u32)>(shelf, key, blob);
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
        let blob = seal(Shelf::Facts, "a.ts", &"text").unwrap();
        assert_eq!(open("a.ts", blob), None);
    }

    #[test]
    fn facts_come_back_as_they_were_and_are_kept_again_unread() {
        let stamp = Stamp { len: 9, modified: 1, changed: 2, inode: 3 };
        let mark = Mark { stamp, settled: true, kind: FileKind::Text([7; 32]) };
        let facts = language::parse(Language::TypeScript, "export class A {}\n").facts;
        let blob = close("a.ts", &mark, &Held::of(Some(facts.clone()))).unwrap();
        let (read, held) = open("a.ts", blob.clone()).unwrap();
        assert_eq!((read, close("a.ts", &mark, &held)), (mark, Some(blob)));
        assert_eq!(held.facts(), Some(&facts));
    }

    #[test]
    fn the_version_names_the_grammars_that_are_built_in() {
        let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"));
        let lock = lock.unwrap();
        let lines: Vec<_> = lock.lines().collect();
        let version = |name: &str| {
            let at = lines.iter().position(|line| *line == format!("name = \"{name}\"")).unwrap();
            lines[at + 1].trim_start_matches("version = ").trim_matches('"').to_owned()
        };
        for named in GRAMMARS.split(", ") {
            let (name, of) = named.split_once(' ').unwrap();
            let is_whole = name == "tree-sitter";
            let name = if is_whole { name.to_owned() } else { format!("tree-sitter-{name}") };
            assert_eq!(of, version(&name), "{name}: raise FORM and write its version here");
        }
        let count = lines.iter().filter(|line| line.starts_with("name = \"tree-sitter")).count();
        // tree-sitter-language is no grammar.
        assert_eq!(GRAMMARS.split(", ").count() + 1, count);
    }

    #[test]
    fn the_cache_lies_in_the_repository_in_ci_and_else_where_the_platform_wants_it() {
        let root = Path::new("/work");
        let place = |variables: &[(&str, &str)]| {
            folder(root, &|name| {
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
        assert_ne!(file(root, Path::new("/a")), file(root, Path::new("/b")));
    }
}
