//! The places of a vetted change that a person should read before the fix counts.

use super::decoded::decode_files;
use super::weakened::judged_texts;
use super::{StopCheck, VettedChange};
use crate::suspicion::{FailureEvidence, find_flags};
use crate::weakening;
use papayu_base::domain::outcome::ReviewFlag;

/// Returns the places of a change that a person should read: code that may have been written to satisfy the
/// check, and weakened tests where the run allowed to edit them. `None` if `stop` asked to end before all were found.
pub fn find_review_flags(
    change: &VettedChange,
    evidence: &FailureEvidence,
    stop: StopCheck<'_>,
) -> Option<Vec<ReviewFlag>> {
    // The whole change, not the last step: an earlier step may have prepared a special case.
    let files = decode_files(change.whole());
    let sources: Vec<_> = files.iter().map(|file| file.as_changed_text()).collect();
    let flag = |path: String, line: usize, reason: String| ReviewFlag {
        path,
        line: u64::try_from(line).unwrap_or(u64::MAX),
        reason,
    };
    // Comparing large files takes long enough for a signal to arrive.
    if stop() {
        return None;
    }
    let mut found: Vec<ReviewFlag> = find_flags(&sources, evidence)
        .into_iter()
        .map(|it| flag(it.path, it.line, it.message))
        .collect();
    if stop() {
        return None;
    }
    let weakened = weakening::judge(&judged_texts(&files)).into_iter();
    found.extend(weakened.map(|it| flag(it.path, it.line, it.rule)));
    Some(found)
}
