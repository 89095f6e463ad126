//! Reads one file for the index: its kind, facts, calls and terms.

use std::io;

use sha2::{Digest as _, Sha256};

use super::facts::{Call, FileFacts};
use super::language::{self, Language};
use super::store::{ContentHash, FileKind};
use super::term_index;
use crate::system::survey::{Stamp, Survey};
use crate::text::encoding::{self, NotText};

/// Longer manifests are not used to resolve imports.
const MAX_MANIFEST_BYTES: u64 = 512 * 1024;

/// Names of manifests that affect how imports are resolved.
const MANIFESTS: [&str; 26] = [
    "package.json",
    "pnpm-workspace.yaml",
    "lerna.json",
    "deno.json",
    "deno.jsonc",
    "import_map.json",
    "go.mod",
    "go.work",
    "Cargo.toml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "pytest.ini",
    "requirements.txt",
    "Pipfile",
    "composer.json",
    "Gemfile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "CMakeLists.txt",
    "Directory.Build.props",
    "global.json",
];

/// The same as pairs of prefix and suffix.
const MANIFEST_ENDS: [(&str, &str); 5] = [
    ("tsconfig", ".json"),
    ("jsconfig", ".json"),
    ("", ".csproj"),
    ("", ".gemspec"),
    ("requirements", ".txt"),
];

/// The parsed content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileContent {
    /// The facts from the syntax tree; `None` without a grammar.
    pub facts: Option<FileFacts>,
    /// The calls in the file.
    pub calls: Vec<Call>,
    /// Its [bag of words](term_index::encode_bag).
    pub words: Vec<u8>,
    /// The whole text of a manifest.
    pub manifest: Option<String>,
}

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRead {
    /// The stamp of the file before it was read.
    pub stamp: Stamp,
    /// The kind of file.
    pub kind: FileKind,
    /// Bytes of text.
    pub bytes: u64,
    /// The parsed content; `None` if it is not text or has not changed.
    pub said: Option<FileContent>,
}

/// Returns true if a file affects how imports are resolved.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let fits = |(begin, end): &(&str, &str)| name.starts_with(begin) && name.ends_with(end);
    MANIFESTS.contains(&name) || MANIFEST_ENDS.iter().any(fits)
}

/// Returns true if a file is a manifest small enough for the index to keep its text.
pub fn is_kept_whole(path: &str, bytes: u64) -> bool {
    bytes <= MAX_MANIFEST_BYTES && is_manifest(path)
}

/// Reads a file. Content whose hash is `known` is not parsed again.
///
/// A file that cannot be read keeps the stamp it was listed with.
pub fn read_file(
    survey: &dyn Survey,
    path: &str,
    stamp: Stamp,
    limit: u64,
    known: Option<ContentHash>,
) -> FileRead {
    let mut buffer = Vec::new();
    let nothing = |stamp, kind| FileRead { stamp, kind, bytes: 0, said: None };
    let stamp = match survey.fetch(path, limit, &may_be_text, &mut buffer) {
        Ok(stamp) => stamp,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return nothing(stamp, FileKind::Large);
        }
        Err(_) => return nothing(stamp, FileKind::Unreadable),
    };
    if !may_be_text(&buffer) {
        return nothing(stamp, FileKind::Binary);
    }
    let hash: ContentHash = Sha256::digest(buffer.as_slice()).into();
    let bytes = buffer.len() as u64;
    // Only the timestamp changed, so the record remains valid.
    if known == Some(hash) {
        return FileRead { stamp, kind: FileKind::Text(hash), bytes, said: None };
    }
    match std::str::from_utf8(&buffer) {
        // The common case needs no detection of the encoding.
        Ok(text) if !text.contains('\0') => {
            let said =
                Some(parse_content(path, bytes, text.strip_prefix(encoding::MARK).unwrap_or(text)));
            FileRead { stamp, kind: FileKind::Text(hash), bytes, said }
        }
        _ => match encoding::decode(&buffer) {
            Ok(decoded) => {
                let said = Some(parse_content(path, bytes, &decoded.text));
                FileRead { stamp, kind: FileKind::Text(hash), bytes, said }
            }
            Err(NotText::Binary) => nothing(stamp, FileKind::Binary),
            Err(_) => nothing(stamp, FileKind::NotText),
        },
    }
}

/// Returns true unless the start of a file contains NUL. Only UTF-16 text does, and it starts with
/// a byte order mark.
fn may_be_text(head: &[u8]) -> bool {
    let head = head.get(..8192).unwrap_or(head);
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || memchr::memchr(0, head).is_none()
}

fn parse_content(path: &str, bytes: u64, text: &str) -> FileContent {
    let mut said = FileContent {
        words: term_index::encode_bag(text),
        manifest: is_kept_whole(path, bytes).then(|| text.to_owned()),
        ..FileContent::default()
    };
    if let Some(language) = Language::of_path(path) {
        let parsed = language::parse(language, text);
        said.facts = Some(parsed.facts);
        said.calls = parsed.calls;
    }
    said
}
