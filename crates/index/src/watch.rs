//! Refreshes an index while files change.

use std::io;
use std::time::Duration;

use super::refresh::{IncrementalIndex, RefreshSummary};
use super::sources::IndexSources;

/// Pause between two refreshes; it is longer where a refresh takes long. A series of changes within it is one update, and
/// a change is in the index within a second.
const PAUSE: Duration = Duration::from_millis(600);

/// The pause is so many times as long as the refresh before it, which bounds the use of the processor.
const REST: u32 = 4;

/// Refreshes the index again and again, and calls `show` after the first refresh and after each that changed
/// the index.
///
/// Returns when the run is interrupted or `show` returns false.
///
/// # Errors
///
/// The error of the disk if the root no longer exists. An interruption is no error.
pub fn watch_files(
    indexer: &mut IncrementalIndex,
    sources: &IndexSources<'_>,
    show: &mut dyn FnMut(&IncrementalIndex, &RefreshSummary) -> bool,
) -> io::Result<()> {
    let mut is_first = true;
    loop {
        let begun = sources.clock.elapsed();
        let summary = match indexer.refresh(sources) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            summary => summary?,
        };
        if (is_first || summary.is_news()) && !show(indexer, &summary) {
            return Ok(());
        }
        is_first = false;
        let took = sources.clock.elapsed().saturating_sub(begun);
        if !sources.clock.sleep(PAUSE.max(took * REST)) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
