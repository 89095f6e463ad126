//! Runs every gate in order and makes `CheckedActions`, which nothing else can make.

use std::collections::BTreeMap;

use super::facts::{Fact, Facts};
use super::gate::{
    Located, Named, base, conflict, content, count, delete, form, freshness, path, protected, size,
    test_edits, text, update,
};
use super::order;
use super::policy::Policy;
use super::refusal::Refusal;
use crate::domain::{ActionSet, Edit, ErrorCode, Kind, Op, RepoPath, Sha256, Version};

/// Actions that passed every gate that needs no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screened {
    version: Version,
    actions: Vec<Named>,
}

impl Screened {
    /// Returns every path to look up on disk, each once, with what is to happen there: only a
    /// `DELETE_DIR` needs what the folder holds.
    pub fn paths(&self) -> impl Iterator<Item = (&RepoPath, Kind)> {
        self.actions.iter().map(|action| (&action.path, action.kind))
    }
}

/// Actions that passed every gate, in order of application. No two touch the same path, and none
/// lies below a path that another writes or removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedActions {
    version: Version,
    actions: Vec<CheckedAction>,
}

/// One checked action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedAction {
    /// Its place in the reply, from 0.
    pub index: usize,
    /// The kind the reply named.
    pub kind: Kind,
    /// Where it happens, links followed.
    pub path: RepoPath,
    /// What happens.
    pub op: CheckedOp,
}

/// What a checked action does, with the bytes that stand there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckedOp {
    /// Makes a folder that does not exist.
    CreateDir {
        /// Folders to make before it, outermost first; other actions may name them too.
        missing_parents: Vec<RepoPath>,
    },
    /// Writes a file that does not exist.
    CreateFile {
        /// Folders to make before it, outermost first; other actions may name them too.
        missing_parents: Vec<RepoPath>,
        /// The whole text.
        content: String,
    },
    /// Replaces the whole text of a file (v1).
    WriteFile {
        /// What it holds.
        before: Vec<u8>,
        /// The whole new text.
        content: String,
    },
    /// Applies a unified diff to a file whose digest is that of the base.
    PatchFile {
        /// What it holds: text, in an encoding that is certain.
        before: Vec<u8>,
        /// As the model wrote it; looks like a unified diff.
        patch: String,
    },
    /// Replaces lines of a file whose digest is that of the base.
    ReplaceRange {
        /// What it holds: text, in an encoding that is certain.
        before: Vec<u8>,
        /// First line replaced, from 1; not checked against the file's length.
        start_line: u64,
        /// Last line replaced; not checked against `start_line`.
        end_line: u64,
        /// The lines that take their place.
        content: String,
    },
    /// Makes anchored edits in a file whose digest is that of the base.
    EditFile {
        /// What it holds: UTF-8 without NUL.
        before: Vec<u8>,
        /// As the model wrote them; not held against the file.
        edits: Vec<Edit>,
    },
    /// Removes a file.
    DeleteFile {
        /// What it holds.
        before: Vec<u8>,
    },
    /// Removes a folder with all in it.
    DeleteDir {
        /// Every file below it with its bytes.
        files: Vec<(RepoPath, Vec<u8>)>,
        /// Every folder below it, each before what it holds.
        dirs: Vec<RepoPath>,
    },
}

impl CheckedActions {
    /// Returns the version of the reply.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the actions in order of application.
    pub fn actions(&self) -> &[CheckedAction] {
        &self.actions
    }
}

/// Runs the gates of section 4 that need no file: path, count, size, content, conflict, protected.
/// All actions pass one gate before any meets the next; the first refusal is returned.
pub fn screen(set: ActionSet, policy: &Policy) -> Result<Screened, Refusal> {
    let ActionSet { version, actions, .. } = set;
    let actions = path::lexical(actions)?;
    count::check(&actions)?;
    size::check(&actions)?;
    content::check(&actions)?;
    let actions = conflict::among(actions)?;
    protected::named(&actions, policy)?;
    delete::check(&actions, policy)?;
    Ok(Screened { version, actions })
}

/// Runs the rest on what was found on disk: path, conflict and protected again with links followed,
/// then base, read first, update, patch form, text, freshness. `shown` holds the digests of this
/// run's FILE blocks.
pub fn check(
    screened: Screened,
    facts: Facts,
    shown: &BTreeMap<RepoPath, Sha256>,
    policy: &Policy,
) -> Result<CheckedActions, Refusal> {
    let Screened { version, actions } = screened;
    let located = path::resolved(actions, facts)?;
    let located = conflict::among_resolved(located)?;
    conflict::on_disk(&located)?;
    protected::on_disk(&located, policy)?;
    test_edits::check(&located, policy)?;
    base::check(&located, shown)?;
    update::check(version, &located, shown)?;
    form::check(&located)?;
    text::check(&located)?;
    freshness::check(&located, shown)?;
    let mut actions = Vec::new();
    for action in without_covered(located) {
        actions.extend(conclude(action)?);
    }
    actions.sort_by_key(|action| order::rank(action.kind));
    Ok(CheckedActions { version, actions })
}

/// Leaves out removals below a folder that is removed whole.
fn without_covered(located: Vec<Located>) -> Vec<Located> {
    let removed: Vec<_> = located
        .iter()
        .filter(|action| action.named.kind == Kind::DeleteDir)
        .map(|action| action.resolved.clone())
        .collect();
    let covered = |action: &Located| removed.iter().any(|dir| action.resolved.is_below(dir));
    located.into_iter().filter(|action| !covered(action)).collect()
}

/// Puts an action that passed the gates into its final form; `None` when nothing is left to do.
fn conclude(located: Located) -> Result<Option<CheckedAction>, Refusal> {
    let Located { named, resolved, fact } = located;
    let text = || named.text().map(str::to_owned).ok_or_else(|| content::missing(&named));
    let op = match (&named.op, fact) {
        (Op::CreateDir, Fact::Dir { .. }) => return Ok(None),
        (Op::CreateDir, Fact::Missing { missing_parents, .. }) => {
            CheckedOp::CreateDir { missing_parents }
        }
        (Op::CreateFile { .. } | Op::UpdateFile { .. }, Fact::Missing { missing_parents, .. }) => {
            CheckedOp::CreateFile { missing_parents, content: text()? }
        }
        (Op::CreateFile { .. } | Op::UpdateFile { .. }, Fact::File { bytes, .. }) => {
            CheckedOp::WriteFile { before: bytes, content: text()? }
        }
        (Op::PatchFile { .. }, Fact::File { bytes, .. }) => {
            let patch = named.text().ok_or_else(|| form::missing(&named))?.to_owned();
            CheckedOp::PatchFile { before: bytes, patch }
        }
        (&Op::ReplaceRange { start_line, end_line, .. }, Fact::File { bytes, .. }) => {
            CheckedOp::ReplaceRange { before: bytes, start_line, end_line, content: text()? }
        }
        (Op::EditFile { edits, .. }, Fact::File { bytes, .. }) => {
            CheckedOp::EditFile { before: bytes, edits: edits.clone() }
        }
        (Op::DeleteFile, Fact::File { bytes, .. }) => CheckedOp::DeleteFile { before: bytes },
        (Op::DeleteDir, Fact::Dir { files, dirs, .. }) => CheckedOp::DeleteDir { files, dirs },
        // The gates let nothing else through; should one err, the action is refused all the same.
        _ => {
            let reason = "does not fit what stands there";
            return Err(named.refuse(ErrorCode::ActionConflict, reason));
        }
    };
    Ok(Some(CheckedAction { index: named.index, kind: named.kind, path: resolved, op }))
}

#[cfg(test)]
mod tests;
