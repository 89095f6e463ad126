//! The places of a vetted change that a person should read before the fix counts.

use super::weakened::is_judged;
use super::{Stop, VettedChange};
use crate::domain::outcome::ReviewFlag;
use crate::patch::preview::Change;
use crate::suspicion::{Evidence, SourceChange, find_flags};
use crate::text::encoding;
use crate::weakening::{self, FileChange};

/// Returns the places of a change that a person should read: code that may have been written to satisfy the
/// check, and weakened tests where the run allowed to edit them. `None` if `stop` asked to end before all were found.
pub fn find_review_flags(
    change: &VettedChange,
    evidence: &Evidence,
    stop: Stop<'_>,
) -> Option<Vec<ReviewFlag>> {
    // The whole change, not the last step: an earlier step may have prepared a special case.
    let texts: Vec<_> = change
        .whole()
        .changes()
        .iter()
        .filter_map(|change| match change {
            Change::CreateFile { path, after } => Some((path, &[][..], after.as_slice())),
            Change::WriteFile { path, before, after } => {
                Some((path, before.as_slice(), after.as_slice()))
            }
            Change::RemoveFile { path, before } => Some((path, before.as_slice(), &[][..])),
            Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
        })
        .map(|(path, before, after)| (path, encoding::shown(before), encoding::shown(after)))
        .collect();
    let sources: Vec<_> = texts
        .iter()
        .map(|(path, before, after)| SourceChange { path: path.as_str(), before, after })
        .collect();
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
        .map(|it| flag(it.path, it.line, it.said))
        .collect();
    if stop() {
        return None;
    }
    let files: Vec<_> = texts
        .iter()
        .map(|(path, before, after)| FileChange { path: path.as_str(), before, after })
        .filter(|file| is_judged(file.path))
        .collect();
    let weakened = weakening::judge(&files).into_iter();
    found.extend(weakened.map(|it| flag(it.path, it.line, it.rule)));
    Some(found)
}
