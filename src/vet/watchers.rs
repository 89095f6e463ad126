//! Refuses code that asks who runs it, whatever the run allows.

use crate::domain::ErrorCode;
use crate::patch::preview::{Change, Preview};
use crate::protocol::Refusal;
use crate::suspicion::{SourceChange, find_watchers};
use crate::text::encoding;

/// Most places that a refusal lists.
const MAX_LISTED: usize = 5;

/// Refuses a change after which the product's code asks for a test runner, a CI service or a debug build.
pub(super) fn check(preview: &Preview) -> Result<(), Refusal> {
    let texts: Vec<_> = preview
        .changes()
        .iter()
        .filter_map(|change| match change {
            Change::CreateFile { path, after } => Some((path, &[][..], after)),
            // Only what is added counts, so a removed file is not searched.
            Change::WriteFile { path, before, after } => Some((path, before.as_slice(), after)),
            _ => None,
        })
        .map(|(path, before, after)| (path, encoding::shown(before), encoding::shown(after)))
        .collect();
    let changes: Vec<_> = texts
        .iter()
        .map(|(path, before, after)| SourceChange { path: path.as_str(), before, after })
        .collect();
    let found = find_watchers(&changes);
    let Some(first) = found.first() else { return Ok(()) };
    let lines: Vec<String> = found
        .iter()
        .take(MAX_LISTED)
        .map(|it| format!("{} line {} {}", it.path, it.line, it.rule))
        .collect();
    let reason = format!(
        "may not be changed so: {}; the code must do the same for every caller",
        lines.join("; ")
    );
    let path = Some(first.path.clone());
    Err(Refusal { path, ..Refusal::of_reply(ErrorCode::TestEditNotAllowed, reason) })
}
