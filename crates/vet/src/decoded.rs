//! The files of a change as text, for the checks of the result.

use std::borrow::Cow;

use papayu_base::domain::{ErrorCode, RepoPath};
use papayu_base::text::encoding;
use papayu_lang::ChangedText;
use papayu_patch::preview::{Change, Preview};
use papayu_patch::protocol::Refusal;

/// Most places of a change that a refusal lists.
pub(super) const MAX_LISTED: usize = 5;

/// A changed file with its texts.
pub(super) struct DecodedFile<'a> {
    /// The file.
    pub(super) path: &'a RepoPath,
    /// `None` for a new file.
    pub(super) before: Option<Cow<'a, str>>,
    /// `None` for a removed file.
    pub(super) after: Option<Cow<'a, str>>,
}

impl DecodedFile<'_> {
    /// Returns the texts, empty where there is no file.
    pub(super) fn as_changed_text(&self) -> ChangedText<'_> {
        ChangedText {
            path: self.path.as_str(),
            before: self.before.as_deref().unwrap_or_default(),
            after: self.after.as_deref().unwrap_or_default(),
        }
    }
}

/// Returns the files of a change in their order; folders are left out.
pub(super) fn decode_files(preview: &Preview) -> Vec<DecodedFile<'_>> {
    let files = preview.changes().iter().filter_map(|change| match change {
        Change::CreateFile { path, after } => Some((path, None, Some(after))),
        Change::WriteFile { path, before, after } => Some((path, Some(before), Some(after))),
        Change::RemoveFile { path, before } => Some((path, Some(before), None)),
        Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
    });
    let decoded = files.map(|(path, before, after)| DecodedFile {
        path,
        before: before.map(|bytes| encoding::shown(bytes)),
        after: after.map(|bytes| encoding::shown(bytes)),
    });
    decoded.collect()
}

/// Returns the refusal of a change that touches what is to prove it, at the first such file.
pub(super) fn refuse_test_edit(path: &str, reason: String) -> Refusal {
    let path = Some(path.to_owned());
    Refusal { path, ..Refusal::of_reply(ErrorCode::TestEditNotAllowed, reason) }
}
