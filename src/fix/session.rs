//! The repository, settings and disk of a run once its location is known.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::error::FixError;
use crate::settings::{self, FlagValue, Settings};
use crate::system::os::OsDisk;
use crate::system::{Disk, Tree};

/// The longest settings file read, in bytes.
const MAX_SETTINGS: u64 = 1024 * 1024;

/// Location of a repository, and every source of its settings.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The repository's folder.
    pub repo: PathBuf,
    /// `true` if the folder is deleted after the run, so that only published outputs remain.
    pub temporary: bool,
    /// A settings file read in place of the repository's and the user's.
    pub config: Option<PathBuf>,
    /// The environment: settings, tokens, and what child processes inherit once secrets are out.
    pub environment: Vec<(String, String)>,
    /// Values that win over every file and the environment.
    pub flags: Vec<FlagValue>,
    /// Weaknesses of this process that every outcome states.
    pub notices: Vec<String>,
}

/// A repository and what the user chose for it.
pub struct Session {
    /// The repository's folder, as written on the command line.
    pub repo: PathBuf,
    /// Every setting.
    pub settings: Settings,
    /// The environment the settings were read from.
    pub environment: Vec<(String, String)>,
    /// Weaknesses of this process and its settings that every outcome states.
    pub notices: Vec<String>,
    /// The real disk.
    pub disk: OsDisk,
    /// The repository's folder, opened.
    pub tree: Box<dyn Tree>,
}

impl Session {
    /// Opens the repository and resolves the settings.
    pub fn open(place: Place) -> Result<Self, FixError> {
        let Place { repo, temporary: _, config, environment, flags, notices } = place;
        let disk = OsDisk;
        let opened = disk.open_tree(&repo);
        let tree = opened.map_err(|source| FixError::of_repository(&repo, source))?;
        // A file named on the command line replaces both other files.
        let (repo_file, user_file) = if let Some(path) = &config {
            (None, Some((path.clone(), text(&disk, path)?)))
        } else {
            let own = settings::user_file(&environment);
            let own = own.map(|path| text_if_any(&disk, path)).transpose()?.flatten();
            (text_if_any(&disk, repo.join("papayu.toml"))?, own)
        };
        let settings = settings::load(
            &flags,
            &environment,
            named(repo_file.as_ref()),
            named(user_file.as_ref()),
        )?;
        Ok(Self { repo, settings, environment, notices, disk, tree })
    }
}

fn named(file: Option<&(PathBuf, String)>) -> Option<(&Path, &str)> {
    file.map(|(path, text)| (path.as_path(), text.as_str()))
}

fn text_if_any(disk: &dyn Disk, path: PathBuf) -> Result<Option<(PathBuf, String)>, FixError> {
    match text(disk, &path) {
        Ok(text) => Ok(Some((path, text))),
        Err(FixError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a short UTF-8 file.
pub(crate) fn text(disk: &dyn Disk, path: &Path) -> Result<String, FixError> {
    let read = || {
        let mut bytes = Vec::new();
        disk.open(path)?.take(MAX_SETTINGS + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_SETTINGS {
            let message = format!("it is longer than {MAX_SETTINGS} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        String::from_utf8(bytes).map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8: {error}"))
        })
    };
    read().map_err(|source| FixError::Read { path: path.to_owned(), source })
}
