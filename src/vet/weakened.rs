//! Refuses a change that makes the check pass by weakening tests or linters.

use super::Policy;
use crate::domain::{ErrorCode, RepoPath};
use crate::lang::PathClass;
use crate::patch::preview::{Change, Preview};
use crate::protocol::Refusal;
use crate::text::encoding;
use crate::weakening::{self, FileChange};

/// Most weakenings that a refusal lists.
const MAX_LISTED: usize = 5;

/// Refuses weakened tests, linters and their settings, unless the run allows test edits. The texts
/// before and after the whole change are compared, so moved code is not counted as removed.
pub(super) fn check(preview: &Preview, policy: &Policy) -> Result<(), Refusal> {
    if policy.allow_test_edits {
        return Ok(());
    }
    // Decoded first, because the files to compare borrow their texts.
    let texts: Vec<_> = preview
        .changes()
        .iter()
        .filter_map(file_sides)
        .map(|(path, before, after)| (path, encoding::shown(before), encoding::shown(after)))
        .collect();
    let files: Vec<_> = texts
        .iter()
        .map(|(path, before, after)| FileChange { path: path.as_str(), before, after })
        .filter(|file| is_judged(file.path))
        .collect();
    let found = weakening::judge(&files);
    let Some(first) = found.first() else { return Ok(()) };
    let mut lines = Vec::new();
    for it in found.iter().take(MAX_LISTED) {
        // A removed test is shown by its old line.
        let side = if it.is_before { "old line" } else { "line" };
        lines.push(format!("{} {side} {} {}", it.path, it.line, it.rule));
    }
    let reason = format!(
        "may not be changed so: {}; fix the code instead, and leave tests and checks as strict as they were",
        lines.join("; ")
    );
    let path = Some(first.path.clone());
    Err(Refusal { path, ..Refusal::of_reply(ErrorCode::TestEditNotAllowed, reason) })
}

/// Returns `true` if a file is checked line by line; settings are compared key by key in
/// `proof_basis`.
pub(super) fn is_judged(path: &str) -> bool {
    use PathClass::{Build, Configuration, Manifest};
    !matches!(PathClass::of_path(path), Configuration | Build | Manifest)
}

/// Returns a file's path and its bytes on both sides, empty where there is no file.
fn file_sides(change: &Change) -> Option<(&RepoPath, &[u8], &[u8])> {
    match change {
        Change::CreateFile { path, after } => Some((path, &[], after)),
        Change::WriteFile { path, before, after } => Some((path, before, after)),
        Change::RemoveFile { path, before } => Some((path, before, &[])),
        Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
    }
}
