//! The index of the repository and its terms, refreshed once for each command.

use std::ffi::OsString;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::FixError;
use super::session::Session;
use crate::context::RepositoryIndex;
use papayu_base::domain::EventSink;
use papayu_index::store;
use papayu_index::term_index::TermIndex;
use papayu_index::{FactsParser, IncrementalIndex, IndexSources};
use papayu_system::System;
use papayu_system::cache::{BlobCache, MemoryCache, Shelf};
use papayu_system::os::{OsCache, OsTree};
use papayu_system::survey::{FolderSurvey, Stamp, Surveyed};

/// Files with more bytes are indexed by path only.
pub(crate) const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The refreshed index and its terms. Files are parsed when their facts are first needed.
pub(crate) struct Indexed {
    keeper: IncrementalIndex,
    words: Arc<TermIndex>,
    cache: Box<dyn BlobCache>,
}

/// Opens the repository without the files of `index.ignore`.
///
/// # Errors
///
/// The repository cannot be opened, or a glob cannot be read.
pub(crate) fn open_indexed(session: &Session) -> Result<OsTree, FixError> {
    let tree = OsTree::open(session.tree.root())
        .map_err(|source| FixError::of_repository(&session.repo, source))?;
    let globs = &session.settings.index_ignore.value;
    tree.ignoring(globs).map_err(|fault| FixError::Provider(format!("index.ignore: {fault}")))
}

impl Indexed {
    /// Refreshes the index. `found` is called once the files are listed, and returns whether the index is needed.
    ///
    /// Fails with [`FixError::Repository`] if the files cannot be listed, [`FixError::Interrupted`] after a
    /// signal or if the index is not needed, and as [`open_indexed`] does. A cache that cannot be read is no error.
    pub(crate) fn read_index(
        session: &Session,
        system: System<'_>,
        events: &dyn EventSink,
        found: &dyn Fn() -> bool,
    ) -> Result<Self, FixError> {
        let failed = |source| FixError::of_repository(&session.repo, source);
        let disk = Arc::new(open_indexed(session)?);
        let surveyed = disk.survey(&|| system.clock.interrupted());
        if !found() {
            return Err(failed(io::ErrorKind::Interrupted.into()));
        }
        let surveyed = Mutex::new(Some(surveyed.map_err(failed)?));
        let survey = EarlySurvey { disk: disk.as_ref(), surveyed };
        let parser = Arc::new(FactsParser::new(disk.clone(), MAX_FILE_BYTES));
        let cache = open_cache(session);
        let sources = IndexSources {
            survey: &survey,
            cache: cache.as_ref(),
            shared: None,
            clock: system.clock,
            events,
            max_file_bytes: MAX_FILE_BYTES,
            later: Some(&parser),
        };
        let mut keeper = IncrementalIndex::default();
        keeper.refresh(&sources).map_err(failed)?;
        let words = keeper.search_by_words(&sources);
        Ok(Self { keeper, words, cache })
    }

    /// Writes the facts of the files that were parsed to the cache.
    pub(crate) fn keep_parsed(&self) {
        self.keeper.keep_parsed(self.cache.as_ref());
    }

    /// Returns the paths of at most `most` regular files, sorted.
    pub(crate) fn files(&self, most: usize) -> Vec<String> {
        self.keeper.regular_files().take(most).map(str::to_owned).collect()
    }

    /// Returns the index and terms by reference.
    pub(crate) fn known(&self) -> RepositoryIndex<'_> {
        RepositoryIndex { index: self.keeper.index(), words: &self.words }
    }
}

/// A folder with the list of its files, which was made earlier.
struct EarlySurvey<'a> {
    disk: &'a OsTree,
    surveyed: Mutex<Option<Surveyed>>,
}

impl FolderSurvey for EarlySurvey<'_> {
    fn survey(&self, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Surveyed> {
        let surveyed = self.surveyed.lock().unwrap_or_else(PoisonError::into_inner).take();
        surveyed.map_or_else(|| self.disk.survey(stop), Ok)
    }

    fn fetch(
        &self,
        path: &str,
        limit: u64,
        wanted: &dyn Fn(&[u8]) -> bool,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Stamp> {
        self.disk.fetch(path, limit, wanted, bytes)
    }
}

/// Returns the number of files with stored facts; 0 if there is no index, or it cannot be read.
pub(crate) fn count_known_files(session: &Session) -> usize {
    let mut count = 0;
    // After an error the records that were read are counted.
    let _ = open_cache(session).load(Shelf::Facts, &mut |_, _| count += 1);
    count
}

/// Returns the cache of the index. Without a folder for caches it is kept in memory.
pub(crate) fn open_cache(session: &Session) -> Box<dyn BlobCache> {
    let variable = |name: &str| {
        let held = session.environment.iter().find(|(held, _)| held == name);
        held.map(|(_, value)| OsString::from(value))
    };
    let root = session.tree.root();
    match store::cache_folder(session.top().root(), &variable) {
        Some(folder) => {
            Box::new(OsCache::new(&store::cache_file(&folder, root), &store::cache_version()))
        }
        None => Box::new(MemoryCache::default()),
    }
}
