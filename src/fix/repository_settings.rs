//! Reads the repository's settings files, from its top down to the folder of the run: from the base of a pull request in
//! CI, otherwise from the folders.

use std::io;
use std::path::{Path, PathBuf};

use super::base_file::{AtBase, BaseRevision, read_before_run};
use super::error::FixError;
use super::text_file::MAX_SETTINGS;
use crate::settings::RepositoryFile;
use papayu_base::domain::RepoPath;
use papayu_system::os::OsDisk;
use papayu_system::os::sandbox::find_work_tree;
use papayu_system::{Disk as _, Entry, Tree};

/// The file's name.
const NAME: &str = "papayu.toml";

/// The repository's settings file.
pub(super) struct RepositorySettings {
    path: PathBuf,
    text: String,
    /// The folder of the file, without links.
    folder: PathBuf,
    /// The same from the top of the repository, with a `/` at its end; empty at the top.
    prefix: String,
    can_be_trusted: bool,
}

/// The place of a settings file.
struct SettingsFolder<'a> {
    /// The folder as messages name it.
    shown: PathBuf,
    folder: PathBuf,
    prefix: String,
    tree: &'a dyn Tree,
}

impl RepositorySettings {
    /// Returns the file as a source of settings.
    pub(super) fn as_source(&self) -> RepositoryFile<'_> {
        let Self { path, text, folder, prefix, can_be_trusted } = self;
        RepositoryFile { path, text, root: folder, prefix, can_be_trusted: *can_be_trusted }
    }

    /// Returns `true` for the file of this folder.
    pub(super) fn is_of(&self, folder: &Path) -> bool {
        self.folder == folder
    }
}

/// Returns the settings files of the repository: the one at its top first, the one of the run's folder last. Like the
/// protected paths, they belong to the repository and not to the folder that the run works in.
///
/// In a CI job for a pull request the files of the base revision are read, because the change itself may be
/// hostile. Where that revision is not in the clone, the files in the folders are read and never trusted.
///
/// Fails with [`FixError::Read`] if a file in a folder is a link or no regular file, cannot be read, is
/// longer than [`MAX_SETTINGS`] bytes, or is not UTF-8.
pub(super) fn repository_settings(
    repo: &Path,
    tree: &dyn Tree,
    environment: &[(String, String)],
) -> Result<Vec<RepositorySettings>, FixError> {
    let base = BaseRevision::of_job(environment);
    let above = folders_above(tree.root());
    let folders = above.iter().map(PathBuf::as_path).chain([tree.root()]);
    let paths: Vec<String> = folders.map(|folder| prefix_of(folder) + NAME).collect();
    let at_base = base.map(|base| read_before_run(&base, &paths, tree.root(), environment));
    let mut at_base = at_base.map(Vec::into_iter);
    let mut next_at_base = || at_base.as_mut().map(|all| all.next().unwrap_or(AtBase::NotHere));
    let mut found = Vec::new();
    for above in above {
        let fault = |source| FixError::Read { path: above.join(NAME), source };
        let opened = OsDisk.open_tree(&above).map_err(fault)?;
        let prefix = prefix_of(&above);
        let shown = above.clone();
        let place = SettingsFolder { shown, folder: above, prefix, tree: opened.as_ref() };
        found.extend(read_settings(place, next_at_base())?);
    }
    let (shown, folder) = (repo.to_owned(), tree.root().to_owned());
    let place = SettingsFolder { shown, prefix: prefix_of(&folder), folder, tree };
    found.extend(read_settings(place, next_at_base())?);
    Ok(found)
}

/// Returns the folders between the top of the repository and one of its folders, without that folder itself.
fn folders_above(folder: &Path) -> Vec<PathBuf> {
    let top = find_work_tree(folder);
    let above = folder.ancestors().skip(1).take_while(|it| it.starts_with(&top));
    let mut folders: Vec<PathBuf> = above.map(Path::to_owned).collect();
    folders.reverse();
    folders
}

/// Returns the path of a folder from the top of its repository, with a `/` at its end; empty at the top.
pub(super) fn prefix_of(folder: &Path) -> String {
    let top = find_work_tree(folder);
    let below = folder.strip_prefix(&top).unwrap_or(Path::new(""));
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy() + "/").collect();
    parts.concat()
}

/// Returns the settings file of one folder; `None` where it has none. `at_base` is the file in the base of the pull
/// request that the job is for.
fn read_settings(
    place: SettingsFolder<'_>,
    at_base: Option<AtBase>,
) -> Result<Option<RepositorySettings>, FixError> {
    let SettingsFolder { shown, folder, prefix, tree } = place;
    let can_be_trusted = at_base.is_none();
    match at_base {
        Some(AtBase::File { commit, text }) => {
            let short: String = commit.as_str().chars().take(12).collect();
            let path = shown.join(format!("{NAME} (base {short})"));
            let can_be_trusted = true;
            return Ok(Some(RepositorySettings { path, text, folder, prefix, can_be_trusted }));
        }
        Some(AtBase::NoFile) => return Ok(None),
        Some(AtBase::NotHere) | None => {}
    }
    let path = shown.join(NAME);
    let text = read_folder(&path, tree)?;
    Ok(text.map(|text| RepositorySettings { path, text, folder, prefix, can_be_trusted }))
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
