//! Incremental updates of an index: changed files are read again, the others come from the cache.

mod step;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::step::{FoundFile, KnownRecord, Processed, process_files};
use super::code::{FileId, Index, IndexedFile};
use super::facts::SymbolCall;
use super::language;
use super::scan;
use super::sources::IndexSources;
use super::store::{self, ContentHash, FileKind, FileMark};
use super::term_index::{self, TermIndex};
use papayu_base::domain::{Event, EventName};
use papayu_lang::Language;
use papayu_system::cache::{BlobCache, CacheChange, MemoryCache, Shelf};
use papayu_system::survey::{Surveyed, SurveyedFile};
use papayu_system::{join, stream_parallel};

/// Number of files above which an event warns that a `.gitignore` may be missing.
const MANY_FILES: usize = 10_000;

/// Bytes of records that are written to the cache at once. After a kill, at most this much is
/// read again.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Most files, and bytes of them, with facts that one request reads from the shared store.
const MAX_GROUP: usize = 64;
const MAX_GROUP_BYTES: u64 = 4 * 1024 * 1024;

/// Fewest groups, so that every thread has work.
const MIN_GROUPS: usize = 32;

/// The result of a refresh, in numbers of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefreshSummary {
    /// Files in the index, of any kind.
    pub files: usize,
    /// Files with a text that was read, and parsed unless that is done later.
    pub parsed: usize,
    /// Files among them with facts from the shared store.
    pub shared: usize,
    /// Files taken from the cache.
    pub reused: usize,
    /// Files removed since the last refresh.
    pub removed: usize,
    /// Files in an unknown encoding.
    pub skipped_non_utf8: usize,
    /// Binary files, indexed by path only.
    pub binaries: usize,
    /// Files over the size limit, indexed by path only.
    pub large: usize,
    /// Symbolic links, indexed by path only.
    pub symlinks: usize,
    /// Files and folders that could not be read.
    pub unreadable: usize,
    /// Entries with names that cannot be used as a path.
    pub unnamed: usize,
    /// Bytes of text read.
    pub bytes: u64,
    /// True if the cache is complete. Otherwise the next start reads files again.
    pub kept: bool,
}

impl RefreshSummary {
    /// Returns true if the refresh changed the index.
    pub fn is_news(&self) -> bool {
        self.parsed + self.removed > 0
    }
}

/// An index with the state that incremental updates need.
#[derive(Debug, Default)]
pub struct IncrementalIndex {
    /// The index as of the last refresh.
    index: Index,
    /// The marks of the files of the index, in the same order.
    marks: Vec<FileMark>,
    /// Records that could not be written to the cache.
    spare: MemoryCache,
    /// `true` after a complete refresh.
    is_filled: bool,
}

impl IncrementalIndex {
    /// Returns the paths of all regular files, sorted. Links are omitted.
    pub fn regular_files(&self) -> impl Iterator<Item = &str> {
        let files = self.index.files().iter().zip(&self.marks);
        let regular = files.filter(|(_, mark)| mark.kind != FileKind::Link);
        regular.map(|(file, _)| file.path.as_str())
    }

    /// Returns the index as of the last refresh.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the state and kind of a file.
    pub fn file_mark(&self, id: FileId) -> Option<&FileMark> {
        self.marks.get(id.0 as usize)
    }

    /// Returns `true` if no file has changed since the last refresh.
    ///
    /// # Errors
    ///
    /// Fails if the root cannot be read, and with `Interrupted` if the run is interrupted.
    pub fn is_current(&self, sources: &IndexSources<'_>) -> io::Result<bool> {
        if !self.is_filled {
            return Ok(false);
        }
        let found = sources.survey.survey(&|| sources.clock.interrupted())?.found;
        let known = self.index.files().iter().zip(&self.marks);
        let is_same = |((file, mark), found): ((&IndexedFile, &FileMark), &SurveyedFile)| {
            file.path == found.path && mark.stamp == found.stamp && mark.settled
        };
        Ok(found.len() == self.marks.len() && known.zip(&found).all(is_same))
    }

    /// Updates the index from the disk, and the cache from the index.
    ///
    /// # Errors
    ///
    /// Fails if the root cannot be read; the index is then unchanged. Fails with `Interrupted` if
    /// the run is interrupted; the index is then empty until the next refresh. Problems of the
    /// cache are not errors.
    pub fn refresh(&mut self, sources: &IndexSources<'_>) -> io::Result<RefreshSummary> {
        let (surveyed, stock) = self.survey_files(sources)?;
        if surveyed.found.len() > MANY_FILES && !self.is_filled {
            let event = Event::new(EventName::IndexLarge);
            sources.events.emit(event.with("files", surveyed.found.len()));
        }
        let mut round = Round {
            summary: RefreshSummary {
                unreadable: surveyed.unread,
                unnamed: surveyed.unnamed,
                kept: stock.is_open,
                ..RefreshSummary::default()
            },
            files: Vec::with_capacity(surveyed.found.len()),
            changes: Vec::new(),
            waiting: 0,
            all: surveyed.found.len(),
            reported: 0,
        };
        // The time before the first file was looked at: a file that changes later has a newer
        // stamp.
        let taken = surveyed.taken;
        let items = round.pair_items(surveyed.found, stock);
        // An interrupted refresh must not leave an index that counts as complete.
        self.is_filled = false;
        let read = |items| {
            let is_over = sources.clock.interrupted();
            if is_over { Vec::new() } else { process_files(sources, taken, items) }
        };
        stream_parallel(group_items(sources, items), read, &mut |done: Vec<Processed>| {
            for done in done {
                round.take_result(self, sources, done);
            }
        });
        round.flush_changes(self, sources);
        if sources.clock.interrupted() {
            *self = Self::default();
            return Err(io::ErrorKind::Interrupted.into());
        }
        // Files arrive in the order in which threads finish them.
        round.files.sort_unstable_by(|(one, _), (other, _)| one.path.cmp(&other.path));
        let (files, marks): (Vec<_>, Vec<_>) = round.files.into_iter().unzip();
        let manifests = read_manifests(sources, &files, &marks);
        (self.index, self.marks) = (Index::new(files, manifests), marks);
        self.is_filled = true;
        Ok(round.summary)
    }

    /// Lists the files on the disk and, the first time, loads the cache in parallel.
    fn survey_files(&mut self, sources: &IndexSources<'_>) -> io::Result<(Surveyed, KnownFiles)> {
        let stop = || sources.clock.interrupted();
        // The index in memory is newer than the cache.
        // The records in memory are used, so an unchanged file is not even decoded.
        if self.is_filled {
            let surveyed = sources.survey.survey(&stop)?;
            return Ok((surveyed, self.take_known()));
        }
        let (stock, surveyed) =
            join(|| KnownFiles::load_cache(sources.cache), || sources.survey.survey(&stop));
        Ok((surveyed?, stock))
    }

    /// Takes the index apart into the records of its files.
    fn take_known(&mut self) -> KnownFiles {
        let files = std::mem::take(&mut self.index).into_files();
        let marks = std::mem::take(&mut self.marks);
        let known = |(file, mark): (IndexedFile, FileMark)| {
            let (path, lazy) = file.into_parts();
            (path, KnownRecord::Open(Box::new((mark, lazy))))
        };
        let known = files.into_iter().zip(marks).map(known).collect();
        KnownFiles { known, is_open: true }
    }

    /// Loads the calls of every file that has any, in the order of files.
    pub fn load_calls(&self, sources: &IndexSources<'_>) -> Vec<(FileId, Vec<SymbolCall>)> {
        self.load_shelf(sources, Shelf::Calls, |path, text| {
            let language = Language::of_path(path);
            language.map(|it| language::parse(it, text).calls).unwrap_or_default()
        })
    }

    /// Loads the terms of every file.
    pub fn load_terms(&self, sources: &IndexSources<'_>) -> TermIndex {
        let bags = self.load_shelf(sources, Shelf::Words, |_, text| term_index::encode_bag(text));
        TermIndex::new(bags.into_iter().map(|(id, bag)| (id, bag.into())).collect())
    }

    /// Loads the terms of every file, by which names are searched while files are parsed on demand.
    pub fn search_by_words(&mut self, sources: &IndexSources<'_>) -> Arc<TermIndex> {
        let words = Arc::new(self.load_terms(sources));
        if sources.later.is_some() {
            self.index.search_by_words(Arc::clone(&words));
        }
        words
    }

    /// Writes the facts of files that were parsed since the refresh to the cache.
    ///
    /// Problems of the cache are not errors.
    pub fn keep_parsed(&self, cache: &dyn BlobCache) {
        let files = self.index.files().iter().zip(&self.marks);
        // A file that changed after the refresh was parsed as it is now, its mark is of before.
        let parsed = files.filter(|(file, mark)| {
            let hash = file.lazy_facts().newly_parsed();
            hash.is_some() && hash == mark.content
        });
        let put = |(file, mark): (&IndexedFile, &FileMark)| {
            let blob = store::encode_facts(&file.path, mark, file.lazy_facts())?;
            Some(CacheChange::Put(Shelf::Facts, file.path.clone(), blob))
        };
        // A problem of the cache costs time at the next start, and nothing else.
        let changes: Vec<CacheChange> = parsed.filter_map(put).collect();
        if !changes.is_empty() {
            let _ = cache.change(&changes);
        }
    }

    /// Loads the values of one shelf for the files of this index.
    ///
    /// If another process changed or deleted the cache since, the file is read again.
    fn load_shelf<T: serde::de::DeserializeOwned>(
        &self,
        sources: &IndexSources<'_>,
        shelf: Shelf,
        pick: impl Fn(&str, &str) -> T,
    ) -> Vec<(FileId, T)> {
        let mut found: Vec<Option<T>> = self.marks.iter().map(|_| None).collect();
        // The cache on disk comes last, so that its record counts where both have one.
        for cache in [&self.spare as &dyn BlobCache, sources.cache] {
            let _ = cache.load(shelf, &mut |path, blob| {
                let Some(FileId(at)) = self.index.find_path(&path) else { return };
                let hash = self.marks.get(at as usize).and_then(|mark| mark.content);
                let value = store::decode::<(ContentHash, T)>(shelf, &path, &blob);
                // A record of another content belongs to an older or newer index than this one.
                let value = value.filter(|(of, _)| hash == Some(*of));
                if let (Some(place), Some((_, value))) = (found.get_mut(at as usize), value) {
                    *place = Some(value);
                }
            });
        }
        let files = self.index.files().iter().zip(&self.marks).zip(found).zip(0..);
        files
            .filter_map(|(((file, mark), found), at)| {
                let hash = mark.content?;
                let again = || {
                    let limit = sources.max_file_bytes;
                    let read = scan::read_file(sources.survey, &file.path, mark.stamp, limit, None);
                    let text = read.text.filter(|_| read.content == Some(hash))?;
                    Some(pick(&file.path, &text))
                };
                Some((FileId(at), found.or_else(again)?))
            })
            .collect()
    }
}

/// The records that are known before the disk is read.
#[derive(Default)]
struct KnownFiles {
    /// By path.
    known: FxHashMap<String, KnownRecord>,
    /// True if the cache can be written.
    is_open: bool,
}

impl KnownFiles {
    /// Loads the records of the cache. Facts stay encoded: those of unchanged files are decoded
    /// only if a query asks for them.
    fn load_cache(cache: &dyn BlobCache) -> Self {
        let mut stock = Self { is_open: true, ..Self::default() };
        let loaded = cache.load(Shelf::Facts, &mut |path, blob| {
            stock.known.insert(path, KnownRecord::Sealed(blob));
        });
        match loaded {
            // The cache was damaged and has been replaced by an empty one.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Self { is_open: true, ..Self::default() }
            }
            // A cache that cannot be read now is left alone; what was read of it is used.
            Err(_) => Self { is_open: false, ..stock },
            Ok(()) => stock,
        }
    }
}

/// The state of one refresh.
struct Round {
    /// The counts so far.
    summary: RefreshSummary,
    /// In the order in which threads finish them.
    files: Vec<(IndexedFile, FileMark)>,
    /// Changes not yet written to the cache.
    changes: Vec<CacheChange>,
    /// Bytes of the pending changes.
    waiting: usize,
    /// Number of files.
    all: usize,
    /// The count at the last progress event.
    reported: usize,
}

impl Round {
    /// Pairs found files with their records. Records without a file are removed from the cache.
    fn pair_items(&mut self, found: Vec<SurveyedFile>, mut stock: KnownFiles) -> Vec<FoundFile> {
        let item =
            |found: SurveyedFile| FoundFile { known: stock.known.remove(&found.path), found };
        let items = found.into_iter().map(item).collect();
        // The rest of the stock has no file any more.
        self.summary.removed = stock.known.len();
        let mut gone: Vec<_> = stock.known.into_keys().collect();
        // A hash map has no order, and the same refresh should write the same records.
        gone.sort_unstable();
        self.changes.extend(gone.into_iter().map(CacheChange::Forget));
        items
    }

    /// Adds the result of a file, and writes the changes of many files at once: each write is a
    /// transaction of the cache.
    fn take_result(
        &mut self,
        indexer: &IncrementalIndex,
        sources: &IndexSources<'_>,
        done: Processed,
    ) {
        self.add_file(done);
        if self.waiting > BATCH_BYTES {
            self.flush_changes(indexer, sources);
        }
        // Ten progress events are enough for a reader of the log.
        if self.summary.parsed >= self.reported + (self.all / 10).max(1000) {
            self.reported = self.summary.parsed;
            let event = Event::new(EventName::IndexProgress);
            sources.events.emit(event.with("done", self.files.len()).with("files", self.all));
        }
    }

    /// Adds a file and counts it in the summary.
    fn add_file(&mut self, done: Processed) {
        let summary = &mut self.summary;
        summary.files += 1;
        summary.bytes += done.bytes;
        summary.parsed += usize::from(done.parsed);
        summary.shared += usize::from(done.shared);
        match done.mark.kind {
            FileKind::Text => summary.reused += usize::from(!done.parsed),
            FileKind::Binary => summary.binaries += 1,
            FileKind::Large => summary.large += 1,
            FileKind::UnknownEncoding => summary.skipped_non_utf8 += 1,
            FileKind::Link => summary.symlinks += 1,
            FileKind::Unreadable => summary.unreadable += 1,
        }
        self.waiting += done.changes.iter().map(change_bytes).sum::<usize>();
        self.changes.extend(done.changes);
        self.files.push((IndexedFile::new(done.path, done.lazy), done.mark));
    }

    /// Writes pending changes to the cache, or keeps them in memory if that fails.
    fn flush_changes(&mut self, indexer: &IncrementalIndex, sources: &IndexSources<'_>) {
        self.waiting = 0;
        let mut changes = std::mem::take(&mut self.changes);
        if changes.is_empty() {
            return;
        }
        if self.summary.kept && sources.cache.change(&changes).is_ok() {
            return;
        }
        self.summary.kept = false;
        // Facts are in memory already; only calls and terms are loaded later.
        changes.retain(|change| !matches!(change, CacheChange::Put(Shelf::Facts, ..)));
        let _ = indexer.spare.change(&changes);
    }
}

/// Divides files into groups that are processed together. Only a shared store makes larger ones worthwhile.
fn group_items(sources: &IndexSources<'_>, items: Vec<FoundFile>) -> Vec<Vec<FoundFile>> {
    let most = sources.shared.map_or(1, |_| (items.len() / MIN_GROUPS).clamp(1, MAX_GROUP));
    let mut groups: Vec<Vec<FoundFile>> = Vec::new();
    let mut bytes = 0;
    for item in items {
        bytes += item.found.stamp.len;
        let last = groups.last_mut();
        if let Some(group) = last.filter(|group| group.len() < most && bytes <= MAX_GROUP_BYTES) {
            group.push(item);
        } else {
            bytes = item.found.stamp.len;
            groups.push(vec![item]);
        }
    }
    groups
}

/// Returns the texts of the manifests by path. They are few, so they are read again and not cached.
fn read_manifests(
    sources: &IndexSources<'_>,
    files: &[IndexedFile],
    marks: &[FileMark],
) -> HashMap<String, String> {
    let kept = files.iter().zip(marks).filter(|(file, mark)| {
        mark.content.is_some() && scan::is_kept_whole(&file.path, mark.stamp.len)
    });
    let texts = kept.filter_map(|(file, mark)| {
        let limit = sources.max_file_bytes;
        let read = scan::read_file(sources.survey, &file.path, mark.stamp, limit, None);
        Some((file.path.clone(), read.text?))
    });
    texts.collect()
}

/// Returns the size of a change, which bounds the memory for changes that wait.
fn change_bytes(change: &CacheChange) -> usize {
    match change {
        CacheChange::Put(_, path, blob) => path.len() + blob.len(),
        CacheChange::Forget(path) => path.len(),
    }
}
