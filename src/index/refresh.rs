//! Keeps an index in step with the disk: reads what changed and takes the rest from what is known.

mod step;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;

use rustc_hash::FxHashMap;
use serde_bytes::ByteBuf;

use self::step::{Done, Item, Known, step};
use super::code::{FileId, Index, IndexedFile};
use super::facts::Call;
use super::scan;
use super::store::{self, ContentHash, FileKind, Mark};
use super::words::Words;
use crate::domain::{Event, EventName, EventSink};
use crate::system::cache::{Cache, Change, MemoryCache, Shelf};
use crate::system::survey::{Found, Survey, Surveyed};
use crate::system::{Clock, join, stream_parallel};

/// More files than this are worth a warning: somebody may have forgotten a `.gitignore`.
const MANY_FILES: usize = 10_000;

/// Bytes of blobs put into the cache at once: after a kill, no more than these are found out again.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// What an index is made from.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The repository.
    pub survey: &'a dyn Survey,
    /// What was found out before.
    pub cache: &'a dyn Cache,
    /// The wish to stop.
    pub clock: &'a dyn Clock,
    /// Who wants to know how it goes.
    pub events: &'a dyn EventSink,
    /// Files with more bytes are known by name only.
    pub max_file_bytes: u64,
}

/// What a refresh did, in numbers of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// In the index, of whatever sort.
    pub files: usize,
    /// Whose text was read anew, by a grammar or for its words.
    pub parsed: usize,
    /// That were taken as they were known.
    pub reused: usize,
    /// That were known and are no more.
    pub removed: usize,
    /// Skipped: their encoding is not certain.
    pub skipped_non_utf8: usize,
    /// Known by name only: binary.
    pub binaries: usize,
    /// Known by name only: over the limit.
    pub large: usize,
    /// Known by name only: links.
    pub symlinks: usize,
    /// That could not be read, folders among them.
    pub unreadable: usize,
    /// Left out, because no path can name them.
    pub unnamed: usize,
    /// Bytes of text that were read.
    pub bytes: u64,
    /// Whether the cache knows it all now; a later start is slow where it does not.
    pub kept: bool,
}

impl Summary {
    /// Tells whether the index says something it did not say before.
    pub fn is_news(&self) -> bool {
        self.parsed + self.removed > 0
    }
}

/// An index with what it takes to bring it up to date.
#[derive(Debug, Default)]
pub struct Keeper {
    index: Index,
    /// Those of the index's files, in its order.
    marks: Vec<Mark>,
    /// Blobs that the cache would not take.
    spare: MemoryCache,
    /// Folders the files lie in.
    folders: Vec<String>,
    is_filled: bool,
}

impl Keeper {
    /// Returns the paths of the index's regular files, sorted: links are left out.
    pub fn regular_files(&self) -> impl Iterator<Item = &str> {
        let files = self.index.files().iter().zip(&self.marks);
        let regular = files.filter(|(_, mark)| mark.kind != FileKind::Link);
        regular.map(|(file, _)| file.path.as_str())
    }

    /// Returns the index as of the last refresh.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns a file's state and sort.
    pub fn mark(&self, id: FileId) -> Option<&Mark> {
        self.marks.get(id.0 as usize)
    }

    /// Returns the folders that the last refresh looked into, the root as an empty path.
    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Brings the index up to date with the disk, and the cache with the index. Fails when the root
    /// cannot be read, the index then being as it was, and with `Interrupted`, after which the index
    /// is empty until the next refresh. Nothing about the cache is an error.
    pub fn refresh(&mut self, sources: &Sources<'_>) -> io::Result<Summary> {
        let (surveyed, stock) = self.look(sources)?;
        if surveyed.found.len() > MANY_FILES && !self.is_filled {
            let event = Event::new(EventName::IndexLarge);
            sources.events.emit(event.with("files", surveyed.found.len()));
        }
        let mut round = Round {
            summary: Summary {
                unreadable: surveyed.unread,
                unnamed: surveyed.unnamed,
                kept: stock.is_open,
                ..Summary::default()
            },
            files: Vec::with_capacity(surveyed.found.len()),
            manifests: HashMap::new(),
            changes: Vec::new(),
            waiting: 0,
            all: surveyed.found.len(),
            told: 0,
        };
        let taken = surveyed.taken;
        let items = round.items(surveyed.found, stock);
        self.is_filled = false;
        self.folders = surveyed.folders;
        let read = |item| (!sources.clock.interrupted()).then(|| step(sources, taken, item));
        stream_parallel(items, read, &mut |done: Option<Done>| {
            if let Some(done) = done {
                round.take(self, sources, done);
            }
        });
        round.flush(self, sources);
        if sources.clock.interrupted() {
            *self = Self::default();
            return Err(io::ErrorKind::Interrupted.into());
        }
        round.files.sort_unstable_by(|(one, _), (other, _)| one.path.cmp(&other.path));
        let (files, marks) = round.files.into_iter().unzip();
        (self.index, self.marks) = (Index::new(files, round.manifests), marks);
        self.is_filled = true;
        Ok(round.summary)
    }

    /// Finds the files on the disk and, the first time, what the cache knows of them, at once.
    fn look(&mut self, sources: &Sources<'_>) -> io::Result<(Surveyed, Stock)> {
        let stop = || sources.clock.interrupted();
        if self.is_filled {
            let surveyed = sources.survey.survey(&stop)?;
            return Ok((surveyed, self.stock()));
        }
        let (stock, surveyed) =
            join(|| Stock::load(sources.cache), || sources.survey.survey(&stop));
        Ok((surveyed?, stock))
    }

    /// Gives the index up as what is known.
    fn stock(&mut self) -> Stock {
        let (files, texts) = std::mem::take(&mut self.index).into_parts();
        let marks = std::mem::take(&mut self.marks);
        let hashes: FxHashMap<&str, ContentHash> = files
            .iter()
            .zip(&marks)
            .filter_map(|(file, mark)| Some((file.path.as_str(), mark.kind.content()?)))
            .collect();
        let manifests = texts
            .into_iter()
            .filter_map(|(path, text)| {
                let hash = *hashes.get(path.as_str())?;
                Some((path, (hash, text)))
            })
            .collect();
        let known = |(file, mark): (IndexedFile, Mark)| {
            let (path, held) = file.into_parts();
            (path, Known::Open(Box::new((mark, held))))
        };
        let known = files.into_iter().zip(marks).map(known).collect();
        Stock { known, manifests, is_open: true }
    }

    /// Returns the calls of every file that has some, in the order of files; loaded when asked for.
    pub fn calls(&self, sources: &Sources<'_>) -> Vec<(FileId, Vec<Call>)> {
        self.shelf(sources, Shelf::Calls, |said| said.calls)
    }

    /// Returns the words of every file; loaded when asked for.
    pub fn words(&self, sources: &Sources<'_>) -> Words {
        let bags = self.shelf(sources, Shelf::Words, |said| ByteBuf::from(said.words));
        Words::new(bags.into_iter().map(|(id, bag)| (id, bag.into_vec().into())).collect())
    }

    /// Returns what a shelf says of the files as they are in this index. Another process may have
    /// changed the cache since, or lost it; then the file is read again.
    fn shelf<T: serde::de::DeserializeOwned>(
        &self,
        sources: &Sources<'_>,
        shelf: Shelf,
        pick: impl Fn(scan::Said) -> T,
    ) -> Vec<(FileId, T)> {
        let mut found: Vec<Option<T>> = self.marks.iter().map(|_| None).collect();
        for cache in [&self.spare as &dyn Cache, sources.cache] {
            let _ = cache.load(shelf, &mut |path, blob| {
                let Some(FileId(at)) = self.index.find(&path) else { return };
                let hash = self.marks.get(at as usize).and_then(|mark| mark.kind.content());
                let value = store::unseal::<(ContentHash, T)>(shelf, &path, &blob);
                let value = value.filter(|(of, _)| hash == Some(*of));
                if let (Some(place), Some((_, value))) = (found.get_mut(at as usize), value) {
                    *place = Some(value);
                }
            });
        }
        let files = self.index.files().iter().zip(&self.marks).zip(found).zip(0..);
        files
            .filter_map(|(((file, mark), found), at)| {
                let hash = mark.kind.content()?;
                let again = || {
                    let limit = sources.max_file_bytes;
                    let read = scan::read(sources.survey, &file.path, mark.stamp, limit, None);
                    read.said.filter(|_| read.kind == FileKind::Text(hash)).map(&pick)
                };
                Some((FileId(at), found.or_else(again)?))
            })
            .collect()
    }
}

/// What is known of files before the disk is looked at.
#[derive(Default)]
struct Stock {
    known: FxHashMap<String, Known>,
    manifests: HashMap<String, (ContentHash, String)>,
    /// Whether there is a cache to write to.
    is_open: bool,
}

impl Stock {
    fn load(cache: &dyn Cache) -> Self {
        let mut stock = Self { is_open: true, ..Self::default() };
        let facts = cache.load(Shelf::Facts, &mut |path, blob| {
            stock.known.insert(path, Known::Sealed(blob));
        });
        let texts = facts.and_then(|()| {
            cache.load(Shelf::Texts, &mut |path, blob| {
                if let Some(text) = store::unseal(Shelf::Texts, &path, &blob) {
                    stock.manifests.insert(path, text);
                }
            })
        });
        match texts {
            // It was damaged, and is begun anew: what came of it is not in it any more.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Self { is_open: true, ..Self::default() }
            }
            Err(_) => Self { is_open: false, ..stock },
            Ok(()) => stock,
        }
    }
}

/// What a refresh gathers.
struct Round {
    summary: Summary,
    files: Vec<(IndexedFile, Mark)>,
    manifests: HashMap<String, String>,
    /// What the cache has yet to learn, and its bytes.
    changes: Vec<Change>,
    waiting: usize,
    /// How many files there are, and how many were parsed when this was last told.
    all: usize,
    told: usize,
}

impl Round {
    /// Puts what was found and what is known together; what is known of nothing is forgotten.
    fn items(&mut self, found: Vec<Found>, mut stock: Stock) -> Vec<Item> {
        let mut item = |found: Found| {
            let known = stock.known.remove(&found.path);
            let manifest = stock.manifests.remove(&found.path);
            Item { found, known, manifest }
        };
        let items = found.into_iter().map(&mut item).collect();
        self.summary.removed = stock.known.len();
        let mut gone: Vec<_> = stock.known.into_keys().collect();
        gone.sort_unstable();
        self.changes.extend(gone.into_iter().map(Change::Forget));
        items
    }

    fn take(&mut self, keeper: &Keeper, sources: &Sources<'_>, done: Done) {
        self.add(done);
        if self.waiting > BATCH_BYTES {
            self.flush(keeper, sources);
        }
        // Ten steps are enough to see that it goes on.
        if self.summary.parsed >= self.told + (self.all / 10).max(1000) {
            self.told = self.summary.parsed;
            let event = Event::new(EventName::IndexProgress);
            sources.events.emit(event.with("done", self.files.len()).with("files", self.all));
        }
    }

    fn add(&mut self, done: Done) {
        let summary = &mut self.summary;
        summary.files += 1;
        summary.bytes += done.bytes;
        summary.parsed += usize::from(done.parsed);
        match done.mark.kind {
            FileKind::Text(_) => summary.reused += usize::from(!done.parsed),
            FileKind::Binary => summary.binaries += 1,
            FileKind::Large => summary.large += 1,
            FileKind::NotText => summary.skipped_non_utf8 += 1,
            FileKind::Link => summary.symlinks += 1,
            FileKind::Unreadable => summary.unreadable += 1,
        }
        if let Some((_, text)) = done.manifest {
            self.manifests.insert(done.path.clone(), text);
        }
        self.waiting += done.changes.iter().map(weight).sum::<usize>();
        self.changes.extend(done.changes);
        self.files.push((IndexedFile::new(done.path, done.held), done.mark));
    }

    /// Writes what waits into the cache, or keeps what is asked for later where that fails.
    fn flush(&mut self, keeper: &Keeper, sources: &Sources<'_>) {
        self.waiting = 0;
        let mut changes = std::mem::take(&mut self.changes);
        if changes.is_empty() {
            return;
        }
        if self.summary.kept && sources.cache.change(&changes).is_ok() {
            return;
        }
        self.summary.kept = false;
        let is_in_index =
            |change: &Change| matches!(change, Change::Put(Shelf::Facts | Shelf::Texts, ..));
        changes.retain(|change| !is_in_index(change));
        let _ = keeper.spare.change(&changes);
    }
}

fn weight(change: &Change) -> usize {
    match change {
        Change::Put(_, path, blob) => path.len() + blob.len(),
        Change::Forget(path) => path.len(),
    }
}
