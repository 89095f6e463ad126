//! Refuses a change of the tests that are to prove it, of what they read and of the settings they run with.

use super::Policy;
use crate::domain::{ErrorCode, RepoPath};
use crate::patch::preview::{Change, Preview};
use crate::proof_basis::{BasisChange, FileSides, find_basis_changes};
use crate::protocol::Refusal;
use crate::text::encoding;

/// Most parts of a change that a refusal lists.
const MAX_LISTED: usize = 5;

/// Refuses a change of the files that the proof depends on, unless the run allows test edits.
/// Whole files are compared before and after, so a test that moves with its module counts as
/// kept.
///
/// # Errors
///
/// Returns [`ErrorCode::TestEditNotAllowed`] with the first such file and up to five others.
pub(super) fn check(preview: &Preview, policy: &Policy) -> Result<(), Refusal> {
    if policy.allow_test_edits {
        return Ok(());
    }
    let found = find_touched(preview);
    // The refusal names the first file; the others are only listed, to keep the message short.
    let Some(first) = found.first() else { return Ok(()) };
    let others: Vec<String> = found
        .iter()
        .skip(1)
        .take(MAX_LISTED)
        .map(|it| format!("; `{}` {}", it.path, it.said))
        .collect();
    let reason = format!(
        "{}{}; fix the source instead: the proof runs with tests and settings as they were, and only \
         `--allow-test-edits` allows such a change, also where the goal asks for it",
        first.said,
        others.concat()
    );
    let path = Some(first.path.clone());
    Err(Refusal { path, ..Refusal::of_reply(ErrorCode::TestEditNotAllowed, reason) })
}

/// Returns the parts of a change that touch the tests, their data or their settings.
pub(super) fn find_touched(preview: &Preview) -> Vec<BasisChange> {
    // Decoded first, because the files to compare borrow their texts.
    let shown = |bytes: &[u8]| encoding::shown(bytes).into_owned();
    let texts: Vec<(&RepoPath, Option<String>, Option<String>)> = preview
        .changes()
        .iter()
        .filter_map(file_sides)
        .map(|(path, before, after)| (path, before.map(shown), after.map(shown)))
        .collect();
    let files: Vec<FileSides<'_>> = texts
        .iter()
        .map(|(path, before, after)| FileSides {
            path: path.as_str(),
            before: before.as_deref(),
            after: after.as_deref(),
        })
        .collect();
    find_basis_changes(&files)
}

/// A file's path and its bytes on both sides.
type Sides<'a> = (&'a RepoPath, Option<&'a [u8]>, Option<&'a [u8]>);

/// Returns the two sides of a changed file; `None` for a folder.
fn file_sides(change: &Change) -> Option<Sides<'_>> {
    match change {
        Change::CreateFile { path, after } => Some((path, None, Some(after))),
        Change::WriteFile { path, before, after } => Some((path, Some(before), Some(after))),
        Change::RemoveFile { path, before } => Some((path, Some(before), None)),
        Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
    }
}
