//! Reads one file for the index: its kind, facts, calls and terms.

use std::io;

use sha2::{Digest as _, Sha256};

use super::mark::{ContentHash, FileKind};
use papayu_base::text::WordList;
use papayu_base::text::encoding::{self, NotText};
use papayu_system::survey::{FolderSurvey, Stamp};

/// Longer manifests are not used to resolve imports.
const MAX_MANIFEST_BYTES: u64 = 512 * 1024;

/// Names of manifests that affect how imports are resolved.
static MANIFESTS: WordList = WordList::new(
    "package.json pnpm-workspace.yaml lerna.json deno.json deno.jsonc import_map.json go.mod \
    go.work Cargo.toml pyproject.toml setup.cfg setup.py tox.ini pytest.ini requirements.txt \
    Pipfile composer.json Gemfile pom.xml build.gradle build.gradle.kts settings.gradle \
    settings.gradle.kts CMakeLists.txt Directory.Build.props global.json",
);

/// The same as pairs of prefix and suffix.
const MANIFEST_ENDS: [(&str, &str); 5] = [
    ("tsconfig", ".json"),
    ("jsconfig", ".json"),
    ("", ".csproj"),
    ("", ".gemspec"),
    ("requirements", ".txt"),
];

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRead {
    /// The stamp of the file before it was read.
    pub stamp: Stamp,
    /// The kind of file.
    pub kind: FileKind,
    /// The hash of the content of a text file.
    pub content: Option<ContentHash>,
    /// Bytes of text.
    pub bytes: u64,
    /// The text; `None` if it is not text or has not changed.
    pub text: Option<String>,
}

/// Returns true if a file affects how imports are resolved.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let fits = |(begin, end): &(&str, &str)| name.starts_with(begin) && name.ends_with(end);
    MANIFESTS.contains(name) || MANIFEST_ENDS.iter().any(fits)
}

/// Returns true if a file is a manifest small enough for the index to keep its text.
pub fn is_kept_whole(path: &str, bytes: u64) -> bool {
    bytes <= MAX_MANIFEST_BYTES && is_manifest(path)
}

/// Reads a file of at most `limit` bytes. The text is omitted if its hash is `known`.
///
/// A file that cannot be read keeps the stamp it was listed with; it and a larger file have a [`FileKind`] of
/// their own.
pub fn read_file(
    survey: &dyn FolderSurvey,
    path: &str,
    stamp: Stamp,
    limit: u64,
    known: Option<ContentHash>,
) -> FileRead {
    let mut buffer = Vec::new();
    let nothing = |stamp, kind| FileRead { stamp, kind, content: None, bytes: 0, text: None };
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
    // Hashed before it is parsed: a checkout sets new timestamps on files that have not changed.
    let content: Option<ContentHash> = Some(Sha256::digest(buffer.as_slice()).into());
    let bytes = buffer.len() as u64;
    let text_file = |text| FileRead { stamp, kind: FileKind::Text, content, bytes, text };
    // Only the timestamp changed, so the record remains valid.
    if known == content {
        return text_file(None);
    }
    match decode_text(buffer) {
        Ok(text) => text_file(Some(text)),
        Err(NotText::Binary) => nothing(stamp, FileKind::Binary),
        Err(_) => nothing(stamp, FileKind::UnknownEncoding),
    }
}

/// Returns the text of a file without its byte order mark. Fails if the encoding is not certain.
fn decode_text(bytes: Vec<u8>) -> Result<String, NotText> {
    match String::from_utf8(bytes) {
        // The common case needs no detection of the encoding.
        Ok(text) if !text.contains('\0') => match text.strip_prefix(encoding::MARK) {
            Some(rest) => Ok(rest.to_owned()),
            None => Ok(text),
        },
        Ok(text) => Ok(encoding::decode(text.as_bytes())?.text),
        Err(error) => Ok(encoding::decode(error.as_bytes())?.text),
    }
}

/// Returns true unless the start of a file contains NUL. Only UTF-16 text does, and it starts with
/// a byte order mark.
fn may_be_text(head: &[u8]) -> bool {
    let head = head.get(..8192).unwrap_or(head);
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || memchr::memchr(0, head).is_none()
}
