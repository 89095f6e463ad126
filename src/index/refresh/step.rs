//! The refresh of one file: its record is reused, or the file is read again.

use std::sync::Arc;

use crate::index::language::Language;
use crate::index::lazy_facts::{Coverage, LazyFacts};
use crate::index::parser::FactsParser;
use crate::index::resolve;
use crate::index::scan::{self, FileContent, FileRead};
use crate::index::sources::Sources;
use crate::index::store::{self, ContentHash, FileKind, Mark};
use crate::system::cache::{Change, Shelf};
use crate::system::survey::{Found, FoundKind};

/// A file modified less than this before it was read may change again without a new timestamp.
///
/// Some file systems store times in steps of two seconds.
const SETTLING_NANOSECONDS: i64 = 2_000_000_000;

/// The record of a file from an earlier refresh.
pub(super) enum Known {
    /// An encoded record from the cache.
    Sealed(Vec<u8>),
    /// A record in memory from the last refresh.
    Open(Box<(Mark, LazyFacts)>),
}

/// A file found on the disk, with its record.
pub(super) struct FoundFile {
    pub(super) found: Found,
    pub(super) known: Option<Known>,
    /// The text of a manifest, with the hash of its content.
    pub(super) manifest: Option<(ContentHash, String)>,
}

/// The result of processing one file.
pub(super) struct Processed {
    pub(super) path: String,
    pub(super) mark: Mark,
    pub(super) lazy: LazyFacts,
    pub(super) manifest: Option<(ContentHash, String)>,
    /// Bytes of text that were read.
    pub(super) bytes: u64,
    /// True if the text was parsed.
    pub(super) parsed: bool,
    /// Changes to write to the cache.
    pub(super) changes: Vec<Change>,
}

impl Processed {
    /// Returns the result for a file that was not parsed and needs no change of the cache.
    fn unchanged(
        path: String,
        mark: Mark,
        lazy: LazyFacts,
        manifest: Option<(ContentHash, String)>,
    ) -> Self {
        Self { path, mark, lazy, manifest, bytes: 0, parsed: false, changes: Vec::new() }
    }
}

/// Processes one file. `taken` is the time at which the files were listed.
pub(super) fn process_file(sources: &Sources<'_>, taken: i64, item: FoundFile) -> Processed {
    let FoundFile { found, known, manifest } = item;
    let Found { path, kind, stamp } = found;
    // Links and large files are never read, so their records contain nothing else.
    let by_name = match kind {
        FoundKind::Link => Some(FileKind::Link),
        FoundKind::File if stamp.len > sources.max_file_bytes => Some(FileKind::Large),
        FoundKind::File => None,
    };
    if let Some(kind) = by_name {
        let changes = known.map(|_| Change::Forget(path.clone())).into_iter().collect();
        let mark = Mark { stamp, settled: true, kind, content: None };
        let nothing = Processed::unchanged(path, mark, LazyFacts::from_facts(None), None);
        return Processed { changes, ..nothing };
    }
    // The record of a manifest is only valid together with its text.
    let known = known.and_then(|known| known.decode(&path)).filter(|(mark, _)| {
        let is_whole = mark.content.is_some() && scan::is_kept_whole(&path, stamp.len);
        !is_whole || manifest.as_ref().map(|(of, _)| *of) == mark.content
    });
    let known = known.and_then(|(mark, lazy)| Some((mark, fit_coverage(sources, &path, lazy)?)));
    let hash = known.as_ref().and_then(|(mark, _)| mark.content);
    let known = match known {
        Some((mark, lazy)) if mark.stamp == stamp && mark.settled => {
            return Processed::unchanged(path, mark, lazy, manifest);
        }
        known => known,
    };
    let read = scan::read_file(sources.survey, &path, stamp, sources.max_file_bytes, hash);
    let settled = is_settled(&read, taken);
    let mark = Mark { stamp: read.stamp, settled, kind: read.kind, content: read.content };
    match known {
        Some((old, lazy))
            if read.text.is_none() && (old.kind, old.content) == (mark.kind, mark.content) =>
        {
            let changes = if old == mark { Vec::new() } else { put_facts(&path, &mark, &lazy) };
            let same = Processed::unchanged(path, mark, lazy, manifest);
            Processed { bytes: read.bytes, changes, ..same }
        }
        _ => process_text(sources, path, mark, read),
    }
}

/// Returns the facts of a record if it has all that this refresh needs.
fn fit_coverage(sources: &Sources<'_>, path: &str, lazy: LazyFacts) -> Option<LazyFacts> {
    match (lazy.coverage(), later_parser(sources, path)) {
        (Coverage::Whole, _) | (Coverage::Facts, Some(_)) => Some(lazy),
        (Coverage::Words, Some(parser)) => Some(LazyFacts::parse_later(path, parser)),
        _ => None,
    }
}

/// Returns the parser if this file has a grammar and is parsed later.
fn later_parser<'s>(sources: &Sources<'s>, path: &str) -> Option<&'s Arc<FactsParser>> {
    let language = Language::of_path(path)?;
    sources.later.filter(|_| !resolve::needs_all_files(language))
}

impl Known {
    /// Returns the mark and facts of a file; `None` for a record of an older form, which is read
    /// again.
    fn decode(self, path: &str) -> Option<(Mark, LazyFacts)> {
        match self {
            Self::Sealed(blob) => store::decode_facts(path, blob),
            Self::Open(known) => Some(*known),
        }
    }
}

/// Processes a file that was read.
fn process_text(sources: &Sources<'_>, path: String, mark: Mark, read: FileRead) -> Processed {
    let bytes = read.bytes;
    let parsed = read.text.is_some();
    let (content, lazy, calls) = match (read.text, later_parser(sources, &path)) {
        (Some(text), Some(parser)) => {
            let content = FileContent::of_words(&path, bytes, &text);
            (content, LazyFacts::parse_later(&path, parser), None)
        }
        (text, _) => {
            let text = text.map(|text| FileContent::parse(&path, bytes, &text));
            let mut content = text.unwrap_or_default();
            let lazy = LazyFacts::from_facts(content.facts.take());
            let calls = std::mem::take(&mut content.calls);
            (content, lazy, Some(calls))
        }
    };
    // Removes the records of all shelves, also of those that are not written again below.
    let mut changes = vec![Change::Forget(path.clone())];
    let mut manifest_kept = None;
    if mark.kind != FileKind::Unreadable {
        changes.extend(put_facts(&path, &mark, &lazy));
    }
    if let Some(hash) = mark.content {
        let mut seal = |shelf, blob: Option<Vec<u8>>| {
            changes.extend(blob.map(|blob| Change::Put(shelf, path.clone(), blob)));
        };
        seal(
            Shelf::Calls,
            calls.and_then(|calls| store::encode(Shelf::Calls, &path, &(hash, calls))),
        );
        seal(Shelf::Words, store::encode(Shelf::Words, &path, &(hash, content.words)));
        if let Some(text) = content.manifest {
            let kept = (hash, text);
            seal(Shelf::Texts, store::encode(Shelf::Texts, &path, &kept));
            manifest_kept = Some(kept);
        }
    }
    Processed { path, mark, lazy, manifest: manifest_kept, bytes, parsed, changes }
}

/// Returns the record of a file's facts. One that cannot be encoded is left out, so the file is
/// read again next time.
fn put_facts(path: &str, mark: &Mark, lazy: &LazyFacts) -> Vec<Change> {
    let blob = store::encode_facts(path, mark, lazy);
    blob.map(|blob| Change::Put(Shelf::Facts, path.to_owned(), blob)).into_iter().collect()
}

/// Returns true if any later change of the file is certain to change its stamp.
fn is_settled(read: &FileRead, taken: i64) -> bool {
    let last = read.stamp.modified.max(read.stamp.changed);
    let is_whole = read.kind != FileKind::Text || read.bytes == read.stamp.len;
    is_whole && last.saturating_add(SETTLING_NANOSECONDS) <= taken
}
