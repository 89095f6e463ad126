//! Preview of a whole change in memory: every file as it will be, before anything is written.

mod stack;

use std::collections::{BTreeMap, BTreeSet};

use super::edit::{self, EditFault, EditStrategy};
use super::parse::is_same_file;
use super::{PatchFault, TreeAction, TreeOp, apply, range};
use papayu_base::domain::hunk::HunkFault;
use papayu_base::domain::{Edit, ErrorCode, RepoPath};
use papayu_base::text::encoding::{self, Decoded, Encoding, MARK};
use papayu_base::text::line_diff;
use papayu_base::text::lines::{LineEndings, normalize_to_lf};

/// One step on disk. Steps are listed in the order in which they are applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Creates a folder; its parent exists by then.
    CreateDir {
        /// The folder.
        path: RepoPath,
    },
    /// Creates a file.
    CreateFile {
        /// The file; its folder exists by then.
        path: RepoPath,
        /// Its content.
        after: Vec<u8>,
    },
    /// Replaces the content of a file. The mode stays.
    WriteFile {
        /// The file, with symbolic links resolved.
        path: RepoPath,
        /// The content when the file was read; compared again before writing.
        before: Vec<u8>,
        /// The new content.
        after: Vec<u8>,
    },
    /// Removes a file.
    RemoveFile {
        /// The file.
        path: RepoPath,
        /// Its content.
        before: Vec<u8>,
    },
    /// Removes a folder; it is empty by then.
    RemoveDir {
        /// The folder.
        path: RepoPath,
    },
}

impl Change {
    /// Returns the path that the step changes.
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::CreateDir { path }
            | Self::CreateFile { path, .. }
            | Self::WriteFile { path, .. }
            | Self::RemoveFile { path, .. }
            | Self::RemoveDir { path } => path,
        }
    }

    /// Returns the bytes of the file that the step writes; `None` for a step that writes none.
    pub fn after(&self) -> Option<&[u8]> {
        match self {
            Self::CreateFile { after, .. } | Self::WriteFile { after, .. } => Some(after),
            _ => None,
        }
    }
}

/// A change in memory: every file before and after it. Only a `VettedChange` made from one is
/// written to disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    changes: Vec<Change>,
}

impl Preview {
    /// Returns the preview of changes that are in order of application.
    pub fn new(changes: Vec<Change>) -> Self {
        Self { changes }
    }

    /// Returns the changes in order of application.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
}

/// A preview, and the strategies that placed its hunks and edits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreviewOutcome {
    /// The change; empty if the actions change nothing.
    pub preview: Preview,
    /// The strategy of each hunk or edit, by file.
    pub strategies: BTreeMap<String, Vec<String>>,
}

/// An action that cannot be applied. No other action is applied either.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {reason}")]
pub struct PreviewFault {
    /// `ERR_PATCH_APPLY_FAILED`, `ERR_PATCH_NOT_UNIFIED`, `ERR_NON_UTF8_FILE` or one of `ERR_EDIT_*`.
    pub code: ErrorCode,
    /// The file.
    pub path: RepoPath,
    /// The reason.
    pub reason: String,
    /// The hunk or edit without a place, if that is the reason.
    pub hunk: Option<Box<HunkFault>>,
    /// The other hunks or edits of the same file without a place.
    pub others: Vec<HunkFault>,
}

impl From<PreviewFault> for crate::protocol::Refusal {
    fn from(fault: PreviewFault) -> Self {
        let path = Some(fault.path.to_string());
        let other = |hunk: HunkFault| Self {
            path: path.clone(),
            hunk: Some(Box::new(hunk.clone())),
            ..Self::of_reply(fault.code, hunk.to_string())
        };
        let others = fault.others.into_iter().map(other).collect();
        Self {
            path: path.clone(),
            hunk: fault.hunk,
            others,
            ..Self::of_reply(fault.code, fault.reason)
        }
    }
}

/// Applies all actions in memory.
///
/// # Errors
///
/// [`PreviewFault`] of the first action that cannot be applied.
pub fn preview(
    actions: &[TreeAction],
    endings: LineEndings,
) -> Result<PreviewOutcome, PreviewFault> {
    preview_until(actions, endings, &|| false).map(Option::unwrap_or_default)
}

/// Does the same, and returns `None` if `stop` asked to end before all actions were applied.
///
/// # Errors
///
/// Those of [`preview`].
pub fn preview_until(
    actions: &[TreeAction],
    endings: LineEndings,
    stop: &dyn Fn() -> bool,
) -> Result<Option<PreviewOutcome>, PreviewFault> {
    let mut builder = PreviewBuilder {
        endings,
        created_dirs: BTreeSet::new(),
        changes: Vec::new(),
        strategies: BTreeMap::new(),
    };
    for action in actions {
        if stop() {
            return Ok(None);
        }
        builder.apply_action(action, actions)?;
    }
    let preview = Preview::new(builder.changes);
    Ok(Some(PreviewOutcome { preview, strategies: builder.strategies }))
}

struct PreviewBuilder {
    endings: LineEndings,
    created_dirs: BTreeSet<RepoPath>,
    changes: Vec<Change>,
    strategies: BTreeMap<String, Vec<String>>,
}

impl PreviewBuilder {
    /// Applies one action in memory. `all` are the actions of the reply: an error about one file
    /// names the others that could be meant.
    fn apply_action(
        &mut self,
        action: &TreeAction,
        all: &[TreeAction],
    ) -> Result<(), PreviewFault> {
        let path = &action.path;
        match &action.op {
            TreeOp::CreateDir { missing_parents } => {
                self.create_dirs(missing_parents);
                self.create_dirs(std::slice::from_ref(path));
            }
            TreeOp::CreateFile { missing_parents, content } => {
                self.create_dirs(missing_parents);
                let after = self.normalize_endings(content.clone()).into_bytes();
                self.changes.push(Change::CreateFile { path: path.clone(), after });
            }
            TreeOp::WriteFile { before, content } => {
                let base = DecodedBase::decode(before, path, content)?;
                let after = self.restore_line_endings(&base.text, content);
                self.write_text(path, before, &base, after)?;
            }
            TreeOp::PatchFile { before, patch } => self.patch_file(path, before, patch, all)?,
            TreeOp::ReplaceRange { before, start_line, end_line, content } => {
                let base = DecodedBase::decode(before, path, content)?;
                let after = range::replace_range(&base.text, *start_line, *end_line, content)
                    .ok_or_else(|| {
                        let reason = format!(
                            "lines {start_line}..={end_line} are not within its {} lines",
                            base.text.lines().count()
                        );
                        build_fault(path, ErrorCode::PatchApplyFailed, reason)
                    })?;
                self.strategies.insert(path.to_string(), vec!["range".to_owned()]);
                self.write_text(path, before, &base, after)?;
            }
            TreeOp::EditFile { before, edits } => self.edit_file(path, before, edits)?,
            TreeOp::DeleteFile { before } => {
                let (path, before) = (path.clone(), before.clone());
                self.changes.push(Change::RemoveFile { path, before });
            }
            TreeOp::DeleteDir { files, dirs } => self.remove_dir(path, files, dirs),
        }
        Ok(())
    }

    /// Applies a unified diff (protocol v2) to a file. The result is encoded as the file was.
    fn patch_file(
        &mut self,
        path: &RepoPath,
        before: &[u8],
        patch: &str,
        all: &[TreeAction],
    ) -> Result<(), PreviewFault> {
        let base = DecodedBase::decode(before, path, patch)?;
        let patched = apply::apply_patch(&base.text, patch, path.as_str())
            .map_err(|fault| refuse_patch(path, fault))?;
        refuse_lost_hunks(patched.others, path, all).map_err(|fault| refuse_patch(path, fault))?;
        let names = patched.strategies.iter().map(|strategy| strategy.name().to_owned());
        self.strategies.insert(path.to_string(), names.collect());
        self.write_text(path, before, &base, patched.after)
    }

    /// Applies anchored edits (protocol v3) to a file, all to the original text.
    fn edit_file(
        &mut self,
        path: &RepoPath,
        before: &[u8],
        edits: &[Edit],
    ) -> Result<(), PreviewFault> {
        let reply: String = edits.iter().flat_map(Edit::texts).collect();
        let base = DecodedBase::decode(before, path, &reply)?;
        let edited =
            edit::apply_edits(&base.text, edits).map_err(|fault| refuse_edit(path, fault))?;
        let names = edited.strategies.into_iter().map(EditStrategy::name);
        self.strategies.insert(path.to_string(), names.map(str::to_owned).collect());
        self.write_text(path, before, &base, edited.after)
    }

    /// Adds the folders that do not exist yet, parents first.
    fn create_dirs(&mut self, dirs: &[RepoPath]) {
        for dir in dirs {
            // Several actions may need the same folder.
            if self.created_dirs.insert(dir.clone()) {
                self.changes.push(Change::CreateDir { path: dir.clone() });
            }
        }
    }

    /// Adds the removal of a folder with everything in it, so that the transaction can restore each
    /// file.
    fn remove_dir(&mut self, path: &RepoPath, files: &[(RepoPath, Vec<u8>)], dirs: &[RepoPath]) {
        for (path, before) in files {
            self.changes.push(Change::RemoveFile { path: path.clone(), before: before.clone() });
        }
        // The list has each folder before its content, and the content must be removed first.
        for dir in dirs.iter().rev().chain([path]) {
            self.changes.push(Change::RemoveDir { path: dir.clone() });
        }
    }

    /// Returns a whole new text with the file's line endings.
    ///
    /// In a file with mixed endings, kept lines keep their own.
    fn restore_line_endings(&self, old: &str, content: &str) -> String {
        let (crlf, all) = (old.matches("\r\n").count(), old.matches('\n').count());
        if crlf == 0 || content.contains('\r') || self.endings == LineEndings::Lf {
            return content.to_owned();
        }
        if crlf == all {
            return content.replace('\n', "\r\n");
        }
        // The difference to the old text is applied as a patch, because a patch keeps the endings of
        // unchanged lines.
        let hunks =
            line_diff::unified_hunks(old.replace("\r\n", "\n").as_bytes(), content.as_bytes());
        let patch = format!("--- a\n+++ b\n{}", String::from_utf8_lossy(&hunks));
        match apply::apply_patch(old, &patch, "") {
            Ok(patched) if patched.after.replace("\r\n", "\n") == content => patched.after,
            _ => content.to_owned(),
        }
    }

    /// Records a new text in the encoding of its base, unless it equals the old one.
    fn write_text(
        &mut self,
        path: &RepoPath,
        before: &[u8],
        base: &DecodedBase,
        after: String,
    ) -> Result<(), PreviewFault> {
        let after = self.normalize_endings(after);
        let text = after.strip_prefix(MARK).filter(|_| base.marked).unwrap_or(&after);
        let after = base.encoding.encode(text);
        let after =
            after.map_err(|lost| build_fault(path, ErrorCode::NonUtf8File, lost.to_string()))?;
        if after != before {
            let (path, before) = (path.clone(), before.to_vec());
            self.changes.push(Change::WriteFile { path, before, after });
        }
        Ok(())
    }

    /// Returns a text with the line endings of `output.line_endings`: as the file has them, or `\n`
    /// only.
    fn normalize_endings(&self, text: String) -> String {
        match self.endings {
            LineEndings::Keep => text,
            LineEndings::Lf => normalize_to_lf(&text),
        }
    }
}

/// Refuses hunks for files that no other action changes, because they would be lost.
fn refuse_lost_hunks(
    mut others: Vec<String>,
    own: &RepoPath,
    all: &[TreeAction],
) -> Result<(), PatchFault> {
    others.retain(|name| {
        let mut paths = all.iter().map(|action| &action.path);
        !paths.any(|path| path != own && is_same_file(name, path.as_str()))
    });
    if others.is_empty() { Ok(()) } else { Err(PatchFault::SeveralFiles(others)) }
}

/// The decoded text of a file.
struct DecodedBase {
    text: String,
    encoding: Encoding,
    /// `text` begins with the byte order mark.
    ///
    /// The mark is invisible, so `text` has it only if the reply has one. The file keeps its mark in
    /// any case.
    marked: bool,
}

impl DecodedBase {
    /// Decodes a file for a reply. A reply that contains a byte order mark sees the mark as a part
    /// of the text; all others edit the text behind it, and the mark stays.
    fn decode(bytes: &[u8], path: &RepoPath, reply: &str) -> Result<Self, PreviewFault> {
        let Decoded { text, encoding } = encoding::decode(bytes)
            .map_err(|why| build_fault(path, ErrorCode::NonUtf8File, format!("it {why}")))?;
        let marked = encoding.has_mark() && reply.contains(MARK);
        let text = if marked { format!("{MARK}{text}") } else { text };
        Ok(Self { text, encoding, marked })
    }
}

/// Returns the error of a diff: `ERR_PATCH_APPLY_FAILED` where a repair with the file's text can
/// help, another code for one that is no change of a single file.
fn refuse_patch(path: &RepoPath, refused: PatchFault) -> PreviewFault {
    let code = match refused {
        PatchFault::Hunk(..) | PatchFault::ChangesNothing => ErrorCode::PatchApplyFailed,
        PatchFault::NoHunks
        | PatchFault::SeveralFiles(_)
        | PatchFault::OtherFile(_)
        | PatchFault::DeletesFile
        | PatchFault::CreatesFile
        | PatchFault::Combined
        | PatchFault::Renames => ErrorCode::PatchNotUnified,
    };
    let reason = refused.to_string();
    let (hunk, others) = match refused {
        PatchFault::Hunk(hunk, others) => (Some(hunk), others),
        _ => (None, Vec::new()),
    };
    PreviewFault { hunk, others, ..build_fault(path, code, reason) }
}

/// Returns the error of an edit, with the lines of the file that are most like what it looked for.
fn refuse_edit(path: &RepoPath, refused: EditFault) -> PreviewFault {
    let reason = refused.to_string();
    let hunk = Some(Box::new(refused.fault));
    let others = refused.others;
    PreviewFault { hunk, others, ..build_fault(path, refused.code, reason) }
}

fn build_fault(path: &RepoPath, code: ErrorCode, reason: String) -> PreviewFault {
    PreviewFault { code, path: path.clone(), reason, hunk: None, others: Vec::new() }
}
