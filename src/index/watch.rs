//! Keeps an index fresh while files change: soon after the last change of several, and never late.

use std::io;
use std::time::Duration;

use super::refresh::{Keeper, Sources, Summary};
use crate::system::survey::{News, Watcher};

/// A refresh waits until nothing has changed for this long …
const QUIET: Duration = Duration::from_millis(500);

/// … but not for longer than this since the first change.
const PATIENCE: Duration = Duration::from_millis(800);

/// How often the wish to stop is looked at.
const NAP: Duration = Duration::from_millis(100);

/// How often a watcher that sees only part of the repository is asked.
const LOOK: Duration = Duration::from_secs(1);

/// Refreshes the index whenever files change, and shows it each time it says something new, the first
/// time at once. Every refresh looks at all files, so that no news that was lost, no folder that moved
/// and no `.gitignore` that changed is overlooked. Ends well when the run is interrupted or `show`
/// says no; fails when the root is gone.
pub fn watch(
    keeper: &mut Keeper,
    sources: &Sources<'_>,
    watcher: &mut dyn Watcher,
    show: &mut dyn FnMut(&Keeper, &Summary) -> bool,
) -> io::Result<()> {
    let mut is_first = true;
    loop {
        let summary = match settle(keeper, sources, watcher) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            summary => summary?,
        };
        if (is_first || summary.is_news()) && !show(keeper, &summary) {
            return Ok(());
        }
        is_first = false;
        if !changed(sources, watcher)? {
            return Ok(());
        }
    }
}

/// Refreshes until every folder was watched before it was looked into.
fn settle(
    keeper: &mut Keeper,
    sources: &Sources<'_>,
    watcher: &mut dyn Watcher,
) -> io::Result<Summary> {
    let mut summary = keeper.refresh(sources)?;
    while watcher.follow(keeper.folders())? {
        let next = keeper.refresh(sources)?;
        summary = Summary {
            parsed: summary.parsed + next.parsed,
            removed: summary.removed + next.removed,
            bytes: summary.bytes + next.bytes,
            ..next
        };
    }
    Ok(summary)
}

/// Waits for a change and for the end of those that come with it; `false` when the run is to stop.
fn changed(sources: &Sources<'_>, watcher: &mut dyn Watcher) -> io::Result<bool> {
    let clock = sources.clock;
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
        let wait = (QUIET.saturating_sub(still)).min(PATIENCE.saturating_sub(all)).min(NAP);
        if watcher.news(wait)? == News::Changed {
            last = clock.elapsed();
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
