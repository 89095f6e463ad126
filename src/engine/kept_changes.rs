//! Free changes that helped without being enough: the ground of the next change, and what they saved.

use papayu_base::domain::outcome::FreeRecord;
use papayu_patch::render;
use papayu_vet::VettedChange;

/// Average characters of a token in English and code, as vendors of models document it.
const CHARS_PER_TOKEN: u64 = 4;

/// The changes kept so far.
#[derive(Default)]
pub(super) struct KeptChanges {
    /// All helpful changes, as one change of the original tree.
    kept: Option<VettedChange>,
    /// Number of failures that they fixed.
    mended: usize,
    /// Characters that a model would have read and written for them.
    chars: u64,
    /// The same for the round that is not finished.
    pending: u64,
}

impl KeptChanges {
    /// Returns the kept changes, which are on disk; `None` if there are none.
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

    /// Returns the kept changes as a diff for the next request; `None` if there are none.
    pub(super) fn diff(&self) -> Option<String> {
        self.kept.as_ref().map(|kept| render::render_shown(kept.whole()))
    }

    /// Adds the characters that a model would have read and written in the round under way.
    pub(super) fn count_free(&mut self, chars: usize) {
        self.pending += u64::try_from(chars).unwrap_or(u64::MAX);
    }

    /// Ends a round. Its characters count as saved only if it helped; `mended` is the number of
    /// fixed failures, `None` for a reverted change.
    pub(super) fn end_round(&mut self, mended: Option<usize>) {
        let chars = std::mem::take(&mut self.pending);
        if let Some(mended) = mended {
            self.mended += mended;
            self.chars += chars;
        }
    }

    /// Returns the fixes made without a model and the tokens that they saved; zeros if the run
    /// did not succeed, because its changes were reverted then.
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
