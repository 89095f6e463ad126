//! Finds out whether the last tests of a log passed: the errors that they printed before are output of their own.

use super::structure::{KeptLines, RunVerdict, read_verdict};

/// What is known of the runs of a log so far.
#[derive(Debug, Default)]
pub(super) struct PassedRun {
    /// The failures that were found until the last run passed; `None` if none passed.
    found_before: Option<usize>,
    /// A run failed, or something failed after the last run.
    has_failed: bool,
    /// The lines after the last run that passed.
    after: KeptLines,
}

impl PassedRun {
    /// Reads the next line; `is_cued` is `true` if it may be about a failure. Returns `true` if it is the total of a run that
    /// passed.
    pub(super) fn read_line(&mut self, line: &str, is_cued: bool) -> bool {
        match read_verdict(line, is_cued) {
            Some(RunVerdict::Passed) => {
                self.after = KeptLines::default();
                return true;
            }
            Some(RunVerdict::Failed) => self.has_failed = true,
            Some(RunVerdict::Ended) => self.has_failed |= self.found_before.is_some(),
            None => {}
        }
        if self.found_before.is_some() {
            self.after.push_line(line, is_cued);
        }
        false
    }

    /// Notes the number of failures at the total of a run that passed.
    pub(super) fn note_found(&mut self, found: usize) {
        self.found_before = Some(found);
    }

    /// Returns the lines after the last run if all runs passed and no failure was found since.
    pub(super) fn lines_after(&self, found: usize) -> Option<&KeptLines> {
        (!self.has_failed && self.found_before == Some(found)).then_some(&self.after)
    }
}
