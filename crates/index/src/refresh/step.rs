//! The refresh of some files: their records are reused, or the files are read again.

use std::sync::Arc;

use crate::language::ParsedFile;
use crate::lazy_facts::{Coverage, LazyFacts};
use crate::parser::FactsParser;
use crate::resolve;
use crate::scan::{self, FileRead};
use crate::shared::TextRequest;
use crate::sources::IndexSources;
use crate::store::{self, FileKind, FileMark};
use crate::term_index;
use papayu_lang::Language;
use papayu_system::cache::{CacheChange, Shelf};
use papayu_system::survey::{FoundKind, SurveyedFile};

/// A file modified less than this before it was read may change again without a new timestamp.
///
/// Some file systems store times in steps of two seconds.
const SETTLING_NANOSECONDS: i64 = 2_000_000_000;

/// The record of a file from an earlier refresh.
pub(super) enum KnownRecord {
    /// An encoded record from the cache.
    Sealed(Vec<u8>),
    /// A record in memory from the last refresh.
    Open(Box<(FileMark, LazyFacts)>),
}

/// A file found on the disk, with its record.
pub(super) struct FoundFile {
    pub(super) found: SurveyedFile,
    pub(super) known: Option<KnownRecord>,
}

/// The result of processing one file.
pub(super) struct Processed {
    pub(super) path: String,
    pub(super) mark: FileMark,
    pub(super) lazy: LazyFacts,
    /// Bytes of text that were read.
    pub(super) bytes: u64,
    /// True if the text was parsed.
    pub(super) parsed: bool,
    /// True if the facts came from the shared store.
    pub(super) shared: bool,
    /// Changes to write to the cache.
    pub(super) changes: Vec<CacheChange>,
}

impl Processed {
    /// Returns the result for a file that was not parsed and needs no change of the cache.
    fn unchanged(path: String, mark: FileMark, lazy: LazyFacts) -> Self {
        Self { path, mark, lazy, bytes: 0, parsed: false, shared: false, changes: Vec::new() }
    }
}

/// The result of reading one file.
enum FileStep {
    /// Its record is reused.
    Done(Box<Processed>),
    /// It is new or has changed.
    Changed(Box<ChangedFile>),
}

impl From<Processed> for FileStep {
    fn from(done: Processed) -> Self {
        Self::Done(Box::new(done))
    }
}

/// A file that is new or has changed.
struct ChangedFile {
    path: String,
    mark: FileMark,
    read: FileRead,
}

impl ChangedFile {
    /// Returns the text to parse at once; `None` without a grammar or a text, and for a file that is parsed later.
    fn request(&self, sources: &IndexSources<'_>) -> Option<TextRequest<'_>> {
        if later_parser(sources, &self.path).is_some() {
            return None;
        }
        let language = Language::of_path(&self.path)?;
        let (hash, text) = (self.read.content?, self.read.text.as_deref()?);
        Some(TextRequest { language, hash, text })
    }
}

/// Processes files together. `taken` is the time at which the files were listed, in nanoseconds since 1970: a file
/// written later may have changed again.
pub(super) fn process_files(
    sources: &IndexSources<'_>,
    taken: i64,
    items: Vec<FoundFile>,
) -> Vec<Processed> {
    let (mut done, mut changed) = (Vec::with_capacity(items.len()), Vec::new());
    for item in items {
        match read_item(sources, taken, item) {
            FileStep::Done(processed) => done.push(*processed),
            FileStep::Changed(file) => changed.push(*file),
        }
    }
    let requests: Vec<_> = changed.iter().map(|file| file.request(sources)).collect();
    let asked: Vec<TextRequest<'_>> = requests.iter().flatten().copied().collect();
    let parsed = match sources.shared {
        Some(shared) => shared.read_texts(&asked),
        None => asked.iter().map(|request| (request.parse(), false)).collect(),
    };
    let mut parsed = parsed.into_iter();
    let parsed: Vec<_> =
        requests.iter().map(|request| request.and_then(|_| parsed.next())).collect();
    for (file, parsed) in changed.into_iter().zip(parsed) {
        let (parsed, shared) = parsed.unzip();
        let processed = process_text(sources, file, parsed);
        done.push(Processed { shared: shared.unwrap_or_default(), ..processed });
    }
    done
}

/// Reads one file, if its record cannot be reused as it is.
fn read_item(sources: &IndexSources<'_>, taken: i64, item: FoundFile) -> FileStep {
    let FoundFile { found, known } = item;
    let SurveyedFile { path, kind, stamp } = found;
    // Links and large files are never read, so their records contain nothing else.
    let by_name = match kind {
        FoundKind::Link => Some(FileKind::Link),
        FoundKind::File if stamp.len > sources.max_file_bytes => Some(FileKind::Large),
        FoundKind::File => None,
    };
    if let Some(kind) = by_name {
        let changes = known.map(|_| CacheChange::Forget(path.clone())).into_iter().collect();
        let mark = FileMark { stamp, settled: true, kind, content: None };
        let nothing = Processed::unchanged(path, mark, LazyFacts::from_facts(None));
        return Processed { changes, ..nothing }.into();
    }
    let known = known.and_then(|known| known.decode(&path));
    let known = known.and_then(|(mark, lazy)| Some((mark, fit_coverage(sources, &path, lazy)?)));
    let hash = known.as_ref().and_then(|(mark, _)| mark.content);
    let known = match known {
        Some((mark, lazy)) if mark.stamp == stamp && mark.settled => {
            return Processed::unchanged(path, mark, lazy).into();
        }
        known => known,
    };
    let read = scan::read_file(sources.survey, &path, stamp, sources.max_file_bytes, hash);
    let settled = is_settled(&read, taken);
    let mark = FileMark { stamp: read.stamp, settled, kind: read.kind, content: read.content };
    match known {
        Some((old, lazy))
            if read.text.is_none() && (old.kind, old.content) == (mark.kind, mark.content) =>
        {
            let changes = if old == mark { Vec::new() } else { put_facts(&path, &mark, &lazy) };
            let same = Processed::unchanged(path, mark, lazy);
            Processed { bytes: read.bytes, changes, ..same }.into()
        }
        _ => FileStep::Changed(Box::new(ChangedFile { path, mark, read })),
    }
}

/// Returns the facts of a record if it has all that this refresh needs.
fn fit_coverage(sources: &IndexSources<'_>, path: &str, lazy: LazyFacts) -> Option<LazyFacts> {
    match (lazy.coverage(), later_parser(sources, path)) {
        (Coverage::Whole, _) | (Coverage::Facts, Some(_)) => Some(lazy),
        (Coverage::Words, Some(parser)) => Some(LazyFacts::parse_later(path, parser)),
        _ => None,
    }
}

/// Returns the parser if this file has a grammar and is parsed later.
fn later_parser<'s>(sources: &IndexSources<'s>, path: &str) -> Option<&'s Arc<FactsParser>> {
    let language = Language::of_path(path)?;
    sources.later.filter(|_| !resolve::needs_all_files(language))
}

impl KnownRecord {
    /// Returns the mark and facts of a file; `None` for a record of an older form, which is read
    /// again.
    fn decode(self, path: &str) -> Option<(FileMark, LazyFacts)> {
        match self {
            Self::Sealed(blob) => store::decode_facts(path, blob),
            Self::Open(known) => Some(*known),
        }
    }
}

/// Processes a file that was read. Unless it is parsed later, its facts are `parsed`.
fn process_text(
    sources: &IndexSources<'_>,
    file: ChangedFile,
    parsed: Option<ParsedFile>,
) -> Processed {
    let ChangedFile { path, mark, read } = file;
    let words = read.text.as_deref().map(term_index::encode_bag).unwrap_or_default();
    let later = later_parser(sources, &path).filter(|_| read.text.is_some());
    let (lazy, calls) = if let Some(parser) = later {
        (LazyFacts::parse_later(&path, parser), None)
    } else {
        let (facts, calls) = parsed.map(|it| (it.facts, it.calls)).unzip();
        (LazyFacts::from_facts(facts), Some(calls.unwrap_or_default()))
    };
    // Removes the records of all shelves, also of those that are not written again below.
    let mut changes = vec![CacheChange::Forget(path.clone())];
    if mark.kind != FileKind::Unreadable {
        changes.extend(put_facts(&path, &mark, &lazy));
    }
    if let Some(hash) = mark.content {
        let calls = calls.and_then(|calls| store::encode(Shelf::Calls, &path, &(hash, calls)));
        let words = store::encode(Shelf::Words, &path, &(hash, words));
        for (shelf, blob) in [(Shelf::Calls, calls), (Shelf::Words, words)] {
            changes.extend(blob.map(|blob| CacheChange::Put(shelf, path.clone(), blob)));
        }
    }
    let (bytes, parsed) = (read.bytes, read.text.is_some());
    Processed { bytes, parsed, changes, ..Processed::unchanged(path, mark, lazy) }
}

/// Returns the record of a file's facts. One that cannot be encoded is left out, so the file is
/// read again next time.
fn put_facts(path: &str, mark: &FileMark, lazy: &LazyFacts) -> Vec<CacheChange> {
    let blob = store::encode_facts(path, mark, lazy);
    blob.map(|blob| CacheChange::Put(Shelf::Facts, path.to_owned(), blob)).into_iter().collect()
}

/// Returns true if any later change of the file is certain to change its stamp.
fn is_settled(read: &FileRead, taken: i64) -> bool {
    let last = read.stamp.modified.max(read.stamp.changed);
    let is_whole = read.kind != FileKind::Text || read.bytes == read.stamp.len;
    is_whole && last.saturating_add(SETTLING_NANOSECONDS) <= taken
}
