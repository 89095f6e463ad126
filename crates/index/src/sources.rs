//! The inputs of an index: the repository, the cache, the clock and the receiver of events.

use std::sync::Arc;

use super::parser::FactsParser;
use super::shared::SharedFacts;
use papayu_base::domain::EventSink;
use papayu_system::Clock;
use papayu_system::cache::BlobCache;
use papayu_system::survey::FolderSurvey;

/// The inputs of an index.
#[derive(Clone, Copy)]
pub struct IndexSources<'a> {
    /// The repository.
    pub survey: &'a dyn FolderSurvey,
    /// The records of earlier runs.
    pub cache: &'a dyn BlobCache,
    /// Facts of files that other machines parsed; `None` without a store.
    pub shared: Option<SharedFacts<'a>>,
    /// The clock, which also reports interruption.
    pub clock: &'a dyn Clock,
    /// The receiver of progress events.
    pub events: &'a dyn EventSink,
    /// Files with more bytes are indexed by path only.
    pub max_file_bytes: u64,
    /// The parser of files whose facts are needed later; `None` to parse every file at once.
    pub later: Option<&'a Arc<FactsParser>>,
}
