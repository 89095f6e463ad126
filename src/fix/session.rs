//! The repository, settings and disk of a run once its location is known.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::error::FixError;
use super::outputs;
use super::plain_http::find_plain_http;
use super::repository_settings::{RepositorySettings, prefix_of, repository_settings};
use super::text_file::text;
use crate::project;
use crate::settings::{self, FlagValue, ProviderChoice, Settings, SettingsError};
use papayu_forge::git::GitPlace;
use papayu_system::os::OsDisk;
use papayu_system::os::sandbox::is_in_work_tree;
use papayu_system::{Disk, SharedSandbox, Tree, find_top};

/// Location of a repository, and every source of its settings.
#[derive(Clone, Debug, Default)]
pub struct SessionSource {
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
    /// Folders outside the repository that its commands do not see, absolute.
    pub hidden: Vec<PathBuf>,
    /// The sandbox of a batch; `None` outside one.
    pub sandbox: Option<Arc<SharedSandbox>>,
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
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) sandbox: Option<Arc<SharedSandbox>>,
    /// The real disk.
    pub disk: OsDisk,
    /// The repository's folder, opened.
    pub tree: Box<dyn Tree>,
    /// The repository of git, once it was found.
    pub(super) git_place: OnceLock<GitPlace>,
}

impl Session {
    /// Opens the repository and resolves the settings.
    ///
    /// # Errors
    ///
    /// [`FixError::Repository`] if the folder cannot be opened, [`FixError::Read`] if a file of settings cannot
    /// be read, and [`FixError::Settings`] with every invalid setting and every output path that cannot be
    /// used.
    pub fn open(place: SessionSource) -> Result<Self, FixError> {
        let SessionSource {
            repo,
            temporary: _,
            config,
            environment,
            flags,
            mut notices,
            hidden,
            sandbox,
        } = place;
        let disk = OsDisk;
        let opened = disk.open_tree(&repo);
        let tree = opened.map_err(|source| FixError::of_repository(&repo, source))?;
        // A file named on the command line replaces both other files.
        let (repo_files, user_file) = if let Some(path) = &config {
            (Vec::new(), Some((path.clone(), text(&disk, path)?)))
        } else {
            let own = settings::user_file(&environment);
            let mut own = own.map(|path| text_if_any(&disk, path)).transpose()?.flatten();
            if let Some((path, _)) = own.take_if(|(path, _)| is_in_work_tree(tree.root(), path)) {
                notices.push(describe_inside(&path));
            }
            (repository_settings(&repo, tree.as_ref(), &environment)?, own)
        };
        let (own, above): (Vec<_>, Vec<_>) =
            repo_files.iter().partition(|file| file.is_of(tree.root()));
        let own = own.first().copied();
        let above: Vec<_> = above.into_iter().map(RepositorySettings::as_source).collect();
        let sources = settings::SettingsSources {
            flags: &flags,
            environment: &environment,
            above: &above,
            repository: own.map(RepositorySettings::as_source),
            user: user_file.as_ref().map(|(path, text)| (path.as_path(), text.as_str())),
            profile: Some(project::detect_kind(tree.as_ref())),
        };
        let settings = settings::load(sources)?;
        if cfg!(not(feature = "redis")) && settings.store_url.value.is_some() {
            return Err(FixError::StoreNotBuilt);
        }
        notices.extend(find_plain_http(&settings));
        notices.extend(settings::find_unused_models(&settings));
        let git_place = OnceLock::new();
        let session =
            Self { repo, settings, environment, notices, hidden, sandbox, disk, tree, git_place };
        session.check_outputs()?;
        Ok(session)
    }

    /// Returns the path of the folder from the top of its repository, with a `/` at its end; empty at the top.
    pub(crate) fn prefix(&self) -> String {
        prefix_of(self.tree.root())
    }

    /// Returns the repository's top, where journals, results and the project's memory are kept.
    pub(crate) fn top(&self) -> &dyn Tree {
        find_top(self.tree.as_ref())
    }

    /// Returns the folder that the default paths of outputs begin at: the repository's top, as it was named if it was.
    pub(crate) fn output_root(&self) -> &Path {
        self.tree.top().map_or(&self.repo, |top| top.tree.root())
    }

    /// Returns the folder of what the program remembers for the user. `None` if the environment names none, or one in
    /// the repository: its commands, and everybody who changes its code, could write to that.
    pub(crate) fn data_folder(&self) -> Option<PathBuf> {
        let folder = settings::data_folder(&self.environment)?;
        (!is_in_work_tree(self.tree.root(), &folder)).then_some(folder)
    }

    /// Returns the name of the remote that branches are pushed to.
    pub(crate) fn remote_name(&self) -> &str {
        self.settings.git_remote.value.as_deref().unwrap_or("origin")
    }

    /// Returns `true` if a model, or a recording of one, is configured.
    pub(crate) fn has_model(&self) -> bool {
        self.settings.provider(&self.repo).0 != ProviderChoice::Suggestions
    }

    /// Checks the outputs that the repository's settings place: each is still inside the repository, behind no
    /// link, and overwrites nothing but an earlier output.
    ///
    /// # Errors
    ///
    /// Every setting with a path that cannot be used.
    pub fn check_outputs(&self) -> Result<(), FixError> {
        let problems = outputs::check_outputs(self.tree.as_ref(), &self.settings);
        if problems.is_empty() { Ok(()) } else { Err(SettingsError { problems }.into()) }
    }
}

/// Returns the notice about a settings file of the user that is in the repository.
fn describe_inside(path: &Path) -> String {
    format!(
        "`{}` is not read as your own settings, because it is in the repository: set `HOME` or `XDG_CONFIG_HOME` to a folder outside it, or pass the file with `--config`",
        path.display()
    )
}

/// Reads a file that need not exist.
fn text_if_any(disk: &dyn Disk, path: PathBuf) -> Result<Option<(PathBuf, String)>, FixError> {
    match text(disk, &path) {
        Ok(text) => Ok(Some((path, text))),
        Err(FixError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
