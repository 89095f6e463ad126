//! Refreshes an index while files change.

use std::io;
use std::time::Duration;

use super::refresh::{IncrementalIndex, Summary};
use super::sources::Sources;
use crate::system::survey::{News, Watcher};

/// A refresh starts when nothing has changed for this long …
const QUIET: Duration = Duration::from_millis(500);

/// … or this long after the first change.
const PATIENCE: Duration = Duration::from_millis(800);

/// Interval at which interruption is checked.
const NAP: Duration = Duration::from_millis(100);

/// Interval of refreshes if some folders cannot be watched.
const LOOK: Duration = Duration::from_secs(1);

/// Refreshes the index whenever files change, and calls `show` after the first refresh and after
/// each that changed the index.
///
/// Every refresh lists all files, so lost events, moved folders and changed `.gitignore` files are
/// not missed. Returns when the run is interrupted or `show` returns false.
///
/// # Errors
///
/// Fails if the root no longer exists.
pub fn watch_files(
    indexer: &mut IncrementalIndex,
    sources: &Sources<'_>,
    watcher: &mut dyn Watcher,
    show: &mut dyn FnMut(&IncrementalIndex, &Summary) -> bool,
) -> io::Result<()> {
    let mut is_first = true;
    loop {
        let summary = match refresh_watched(indexer, sources, watcher) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            summary => summary?,
        };
        if (is_first || summary.is_news()) && !show(indexer, &summary) {
            return Ok(());
        }
        is_first = false;
        if !wait_for_change(sources, watcher)? {
            return Ok(());
        }
    }
}

/// Refreshes until every folder was watched before it was listed.
pub fn refresh_watched(
    indexer: &mut IncrementalIndex,
    sources: &Sources<'_>,
    watcher: &mut dyn Watcher,
) -> io::Result<Summary> {
    let mut summary = indexer.refresh(sources)?;
    // A file created in a folder before its watch started causes no event.
    while watcher.follow(indexer.folders())? {
        let next = indexer.refresh(sources)?;
        summary = Summary {
            parsed: summary.parsed + next.parsed,
            removed: summary.removed + next.removed,
            bytes: summary.bytes + next.bytes,
            ..next
        };
    }
    Ok(summary)
}

/// Waits for a change and until further changes stop. Returns false if the run is interrupted.
fn wait_for_change(sources: &Sources<'_>, watcher: &mut dyn Watcher) -> io::Result<bool> {
    let clock = sources.clock;
    // A watch that lost folders cannot report all changes, so the time of the last look counts.
    let looked = clock.elapsed();
    while watcher.news(NAP)? == News::Quiet {
        if clock.interrupted() {
            return Ok(false);
        }
        if watcher.is_blind() && clock.elapsed().saturating_sub(looked) >= LOOK {
            return Ok(true);
        }
    }
    let first = clock.elapsed();
    let mut last = first;
    while !clock.interrupted() {
        let now = clock.elapsed();
        let (still, all) = (now.saturating_sub(last), now.saturating_sub(first));
        if still >= QUIET || all >= PATIENCE {
            return Ok(true);
        }
        // Short waits, so that an interruption is noticed in time.
        let wait = (QUIET.saturating_sub(still)).min(PATIENCE.saturating_sub(all)).min(NAP);
        if watcher.news(wait)? == News::Changed {
            last = clock.elapsed();
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
