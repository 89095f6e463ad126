//! Reads the repository's settings file: from the base of a pull request in CI, otherwise from the folder.

use std::io;
use std::path::{Path, PathBuf};

use super::base_file::{AtBase, BaseRevision, read_at_base};
use super::error::FixError;
use super::text_file::MAX_SETTINGS;
use crate::settings::RepositoryFile;
use papayu_base::domain::RepoPath;
use papayu_system::{Entry, Tree};

/// The file's name.
const NAME: &str = "papayu.toml";

/// The repository's settings file.
pub(super) struct RepositorySettings {
    path: PathBuf,
    text: String,
    can_be_trusted: bool,
}

impl RepositorySettings {
    /// Returns the file as a source of settings.
    pub(super) fn as_source<'a>(&'a self, root: &'a Path) -> RepositoryFile<'a> {
        let Self { path, text, can_be_trusted } = self;
        RepositoryFile { path, text, root, can_be_trusted: *can_be_trusted }
    }
}

/// Returns the settings file of the repository; `None` where it has none.
///
/// In a CI job for a pull request the file of the base revision is read, because the change itself may be
/// hostile. Where that revision is not in the clone, the file in the folder is read and never trusted.
///
/// Fails with [`FixError::Read`] if the file in the folder is a link or no regular file, cannot be read, is
/// longer than [`MAX_SETTINGS`] bytes, or is not UTF-8.
pub(super) fn repository_settings(
    repo: &Path,
    tree: &dyn Tree,
    environment: &[(String, String)],
) -> Result<Option<RepositorySettings>, FixError> {
    let base = BaseRevision::of_job(environment);
    match base.as_ref().map(|base| read_at_base(base, [NAME], tree, environment)) {
        Some([AtBase::File { commit, text }]) => {
            let short: String = commit.as_str().chars().take(12).collect();
            let path = repo.join(format!("{NAME} (base {short})"));
            return Ok(Some(RepositorySettings { path, text, can_be_trusted: true }));
        }
        Some([AtBase::NoFile]) => return Ok(None),
        Some([AtBase::NotHere]) | None => {}
    }
    let text = read_folder(&repo.join(NAME), tree)?;
    let path = repo.join(NAME);
    Ok(text.map(|text| RepositorySettings { path, text, can_be_trusted: base.is_none() }))
}

/// Returns the text of the settings file in the working tree; `None` if there is none.
fn read_folder(shown: &Path, tree: &dyn Tree) -> Result<Option<String>, FixError> {
    let fault = |source| FixError::Read { path: shown.to_owned(), source };
    let invalid = |message: &str| fault(io::Error::new(io::ErrorKind::InvalidData, message));
    let path = RepoPath::parse(NAME).map_err(|error| fault(io::Error::other(error)))?;
    // A link could lead to any file of the user, and reading a pipe never ends.
    match tree.entry(&path).map_err(fault)? {
        Entry::Missing => return Ok(None),
        Entry::File { .. } => {}
        Entry::Link { .. } => return Err(invalid("it is a link")),
        Entry::Dir => return Err(invalid("it is a folder")),
        Entry::Other => return Err(invalid("it is not a regular file")),
    }
    let bytes = tree.read(&path, MAX_SETTINGS).map_err(fault)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| invalid(&format!("it is not UTF-8: {error}")))
}
