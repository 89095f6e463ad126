//! Free changes that helped without being enough: the ground of the next change, and what they saved.

use super::run::{Fatal, Run};
use super::state::{Event, Seat};
use crate::apply;
use crate::context::Context;
use crate::domain::event::{Event as RunEvent, EventName};
use crate::domain::outcome::FreeRecord;
use crate::domain::{FailureReport, RepoPath};
use crate::patch::render;
use crate::system::End;
use crate::verify::{self, Ran};
use crate::vet::VettedChange;

/// Characters of a token, about: what the vendors' own pages name for English and code.
const CHARS_PER_TOKEN: u64 = 4;

/// The changes kept so far.
#[derive(Default)]
pub(super) struct KeptChanges {
    /// Everything that helped, as one change of the tree as it was.
    kept: Option<VettedChange>,
    /// Number of failures fixed by them.
    mended: usize,
    /// Characters that a model would have read and written for it.
    chars: u64,
    /// The same of the round under way.
    pending: u64,
}

impl KeptChanges {
    /// Returns everything that helped, which is on disk.
    pub(super) fn kept(&self) -> Option<&VettedChange> {
        self.kept.as_ref()
    }

    /// Returns `true` if no change helped so far: the files are unchanged.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_none()
    }

    /// Returns what helped as a diff, for the next request.
    pub(super) fn diff(&self) -> Option<String> {
        self.kept.as_ref().map(|kept| render::render_shown(kept.whole()))
    }

    /// Adds the characters that a model would have read and written in the round under way.
    pub(super) fn count_free(&mut self, chars: usize) {
        self.pending += u64::try_from(chars).unwrap_or(u64::MAX);
    }

    /// Ends the round: what it took counts only when it helped.
    fn end_round(&mut self, mended: Option<usize>) {
        let chars = std::mem::take(&mut self.pending);
        if let Some(mended) = mended {
            self.mended += mended;
            self.chars += chars;
        }
    }

    /// Returns the fixes made at no cost; none if the run reverted them.
    pub(super) fn record(&self, stands: bool) -> FreeRecord {
        if stands {
            FreeRecord {
                failures_fixed: u32::try_from(self.mended).unwrap_or(u32::MAX),
                tokens_saved: self.chars / CHARS_PER_TOKEN,
            }
        } else {
            FreeRecord::default()
        }
    }
}

/// Returns `true` if a free change after which the command still fails has helped. A paid change that does not
/// fix everything is reverted, because the next attempt must not build on a guess.
pub(super) fn helps(run: &Run<'_>, after: &FailureReport, ran: Ran) -> Result<bool, Fatal> {
    let exits = matches!(ran.end, End::Code(code) if code != 0);
    if !is_free(run) || !exits || !verify::is_progress(&run.report, after) {
        return Ok(false);
    }
    let Some(applied) = &run.applied else { return Ok(false) };
    Ok(applied.detect_drift().map_err(Fatal::apply)?.gone.is_empty())
}

/// Makes the change on disk the base of the next one, and the remaining failures the ones to fix.
pub(super) fn keep(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let (Some(change), Some(report)) = (run.change.clone(), run.report_after.take()) else {
        return Err(Fatal::bug("nothing was checked that could be kept"));
    };
    let mended = verify::count_fixed(&run.report, &report);
    run.emit_event(RunEvent::new(EventName::LayerKept).with("mended", mended));
    run.kept.end_round(Some(mended));
    run.kept.kept = Some(change);
    run.report = report;
    // The files read before have changed, and another failure names other files.
    run.context = Context::default();
    run.gathered = false;
    run.cache.forget();
    Ok(Event::LayerKept)
}

/// Takes the change on disk back, down to what helped before it, and returns the copies kept of
/// files that the command changed.
pub(super) fn take_off(run: &mut Run<'_>) -> Result<Vec<RepoPath>, Fatal> {
    run.kept.end_round(None);
    let Some(applied) = run.applied.take() else { return Ok(Vec::new()) };
    let copies = applied.roll_back().map_err(Fatal::apply)?;
    ground(run)?;
    Ok(copies)
}

/// Brings what helped back on the disk, where the tree is as it was.
pub(super) fn ground(run: &mut Run<'_>) -> Result<(), Fatal> {
    if let Some(kept) = &run.kept.kept {
        let (tree, clock) = (run.world.tree, run.world.system.clock);
        let applied = apply::commit(tree, clock, kept, &run.id).map_err(Fatal::apply)?;
        run.applied = Some(applied);
    }
    Ok(())
}

/// Counts the last free change of a fixed run: all remaining failures were fixed at no cost.
pub(super) fn settled(run: &mut Run<'_>) {
    let last = is_free(run).then(|| verify::failures_line_list(&run.report).len().max(1));
    run.kept.end_round(last);
}

pub(super) fn is_free(run: &Run<'_>) -> bool {
    run.rules.attempts.get(run.attempt_index) == Some(&Seat::Quickfix)
}
