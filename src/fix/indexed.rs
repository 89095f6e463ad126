//! The index of the repository at hand, brought up to date once a command, and its words.

use std::ffi::OsString;
use std::io;

use super::error::FixError;
use super::session::Session;
use crate::context::Known;
use crate::domain::EventSink;
use crate::index::refresh::{Keeper, Sources};
use crate::index::store;
use crate::index::words::Words;
use crate::system::cache::{Cache, MemoryCache};
use crate::system::os::{OsCache, OsTree};
use crate::system::survey::{Stamp, Survey, Surveyed};
use crate::system::{System, join};

/// Files with more bytes are known by name only.
pub(crate) const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Definitions and words of the files.
pub(crate) struct Indexed {
    keeper: Keeper,
    words: Words,
}

impl Indexed {
    /// Reads what changed since the cache was written, and the rest from there; `found` is called once it is known
    /// which files there are.
    pub(crate) fn read(
        session: &Session,
        system: System<'_>,
        events: &dyn EventSink,
        found: &(dyn Fn() + Sync),
    ) -> Result<Self, FixError> {
        let failed = |source| FixError::of_repository(&session.repo, source);
        let disk = OsTree::open(session.tree.root()).map_err(failed)?;
        let survey = Told { disk, found };
        let cache = cache(session);
        let sources = Sources {
            survey: &survey,
            cache: cache.as_ref(),
            clock: system.clock,
            events,
            max_file_bytes: MAX_FILE_BYTES,
        };
        let mut keeper = Keeper::default();
        keeper.refresh(&sources).map_err(failed)?;
        let (words, ()) = join(|| keeper.words(&sources), || keeper.index().prepare());
        Ok(Self { keeper, words })
    }

    /// Returns the paths of so many regular files at the most, sorted.
    pub(crate) fn files(&self, most: usize) -> Vec<String> {
        self.keeper.regular_files().take(most).map(str::to_owned).collect()
    }

    /// Returns it as the library takes it.
    pub(crate) fn known(&self) -> Known<'_> {
        Known { index: self.keeper.index(), words: &self.words }
    }
}

/// A repository that calls back when its files are listed.
struct Told<'a> {
    disk: OsTree,
    found: &'a (dyn Fn() + Sync),
}

impl Survey for Told<'_> {
    fn survey(&self, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Surveyed> {
        let surveyed = self.disk.survey(stop);
        (self.found)();
        surveyed
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

/// Returns the cache of the repository's index; one that lasts as long as the process where there is no
/// folder for it.
pub(crate) fn cache(session: &Session) -> Box<dyn Cache> {
    let variable = |name: &str| {
        let held = session.environment.iter().find(|(held, _)| held == name);
        held.map(|(_, value)| OsString::from(value))
    };
    let root = session.tree.root();
    match store::folder(root, &variable) {
        Some(folder) => Box::new(OsCache::new(&store::file(&folder, root), &store::version())),
        None => Box::new(MemoryCache::default()),
    }
}
