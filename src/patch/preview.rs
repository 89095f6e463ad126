//! A whole change in memory: every file as it will be, before anything is written.

mod stack;

use std::collections::{BTreeMap, BTreeSet};

use super::edit::{self, EditFault, EditStrategy};
use super::parse::is_same_file;
use super::{PatchFault, TreeAction, TreeOp, apply, range};
use crate::domain::hunk::HunkFault;
use crate::domain::{Edit, ErrorCode, RepoPath};
use crate::text::encoding::{self, Decoded, Encoding, MARK};
use crate::text::lines::{LineEndings, normalize_to_lf};

/// One primitive step on disk, in order of application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Makes a folder whose parent exists by then.
    CreateDir {
        /// The folder.
        path: RepoPath,
    },
    /// Writes a new file.
    CreateFile {
        /// The file; its folder exists by then.
        path: RepoPath,
        /// Its bytes.
        after: Vec<u8>,
    },
    /// Replaces a file's bytes; its mode stays.
    WriteFile {
        /// The file, links already followed.
        path: RepoPath,
        /// What it held when it was read; checked again before writing.
        before: Vec<u8>,
        /// What it will hold.
        after: Vec<u8>,
    },
    /// Removes a file.
    RemoveFile {
        /// The file.
        path: RepoPath,
        /// What it held.
        before: Vec<u8>,
    },
    /// Removes a folder that is empty by then.
    RemoveDir {
        /// The folder.
        path: RepoPath,
    },
}

impl Change {
    /// Returns the path that changes.
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::CreateDir { path }
            | Self::CreateFile { path, .. }
            | Self::WriteFile { path, .. }
            | Self::RemoveFile { path, .. }
            | Self::RemoveDir { path } => path,
        }
    }
}

/// A change in memory: every file before and after it. Only a `VettedChange` made from one is
/// written to disk.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// A preview, and how its hunks landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewOutcome {
    /// The change; without steps when the actions leave everything as it is.
    pub preview: Preview,
    /// The strategy of each hunk, by file.
    pub strategies: BTreeMap<String, Vec<String>>,
}

/// An action that does not land; nothing of the others is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {reason}")]
pub struct PreviewFault {
    /// `ERR_PATCH_APPLY_FAILED`, `ERR_PATCH_NOT_UNIFIED`, `ERR_NON_UTF8_FILE` or one of `ERR_EDIT_*`.
    pub code: ErrorCode,
    /// The file.
    pub path: RepoPath,
    /// Why.
    pub reason: String,
    /// The hunk or edit, where one has no place.
    pub hunk: Option<Box<HunkFault>>,
}

/// Lands every action in memory, all or none.
pub fn preview(
    actions: &[TreeAction],
    endings: LineEndings,
) -> Result<PreviewOutcome, PreviewFault> {
    let mut lander = PreviewBuilder {
        endings,
        made: BTreeSet::new(),
        changes: Vec::new(),
        strategies: BTreeMap::new(),
    };
    for action in actions {
        lander.land(action, actions)?;
    }
    Ok(PreviewOutcome { preview: Preview::new(lander.changes), strategies: lander.strategies })
}

struct PreviewBuilder {
    endings: LineEndings,
    made: BTreeSet<RepoPath>,
    changes: Vec<Change>,
    strategies: BTreeMap<String, Vec<String>>,
}

impl PreviewBuilder {
    fn land(&mut self, action: &TreeAction, all: &[TreeAction]) -> Result<(), PreviewFault> {
        let path = &action.path;
        match &action.op {
            TreeOp::CreateDir { missing_parents } => {
                self.make_folders(missing_parents);
                self.make_folders(std::slice::from_ref(path));
            }
            TreeOp::CreateFile { missing_parents, content } => {
                self.make_folders(missing_parents);
                let after = self.ended(content.clone()).into_bytes();
                self.changes.push(Change::CreateFile { path: path.clone(), after });
            }
            TreeOp::WriteFile { before, content } => {
                let base = DecodedBase::of(before, path, content)?;
                let after = self.whole(&base.text, content);
                self.write(path, before, (&base, after))?;
            }
            TreeOp::PatchFile { before, patch } => {
                let base = DecodedBase::of(before, path, patch)?;
                let landed = apply::apply_patch(&base.text, patch, path.as_str())
                    .map_err(|fault| refuse(path, fault))?;
                none_lost(landed.others, path, all).map_err(|fault| refuse(path, fault))?;
                let names =
                    landed.strategies.iter().map(|strategy| strategy.name().to_owned()).collect();
                self.strategies.insert(path.to_string(), names);
                self.write(path, before, (&base, landed.after))?;
            }
            TreeOp::ReplaceRange { before, start_line, end_line, content } => {
                let base = DecodedBase::of(before, path, content)?;
                let after = range::replace_range(&base.text, *start_line, *end_line, content)
                    .ok_or_else(|| {
                        let reason = format!(
                            "lines {start_line}..={end_line} are not within its {} lines",
                            base.text.lines().count()
                        );
                        fault(path, ErrorCode::PatchApplyFailed, reason)
                    })?;
                self.strategies.insert(path.to_string(), vec!["range".to_owned()]);
                self.write(path, before, (&base, after))?;
            }
            TreeOp::EditFile { before, edits } => self.edit(path, before, edits)?,
            TreeOp::DeleteFile { before } => {
                self.changes
                    .push(Change::RemoveFile { path: path.clone(), before: before.clone() });
            }
            TreeOp::DeleteDir { files, dirs } => self.remove_folder(path, files, dirs),
        }
        Ok(())
    }

    fn edit(&mut self, path: &RepoPath, before: &[u8], edits: &[Edit]) -> Result<(), PreviewFault> {
        let said: String = edits.iter().flat_map(Edit::texts).collect();
        let base = DecodedBase::of(before, path, &said)?;
        let landed =
            edit::apply_edits(&base.text, edits).map_err(|fault| refuse_edit(path, fault))?;
        let names = landed.strategies.into_iter().map(EditStrategy::name);
        self.strategies.insert(path.to_string(), names.map(str::to_owned).collect());
        self.write(path, before, (&base, landed.after))
    }

    fn make_folders(&mut self, folders: &[RepoPath]) {
        for folder in folders {
            if self.made.insert(folder.clone()) {
                self.changes.push(Change::CreateDir { path: folder.clone() });
            }
        }
    }

    fn remove_folder(&mut self, path: &RepoPath, files: &[(RepoPath, Vec<u8>)], dirs: &[RepoPath]) {
        for (path, before) in files {
            self.changes.push(Change::RemoveFile { path: path.clone(), before: before.clone() });
        }
        // The list names each folder before what it holds; they go the other way round.
        for folder in dirs.iter().rev().chain([path]) {
            self.changes.push(Change::RemoveDir { path: folder.clone() });
        }
    }

    /// A whole new text keeps the file's own line endings: of the lines that stay where they differ, of
    /// all where they do not.
    fn whole(&self, old: &str, content: &str) -> String {
        let (crlf, all) = (old.matches("\r\n").count(), old.matches('\n').count());
        if crlf == 0 || content.contains('\r') || self.endings == LineEndings::Lf {
            return content.to_owned();
        }
        if crlf == all {
            return content.replace('\n', "\r\n");
        }
        let patch = diffy::create_patch(&old.replace("\r\n", "\n"), content).to_string();
        let landed = apply::apply_patch(old, &patch, "").map(|landed| landed.after);
        landed
            .ok()
            .filter(|after| after.replace("\r\n", "\n") == content)
            .unwrap_or(content.to_owned())
    }

    /// Writes a new text in the encoding of its base.
    fn write(
        &mut self,
        path: &RepoPath,
        before: &[u8],
        (base, after): (&DecodedBase, String),
    ) -> Result<(), PreviewFault> {
        let after = self.ended(after);
        let text = after.strip_prefix(MARK).filter(|_| base.marked).unwrap_or(&after);
        let after = base.encoding.encode(text);
        let after = after.map_err(|lost| fault(path, ErrorCode::NonUtf8File, lost.to_string()))?;
        if after != before {
            let (path, before) = (path.clone(), before.to_vec());
            self.changes.push(Change::WriteFile { path, before, after });
        }
        Ok(())
    }

    fn ended(&self, text: String) -> String {
        match self.endings {
            LineEndings::Keep => text,
            LineEndings::Lf => normalize_to_lf(&text),
        }
    }
}

/// Refuses hunks for files that no other action changes: they would be lost.
fn none_lost(
    mut others: Vec<String>,
    own: &RepoPath,
    all: &[TreeAction],
) -> Result<(), PatchFault> {
    let paths = || all.iter().map(|action| &action.path).filter(|path| *path != own);
    others.retain(|name| !paths().any(|path| is_same_file(name, path.as_str())));
    if others.is_empty() { Ok(()) } else { Err(PatchFault::SeveralFiles(others)) }
}

/// A file's text as a reply means it.
struct DecodedBase {
    text: String,
    encoding: Encoding,
    /// Whether `text` begins with the byte order mark: nobody sees it, so only a reply that writes it
    /// has it. The file keeps it in any case.
    marked: bool,
}

impl DecodedBase {
    fn of(bytes: &[u8], path: &RepoPath, reply: &str) -> Result<Self, PreviewFault> {
        let Decoded { text, encoding } = encoding::decode(bytes)
            .map_err(|why| fault(path, ErrorCode::NonUtf8File, format!("it {why}")))?;
        let marked = encoding.has_mark() && reply.contains(MARK);
        let text = if marked { format!("{MARK}{text}") } else { text };
        Ok(Self { text, encoding, marked })
    }
}

fn refuse(path: &RepoPath, refused: PatchFault) -> PreviewFault {
    let code = match refused {
        PatchFault::Hunk(_) | PatchFault::ChangesNothing => ErrorCode::PatchApplyFailed,
        PatchFault::NoHunks
        | PatchFault::SeveralFiles(_)
        | PatchFault::DeletesFile
        | PatchFault::CreatesFile
        | PatchFault::Combined
        | PatchFault::Renames => ErrorCode::PatchNotUnified,
    };
    let reason = refused.to_string();
    let hunk = if let PatchFault::Hunk(hunk) = refused { Some(hunk) } else { None };
    PreviewFault { hunk, ..fault(path, code, reason) }
}

fn refuse_edit(path: &RepoPath, refused: EditFault) -> PreviewFault {
    let reason = refused.to_string();
    PreviewFault { hunk: Some(Box::new(refused.fault)), ..fault(path, refused.code, reason) }
}

fn fault(path: &RepoPath, code: ErrorCode, reason: String) -> PreviewFault {
    PreviewFault { code, path: path.clone(), reason, hunk: None }
}
