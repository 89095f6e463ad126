//! The index of the repository at hand, and its files by what the user wrote.

use std::path::Path;

use serde_json::Value;

use crate::cli::loudness::Loudness;
use crate::cli::{CliError, Session, runtime};
use crate::fix::FixError;
use crate::fix::indexed::{MAX_FILE_BYTES, open_cache, open_indexed};
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use crate::fix::shared_store::open_store;
use papayu_base::text::spelling;
use papayu_index::queries::is_below;
use papayu_index::{
    FileId, IncrementalIndex, Index, IndexSources, RefreshSummary, SharedFacts, SymbolCall,
};
use papayu_system::cache::{BlobCache, CacheChange, SharedStore, Shelf};
use papayu_system::os::OsTree;

/// A repository with its cache and the receiver of events.
pub(super) struct IndexedRepository {
    pub(super) tree: OsTree,
    cache: Box<dyn BlobCache>,
    outside: Runtime,
    events: runtime::Observer,
}

impl IndexedRepository {
    /// Opens the repository and the cache of its index.
    ///
    /// Fails with [`CliError::Signals`], and as [`open_indexed`] does.
    pub(super) fn open(session: &Session) -> Result<Self, CliError> {
        let outside = runtime::open_runtime(session)?;
        let tree = open_indexed(session)?;
        let cache = open_cache(session);
        let events = runtime::observe_run(session, &outside.masker, Loudness::Normal);
        Ok(Self { tree, cache, outside, events })
    }

    /// Returns the shared store; `None` without one.
    pub(super) fn open_store<'s>(
        &'s self,
        session: &'s Session,
    ) -> Option<Box<dyn SharedStore + 's>> {
        open_store(RunContext { session, runtime: &self.outside, events: &self.events })
    }

    /// Returns the inputs of the index, with facts of this store.
    pub(super) fn sources<'s>(
        &'s self,
        store: Option<&'s (dyn SharedStore + 's)>,
    ) -> IndexSources<'s> {
        let masker = &self.outside.masker;
        IndexSources {
            survey: &self.tree,
            cache: self.cache.as_ref(),
            shared: store.map(|store| SharedFacts { store, masker }),
            clock: self.outside.system().clock,
            events: &self.events,
            max_file_bytes: MAX_FILE_BYTES,
            later: None,
        }
    }

    /// Clears the cache, so that every file is read again.
    pub(super) fn clear_cache(&self) {
        let mut known = Vec::new();
        for shelf in Shelf::ALL {
            // An unreadable cache is no reason to stop: its records are verified by hash.
            let _ = self.cache.load(shelf, &mut |key, _| known.push(key));
        }
        known.sort_unstable();
        known.dedup();
        let known: Vec<CacheChange> = known.into_iter().map(CacheChange::Forget).collect();
        let _ = self.cache.change(&known);
    }
}

/// The answer to a question, for people and for programs.
pub(super) struct IndexAnswer {
    pub(super) text: String,
    pub(super) json: Value,
}

impl IndexAnswer {
    pub(super) fn new(text: String, json: Value) -> Self {
        Self { text, json }
    }
}

/// A refreshed index with access to the texts.
pub(super) struct FreshIndex<'s> {
    pub(super) index: &'s Index,
    keeper: &'s IncrementalIndex,
    pub(super) place: &'s IndexedRepository,
    sources: IndexSources<'s>,
    pub(super) summary: RefreshSummary,
}

impl<'s> FreshIndex<'s> {
    /// Refreshes the index.
    ///
    /// Fails with [`FixError::Repository`] if the files cannot be listed, and with [`FixError::Interrupted`]
    /// after a signal.
    pub(super) fn refresh(
        session: &Session,
        place: &'s IndexedRepository,
        sources: IndexSources<'s>,
        keeper: &'s mut IncrementalIndex,
    ) -> Result<Self, CliError> {
        let summary = keeper.refresh(&sources);
        let summary = summary.map_err(|error| FixError::of_repository(&session.repo, error))?;
        Ok(Self { index: keeper.index(), keeper, place, sources, summary })
    }

    /// Returns the calls of every file that has some.
    pub(super) fn calls(&self) -> Vec<(FileId, Vec<SymbolCall>)> {
        self.keeper.load_calls(&self.sources)
    }

    /// Returns a file's text as it is now; `None` when it is none.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        self.sources.survey.fetch(path, MAX_FILE_BYTES, &|_| true, &mut bytes).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Returns the file that the user named, relative to the repository or absolute.
    ///
    /// Fails with [`CliError::NotIndexed`] and the most similar path if the index has no such file.
    pub(super) fn find_file(&self, written: &str) -> Result<(FileId, &'s str), CliError> {
        let path = self.to_relative(written);
        let found = self.index.find_path(&path).and_then(|id| Some((id, self.index.file(id)?)));
        match found {
            Some((id, file)) => Ok((id, &file.path)),
            None => Err(self.unknown_file(written, &path)),
        }
    }

    /// Returns the file or folder that the user named, empty for the whole repository.
    ///
    /// Fails with [`CliError::NotIndexed`] if no indexed file is there.
    pub(super) fn resolve_below(&self, written: Option<&str>) -> Result<String, CliError> {
        let path = written.map(|written| self.to_relative(written)).unwrap_or_default();
        if self.index.files().iter().any(|file| is_below(&file.path, &path)) || path.is_empty() {
            return Ok(path);
        }
        Err(self.unknown_file(written.unwrap_or_default(), &path))
    }

    /// Returns the error of a file that the index does not have, with the path most like it.
    fn unknown_file(&self, written: &str, path: &str) -> CliError {
        let paths = self.index.files().iter().map(|file| file.path.as_str());
        let nearest = spelling::find_most_similar(paths, path).map(str::to_owned);
        CliError::NotIndexed { kind: "file", name: written.to_owned(), nearest }
    }

    /// Takes `./` and the repository's own folder off a path.
    fn to_relative(&self, written: &str) -> String {
        let root = papayu_system::Tree::root(&self.place.tree);
        let inside = Path::new(written).strip_prefix(root).ok();
        let path = inside.and_then(Path::to_str).unwrap_or(written);
        let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
        parts.collect::<Vec<_>>().join("/")
    }
}
