//! Moves a fix to a newer commit of its branch, in memory.

use super::error::PublishError;
use super::fix::{ProvedFix, VettedFiles};
use papayu_base::domain::RepoPath;
use papayu_base::text::Masker;
use papayu_forge::git::{CommitEntry, FileChange, Git, Oid};
use papayu_patch::{self as patch, Change, Preview};
use papayu_vet::Policy;

/// A fix on a newer commit.
#[derive(Clone, Debug)]
pub enum Rebased {
    /// The newer commit has every file as the fix makes it.
    Contained,
    /// The fix with the newer commit as its base, vetted again; it is not proved there.
    Moved(Box<ProvedFix>),
}

impl ProvedFix {
    /// Returns the fix on a newer commit, which has to be in the object store.
    ///
    /// # Errors
    ///
    /// `BaseMoved` when the newer commit changed the same lines, `Gate` when the result is refused, `Git` when git fails.
    pub fn rebase(
        self,
        git: &Git<'_>,
        tip: &Oid,
        policy: &Policy,
        masker: &Masker,
    ) -> Result<Rebased, PublishError> {
        let entries = git.list_entries(tip)?;
        let mut files = Vec::new();
        for file in self.files.as_slice() {
            let entry = entries.iter().find(|(path, _)| path == file.path.as_str());
            files.extend(move_file(git, file, entry.map(|(_, entry)| entry))?);
        }
        if files.is_empty() {
            return Ok(Rebased::Contained);
        }
        let files = VettedFiles::of_bundle(git, tip, files, policy, masker)?;
        Ok(Rebased::Moved(Box::new(Self { files, base: tip.clone(), ..self })))
    }
}

/// Returns the change of a file on another version of it; `None` if that version is the wanted one.
fn move_file(
    git: &Git<'_>,
    file: &FileChange,
    now: Option<&CommitEntry>,
) -> Result<Option<FileChange>, PublishError> {
    let now_oid = now.map(|entry| &entry.oid);
    if now_oid == file.before.as_ref() {
        return Ok(Some(file.clone()));
    }
    let wanted = match (&file.after, now_oid) {
        (Some(after), Some(oid)) => Oid::of_blob(after, oid) == *oid,
        (None, None) => true,
        _ => false,
    };
    if wanted {
        return Ok(None);
    }
    let conflict = || {
        let reason = format!("`{}` was changed in another way", file.path.as_str().escape_debug());
        PublishError::BaseMoved(reason)
    };
    let (Some(before), Some(entry), Some(after)) = (&file.before, now, &file.after) else {
        return Err(conflict());
    };
    let read = |oid: &Oid| -> Result<String, PublishError> {
        String::from_utf8(git.read_blob(oid)?).map_err(|_| conflict())
    };
    let patch = render_patch(&file.path, read(before)?, after.clone()).ok_or_else(conflict)?;
    // The engine refuses a place that it is not sure of, as it does for the reply of a model.
    let patched = patch::apply_patch(&read(&entry.oid)?, &patch, file.path.as_str());
    let after = patched.map_err(|_| conflict())?.after.into_bytes();
    let (mode, before) = (entry.mode.clone(), Some(entry.oid.clone()));
    Ok(Some(FileChange { path: file.path.clone(), mode, before, after: Some(after) }))
}

/// Returns the change of a file as a patch; `None` for bytes that are no text.
fn render_patch(path: &RepoPath, before: String, after: Vec<u8>) -> Option<String> {
    let change = Change::WriteFile { path: path.clone(), before: before.into_bytes(), after };
    String::from_utf8(patch::render::render(&Preview::new(vec![change]))).ok()
}
