//! Keeps a free change that helped without being enough, and reverts one that did not.

use super::run::{Fatal, Run};
use super::state::Event;
use crate::apply;
use crate::context::Context;
use crate::domain::event::{Event as RunEvent, EventName};
use crate::domain::{FailureReport, RepoPath};
use crate::system::End;
use crate::verify::{self, Ran};

/// Returns `true` if a change of the quickfix stage fixed a part of the failures and caused no
/// new one.
///
/// A change of a model that does not fix everything is reverted, because the next attempt must
/// not build on a guess.
pub(super) fn helps(run: &Run<'_>, after: &FailureReport, ran: Ran) -> bool {
    // After a signal or a time limit the output is incomplete, and missing failures are no
    // progress.
    let exits = matches!(ran.end, End::Code(code) if code != 0);
    // All of this is needed: a change of the tools, an ordinary failure, and fewer failures
    // than before.
    if !run.is_free() || !exits || !verify::is_progress(&run.report, after) {
        return false;
    }
    run.applied.is_some() && run.vanished.is_empty()
}

/// Keeps the change on disk as the base of the next one, and takes the remaining failures as
/// those to fix.
///
/// # Errors
///
/// Returns [`Fatal::bug`] if there is no checked change.
pub(super) fn keep(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let (Some(change), Some(report)) = (run.change.clone(), run.report_after.take()) else {
        return Err(Fatal::bug("nothing was checked that could be kept"));
    };
    let mended = verify::count_fixed(&run.report, &report);
    run.emit_event(RunEvent::new(EventName::LayerKept).with("mended", mended));
    run.kept.end_round(Some(mended));
    run.kept.set_kept(change);
    run.report = report;
    // The files read before have changed, and another failure names other files.
    // Cached answers contain text of files that have changed.
    run.context = Context::default();
    run.gathered = false;
    run.cache.forget();
    Ok(Event::LayerKept)
}

/// Reverts the change on disk down to the changes kept before it.
///
/// Returns the paths of copies of files that the command changed meanwhile.
pub(super) fn revert_change(run: &mut Run<'_>) -> Result<Vec<RepoPath>, Fatal> {
    run.kept.end_round(None);
    let Some(applied) = run.applied.take() else { return Ok(Vec::new()) };
    // A change is vetted as a whole with the kept ones, so all are reverted and the kept ones
    // written again.
    let copies = applied.roll_back().map_err(Fatal::apply)?;
    restore_kept(run)?;
    Ok(copies)
}

/// Writes the kept changes to disk again. The tree must be as it was before the run.
pub(super) fn restore_kept(run: &mut Run<'_>) -> Result<(), Fatal> {
    if let Some(kept) = run.kept.kept() {
        let (tree, clock) = (run.world.tree, run.world.system.clock);
        let applied = apply::commit(tree, clock, kept, &run.id).map_err(Fatal::apply)?;
        run.tracked.add_own(applied.paths());
        run.applied = Some(applied);
    }
    Ok(())
}

/// Counts the last quickfix change of a fixed run: it fixed all failures that remained, at
/// least one.
pub(super) fn count_last_round(run: &mut Run<'_>) {
    let last = run.is_free().then(|| verify::failures_line_list(&run.report).len().max(1));
    run.kept.end_round(last);
}
