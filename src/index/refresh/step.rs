//! One file's part of a refresh: taken as it is known, or read anew.

use super::Sources;
use crate::index::held::Held;
use crate::index::scan::{self, Said};
use crate::index::store::{self, ContentHash, FileKind, Mark};
use crate::system::cache::{Change, Shelf};
use crate::system::survey::{Found, FoundKind, Stamp};

/// A file whose times are closer than this to when it was read may change again unseen: some file
/// systems count in steps of two seconds, and a clock may be read a little late.
const SETTLING_NANOSECONDS: i64 = 2_000_000_000;

/// What is known of a file from before.
pub(super) enum Known {
    /// As the cache holds it.
    Sealed(Vec<u8>),
    /// From the last refresh.
    Open(Box<(Mark, Held)>),
}

/// A file that was found, and what is known of it.
pub(super) struct Item {
    pub(super) found: Found,
    pub(super) known: Option<Known>,
    /// The text of a manifest with the content it is from.
    pub(super) manifest: Option<(ContentHash, String)>,
}

/// What the step came to.
pub(super) struct Done {
    pub(super) path: String,
    pub(super) mark: Mark,
    pub(super) held: Held,
    pub(super) manifest: Option<(ContentHash, String)>,
    /// Bytes of text that were read.
    pub(super) bytes: u64,
    /// Whether its text was read for what it says.
    pub(super) parsed: bool,
    /// What the cache should learn of it.
    pub(super) changes: Vec<Change>,
}

/// Takes a step; `taken` is when the files were looked for.
pub(super) fn step(sources: &Sources<'_>, taken: i64, item: Item) -> Done {
    let Item { found, known, manifest } = item;
    let Found { path, kind, stamp } = found;
    let by_name = match kind {
        FoundKind::Link => Some(FileKind::Link),
        FoundKind::File if stamp.len > sources.max_file_bytes => Some(FileKind::Large),
        FoundKind::File => None,
    };
    let was_known = known.is_some();
    if let Some(kind) = by_name {
        let changes = if was_known { vec![Change::Forget(path.clone())] } else { Vec::new() };
        let mark = Mark { stamp, settled: true, kind };
        return Done {
            path,
            mark,
            held: Held::of(None),
            manifest: None,
            bytes: 0,
            parsed: false,
            changes,
        };
    }
    // A manifest is known only together with its text.
    let known = known.and_then(|known| known.open(&path)).filter(|(mark, _)| match mark.kind {
        FileKind::Text(hash) if scan::is_kept_whole(&path, stamp.len) => {
            manifest.as_ref().is_some_and(|(of, _)| *of == hash)
        }
        _ => true,
    });
    match known {
        Some((mark, held)) if mark.stamp == stamp && mark.settled => {
            Done { path, mark, held, manifest, bytes: 0, parsed: false, changes: Vec::new() }
        }
        known => {
            let again = Again { path, stamp, known, manifest, taken };
            again.read(sources)
        }
    }
}

impl Known {
    fn open(self, path: &str) -> Option<(Mark, Held)> {
        match self {
            Self::Sealed(blob) => store::open(path, blob),
            Self::Open(known) => Some(*known),
        }
    }
}

/// A file that may have changed.
struct Again {
    path: String,
    stamp: Stamp,
    known: Option<(Mark, Held)>,
    manifest: Option<(ContentHash, String)>,
    taken: i64,
}

impl Again {
    fn read(self, sources: &Sources<'_>) -> Done {
        let Self { path, stamp, known, manifest, taken } = self;
        let hash = known.as_ref().and_then(|(mark, _)| match mark.kind {
            FileKind::Text(hash) => Some(hash),
            _ => None,
        });
        let read = scan::read(sources.survey, &path, stamp, sources.max_file_bytes, hash);
        let mark = Mark { stamp: read.stamp, settled: is_settled(&read, taken), kind: read.kind };
        match (read.said, known) {
            (None, Some((old, held))) if old.kind == mark.kind => {
                let changes = if old == mark { Vec::new() } else { put(&path, &mark, &held) };
                Done { path, mark, held, manifest, bytes: read.bytes, parsed: false, changes }
            }
            (said, _) => fresh(path, mark, said, read.bytes),
        }
    }
}

fn fresh(path: String, mark: Mark, said: Option<Said>, bytes: u64) -> Done {
    let parsed = said.is_some();
    let Said { facts, calls, words, manifest } = said.unwrap_or_default();
    let held = Held::of(facts);
    let mut changes = vec![Change::Forget(path.clone())];
    let mut manifest_kept = None;
    if mark.kind != FileKind::Unreadable {
        changes.extend(put(&path, &mark, &held));
    }
    if let FileKind::Text(hash) = mark.kind {
        let mut seal = |shelf, blob: Option<Vec<u8>>| {
            changes.extend(blob.map(|blob| Change::Put(shelf, path.clone(), blob)));
        };
        seal(Shelf::Calls, store::seal(Shelf::Calls, &path, &(hash, calls)));
        seal(Shelf::Words, store::seal(Shelf::Words, &path, &(hash, words)));
        if let Some(text) = manifest {
            let kept = (hash, text);
            seal(Shelf::Texts, store::seal(Shelf::Texts, &path, &kept));
            manifest_kept = Some(kept);
        }
    }
    Done { path, mark, held, manifest: manifest_kept, bytes, parsed, changes }
}

fn put(path: &str, mark: &Mark, held: &Held) -> Vec<Change> {
    let blob = store::close(path, mark, held);
    blob.map(|blob| Change::Put(Shelf::Facts, path.to_owned(), blob)).into_iter().collect()
}

/// Tells whether a later change of the file is sure to change its stamp.
fn is_settled(read: &scan::Read, taken: i64) -> bool {
    let last = read.stamp.modified.max(read.stamp.changed);
    let is_whole = !matches!(read.kind, FileKind::Text(_)) || read.bytes == read.stamp.len;
    is_whole && last.saturating_add(SETTLING_NANOSECONDS) <= taken
}
