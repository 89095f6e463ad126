//! Remembers answered requests, so that each is answered once in a run.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use papayu_base::domain::{ContextRequest, Event, EventName, EventSink};

/// Hits and misses by type of request, for the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[expect(missing_docs, reason = "the fields are the contract's own names")]
pub struct CacheStats {
    pub env_hits: u32,
    pub env_misses: u32,
    pub logs_hits: u32,
    pub logs_misses: u32,
    pub read_hits: u32,
    pub read_misses: u32,
    pub search_hits: u32,
    pub search_misses: u32,
    /// Hits among all requests, 0 to 1.
    pub hit_rate: f64,
}

/// Returns the JSON of a request, which names it in events and messages.
pub fn request_key(request: &ContextRequest) -> String {
    serde_json::to_string(request).unwrap_or_default()
}

/// The requests answered so far. The answers are part of the context.
#[derive(Debug, Default)]
pub struct AnswerCache {
    answered: HashSet<ContextRequest>,
    stats: CacheStats,
}

impl AnswerCache {
    /// Returns `true` if the request is new. Counts it and emits `CONTEXT_CACHE_MISS` or
    /// `CONTEXT_CACHE_HIT`.
    pub fn is_new(&mut self, request: &ContextRequest, events: &dyn EventSink) -> bool {
        let new = self.answered.insert(request.clone());
        let (hits, misses) = match request {
            ContextRequest::Env {} => (&mut self.stats.env_hits, &mut self.stats.env_misses),
            ContextRequest::Logs { .. } => (&mut self.stats.logs_hits, &mut self.stats.logs_misses),
            ContextRequest::ReadFile { .. }
            | ContextRequest::GetFunction { .. }
            | ContextRequest::GetClass { .. } => {
                (&mut self.stats.read_hits, &mut self.stats.read_misses)
            }
            // The trace contract counts requests to the index and to git as searches.
            _ => (&mut self.stats.search_hits, &mut self.stats.search_misses),
        };
        let name = if new { EventName::ContextCacheMiss } else { EventName::ContextCacheHit };
        *(if new { misses } else { hits }) += 1;
        events.emit(Event::new(name).with("key", request_key(request)));
        new
    }

    /// Forgets the answered requests, because the tree has changed. The counts remain.
    pub fn forget(&mut self) {
        self.answered.clear();
    }

    /// Returns the counts so far.
    pub fn stats(&self) -> CacheStats {
        let s = self.stats;
        let hits = s.env_hits + s.logs_hits + s.read_hits + s.search_hits;
        let all = hits + s.env_misses + s.logs_misses + s.read_misses + s.search_misses;
        let hit_rate = if all == 0 { 0.0 } else { f64::from(hits) / f64::from(all) };
        CacheStats { hit_rate, ..s }
    }
}
