//! What a command works with once its arguments are right: the repository, the settings, the disk.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::args::GlobalArgs;
use super::error::CliError;
use crate::settings::{self, FlagValue, LogFormat, Settings};
use crate::system::os::{OsDisk, environment};
use crate::system::{Disk, Tree};
use crate::trace::{Console, ConsoleForm};

/// The longest settings file read, in bytes.
const MAX_SETTINGS: u64 = 1024 * 1024;

/// A repository and what the user chose for it.
pub struct Session {
    /// The repository's folder, as written on the command line.
    pub repo: PathBuf,
    /// Every setting.
    pub settings: Settings,
    /// The environment the settings were read from.
    pub environment: Vec<(String, String)>,
    /// The real disk.
    pub disk: OsDisk,
    /// The repository's folder, opened.
    pub tree: Box<dyn Tree>,
}

impl Session {
    /// Opens the repository and resolves the settings; `flags` are those of the command itself.
    pub fn open(global: &GlobalArgs, flags: Vec<FlagValue>) -> Result<Self, CliError> {
        let disk = OsDisk;
        let repo = global.repo.clone();
        let tree = disk
            .open_tree(&repo)
            .map_err(|source| CliError::Repository { path: repo.clone(), source })?;
        let environment = environment::snapshot();
        // A file named on the command line is the user's own word and stands for both others.
        let (repo_file, user_file) = if let Some(path) = &global.config {
            (None, Some((path.clone(), text(&disk, path)?)))
        } else {
            let own = settings::user_file(&environment);
            let own = own.map(|path| text_if_any(&disk, path)).transpose()?.flatten();
            (text_if_any(&disk, repo.join("papayu.toml"))?, own)
        };
        let flags = [global.flags(), flags].concat();
        let settings = settings::load(
            &flags,
            &environment,
            named(repo_file.as_ref()),
            named(user_file.as_ref()),
        )?;
        Ok(Self { repo, settings, environment, disk, tree })
    }

    /// Returns the sink that prints events on stderr, each text passed through `mask` first.
    pub fn console(&self, mask: Box<dyn Fn(&str) -> String + Send + Sync>) -> Console {
        let form = match self.settings.log_format.value {
            LogFormat::Human => ConsoleForm::Human,
            LogFormat::Json => ConsoleForm::Json,
        };
        Console::new(form, mask, Box::new(anstream::stderr()))
    }
}

fn named(file: Option<&(PathBuf, String)>) -> Option<(&Path, &str)> {
    file.map(|(path, text)| (path.as_path(), text.as_str()))
}

fn text_if_any(disk: &dyn Disk, path: PathBuf) -> Result<Option<(PathBuf, String)>, CliError> {
    match text(disk, &path) {
        Ok(text) => Ok(Some((path, text))),
        Err(CliError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a short UTF-8 file.
pub(super) fn text(disk: &dyn Disk, path: &Path) -> Result<String, CliError> {
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
    read().map_err(|source| CliError::Read { path: path.to_owned(), source })
}
