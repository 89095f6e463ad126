//! Keeps findings for a day, so that many runs with the same failure search once.

use std::io::Read as _;
use std::path::PathBuf;

use super::config::{ResearchConfig, SearchEngine};
use super::findings::ResearchFindings;
use super::query::SafeQuery;
use papayu_base::domain::Sha256;
use papayu_system::System;

/// Maximum size of a cached file.
const MAX_BYTES: u64 = 1024 * 1024;

/// The place of the findings of one query in the cache.
pub(super) struct ResultCache<'a> {
    system: System<'a>,
    folder: PathBuf,
    /// The folder of the day (UTC): findings of another day are not used, and are deleted.
    day: String,
    name: String,
}

impl<'a> ResultCache<'a> {
    /// Returns the place of a query's findings; `None` if nothing is cached.
    pub(super) fn open(
        config: &ResearchConfig,
        query: &SafeQuery,
        system: System<'a>,
    ) -> Option<Self> {
        let folder = config.cache_folder.clone()?;
        let engine = match &config.engine {
            Some(SearchEngine::Tavily { url, .. } | SearchEngine::SearXng { url }) => url,
            None => "",
        };
        let key = format!("{engine}\n{query:?}\n{:?}\n{:?}", config.limits, config.domains);
        let name = format!("{}.json", Sha256::of(key.as_bytes()));
        let day = system.clock.timestamp().get(..10)?.to_owned();
        Some(Self { system, folder, day, name })
    }

    /// Returns the findings of an earlier research on the same day. `None` if there is none, or it cannot be
    /// read.
    pub(super) fn load(&self) -> Option<ResearchFindings> {
        let path = self.folder.join(&self.day).join(&self.name);
        let mut bytes = Vec::new();
        self.system.disk.open(&path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Saves findings, and deletes those of other days. A cache that cannot be written is no fault of the research.
    pub(super) fn save(&self, findings: &ResearchFindings) {
        let days = self.system.disk.list(&self.folder).unwrap_or_default();
        for day in days.iter().filter(|path| !path.ends_with(&self.day)) {
            let _ = self.system.disk.delete_folder(day);
        }
        let Ok(bytes) = serde_json::to_vec(findings) else { return };
        let path = self.folder.join(&self.day).join(&self.name);
        let _ = self.system.disk.write(&path, &bytes);
    }
}
