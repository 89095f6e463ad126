//! Reads one file for the index: what sort it is, and what its text says.

use std::io;

use sha2::{Digest as _, Sha256};

use super::facts::{Call, FileFacts};
use super::language::{self, Language};
use super::store::{ContentHash, FileKind};
use super::words;
use crate::system::survey::{Stamp, Survey};
use crate::text::encoding::{self, NotText};

/// Manifests longer than this say nothing that imports are resolved by.
const MAX_MANIFEST_BYTES: u64 = 512 * 1024;

/// Files that say how imports are resolved, by their whole names.
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

/// The same by beginning and end.
const MANIFEST_ENDS: [(&str, &str); 5] = [
    ("tsconfig", ".json"),
    ("jsconfig", ".json"),
    ("", ".csproj"),
    ("", ".gemspec"),
    ("requirements", ".txt"),
];

/// What a file's content says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// By its syntax tree, where a grammar reads it.
    pub facts: Option<FileFacts>,
    /// Who calls what in it.
    pub calls: Vec<Call>,
    /// Its [bag of words](words::bag).
    pub words: Vec<u8>,
    /// The whole text of a manifest.
    pub manifest: Option<String>,
}

/// What reading a file came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// Its state before it was read.
    pub stamp: Stamp,
    /// What sort of file it is.
    pub kind: FileKind,
    /// Bytes of text.
    pub bytes: u64,
    /// What it says; `None` when it is no text, or the text that is known already.
    pub said: Option<Said>,
}

/// Tells whether a file says how imports are resolved.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let fits = |(begin, end): &(&str, &str)| name.starts_with(begin) && name.ends_with(end);
    MANIFESTS.contains(&name) || MANIFEST_ENDS.iter().any(fits)
}

/// Tells whether a file of so many bytes is a manifest whose text the index keeps.
pub fn is_kept_whole(path: &str, bytes: u64) -> bool {
    bytes <= MAX_MANIFEST_BYTES && is_manifest(path)
}

/// Reads a file; when its content is `known`, what it says is not found out again.
/// One that cannot be read keeps the stamp it was found with.
pub fn read(
    survey: &dyn Survey,
    path: &str,
    stamp: Stamp,
    limit: u64,
    known: Option<ContentHash>,
) -> Read {
    let mut buffer = Vec::new();
    let nothing = |stamp, kind| Read { stamp, kind, bytes: 0, said: None };
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
    if known == Some(hash) {
        return Read { stamp, kind: FileKind::Text(hash), bytes, said: None };
    }
    match std::str::from_utf8(&buffer) {
        Ok(text) if !text.contains('\0') => {
            let said = Some(say(path, bytes, text.strip_prefix(encoding::MARK).unwrap_or(text)));
            Read { stamp, kind: FileKind::Text(hash), bytes, said }
        }
        _ => match encoding::decode(&buffer) {
            Ok(decoded) => {
                let said = Some(say(path, bytes, &decoded.text));
                Read { stamp, kind: FileKind::Text(hash), bytes, said }
            }
            Err(NotText::Binary) => nothing(stamp, FileKind::Binary),
            Err(_) => nothing(stamp, FileKind::NotText),
        },
    }
}

/// NUL at the beginning is in no text but UTF-16, which says so with a mark.
fn may_be_text(head: &[u8]) -> bool {
    let head = head.get(..8192).unwrap_or(head);
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || memchr::memchr(0, head).is_none()
}

fn say(path: &str, bytes: u64, text: &str) -> Said {
    let mut said = Said {
        words: words::bag(text),
        manifest: is_kept_whole(path, bytes).then(|| text.to_owned()),
        ..Said::default()
    };
    if let Some(language) = Language::of_path(path) {
        let parsed = language::parse(language, text);
        said.facts = Some(parsed.facts);
        said.calls = parsed.calls;
    }
    said
}
