//! Free changes that helped without being enough: the ground of the next change, and what they saved.

use crate::domain::outcome::FreeRecord;
use crate::patch::render;
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

    /// Keeps a change, which includes all earlier ones.
    pub(super) fn set_kept(&mut self, change: VettedChange) {
        self.kept = Some(change);
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
    pub(super) fn end_round(&mut self, mended: Option<usize>) {
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
