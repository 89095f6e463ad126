//! The environment of a batch command: settings, governed requests, the manifest's tasks.

use std::io::Read as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::clones::Clones;
use super::error::BatchError;
use super::expand::{PlannedTask, RepositoryOrigin, expand};
use super::finding_tasks::expand_findings;
use super::limits::{GovernedHttp, Rates};
use super::manifest::{self, BatchManifest, ManifestFormat, TaskBudget};
use super::task::{FolderLocks, TaskWork, WorkerShared};
use crate::fix::delivery::variable;
use crate::fix::fetched_recipes::FetchedRecipes;
use crate::fix::forge_access::ForgeAccess;
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Session, SessionSource};
use crate::publish::PublishError;
use crate::settings::FlagValue;
use papayu_base::domain::{NoEvents, RepoPath, Sha256};
use papayu_forge::Outside;
use papayu_forge::git::RemotePlace;
use papayu_index::store;
use papayu_system::os::{OsClock, OsHttp};
use papayu_system::read::read_to_end;
use papayu_system::{Disk as _, Lock, SharedSandbox};

/// Longest manifest read from the disk; the reader of manifests refuses less, with a message.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The settings of a batch and its access to the system.
pub struct BatchSession {
    pub(crate) session: Session,
    pub(crate) outside: Runtime,
    pub(super) http: Arc<GovernedHttp>,
    /// The forge of the settings or of the CI job.
    forge: ForgeAccess,
    interrupted: Arc<AtomicBool>,
    /// A settings file read in place of the repositories' and the user's.
    config: Option<PathBuf>,
}

/// A manifest with its tasks named.
pub(super) struct NamedTasks {
    pub(super) tasks: Vec<PlannedTask>,
    /// The digest of the manifest's bytes.
    pub(super) digest: Sha256,
    /// The folder that paths of the manifest are relative to.
    pub(super) folder: PathBuf,
}

impl BatchSession {
    /// Reads the settings of the batch. Requests and waits end soon after `interrupted` is set.
    ///
    /// # Errors
    ///
    /// [`FixError::Repository`] if the folder cannot be opened, [`FixError::Settings`] if a setting is wrong,
    /// and [`FixError::Publish`] if the forge cannot be determined.
    pub fn open(place: SessionSource, interrupted: Arc<AtomicBool>) -> Result<Self, FixError> {
        let config = place.config.clone();
        let session = Session::open(place)?;
        let settings = &session.settings;
        let rates = Rates {
            provider: requests_limit(settings.batch_provider_rate.value),
            forge: requests_limit(settings.batch_forge_rate.value),
        };
        // All tasks share one connection pool and its limits.
        let inner = Arc::new(OsHttp::new(interrupted.clone()));
        let clock = Arc::new(OsClock::new(interrupted.clone()));
        // The tasks of a batch have their own remotes; the forge of the batch is that of the settings or the job.
        let forge = ForgeAccess::choose(&session, &RemotePlace::default());
        let forge = forge.map_err(PublishError::Forge)?;
        let http = Arc::new(GovernedHttp::new(inner, clock, rates, forge.api_url()));
        let outside = Runtime::through(&session, &interrupted, http.clone());
        Ok(Self { session, outside, http, forge, interrupted, config })
    }

    /// Reads a manifest and names its tasks; `-` is standard input. Only a pattern of repositories sends
    /// requests to the forge.
    ///
    /// Fails with [`BatchError::Manifest`] if the manifest is wrong, and with [`BatchError::Fix`] if a file
    /// cannot be read or the forge does not list the repositories of a pattern.
    pub(super) fn read_tasks(&self, path: &Path) -> Result<NamedTasks, BatchError> {
        let bytes = self.read_file(path, MAX_BYTES)?;
        let manifest = manifest::read_manifest(path, &bytes, ManifestFormat::from_path(path))?;
        // Paths of a manifest from standard input are relative to the current folder.
        let folder = path.parent().filter(|_| path != Path::new("-")).unwrap_or(Path::new(""));
        let folder = absolute_path(&Path::new(".").join(folder))?;
        let digest = manifest.digest;
        let tasks = self.expand_manifest(manifest)?;
        let tasks = expand_findings(tasks, self.outside.system(), &folder)?;
        Ok(NamedTasks { tasks, digest, folder })
    }

    /// Returns the tasks of a manifest; patterns such as `owner/web-*` are expanded to the
    /// repositories that the forge lists.
    fn expand_manifest(&self, manifest: BatchManifest) -> Result<Vec<PlannedTask>, FixError> {
        let (system, masker) = (self.outside.system(), self.outside.masker.as_ref());
        let forge = self.forge.open_whole(Outside { system, events: &NoEvents, masker });
        expand(manifest, &*forge).map_err(PublishError::Forge).map_err(FixError::from)
    }

    /// Reads at most `max` bytes of a file; the rest is ignored.
    ///
    /// Fails with [`FixError::Read`].
    pub(super) fn read_file(&self, path: &Path, max: u64) -> Result<Vec<u8>, FixError> {
        let opened = self.session.disk.open(path);
        let read =
            opened.and_then(|file| read_to_end(&mut file.take(max), self.outside.system().clock));
        read.map_err(|source| FixError::Read { path: path.to_owned(), source })
    }

    /// Returns the absolute folder of results: that of the setting, or `default` in the repository. It is not
    /// created.
    ///
    /// Fails as [`absolute_path`] does.
    pub(super) fn out_folder(&self, default: &Path) -> Result<PathBuf, FixError> {
        let root = self.session.tree.root();
        let out = self.session.settings.out_dir.resolved(root);
        absolute_path(&out.unwrap_or_else(|| root.join(default)))
    }

    /// Creates and locks the folder of results: two batches in one folder would do every task twice.
    ///
    /// Fails with [`BatchError::InUse`] if another process has the lock, and with [`FixError::Write`] if the
    /// folder or the lock file cannot be written.
    pub(super) fn lock_folder(&self, out: &Path) -> Result<Box<dyn Lock>, BatchError> {
        self.try_lock(out).map_err(|source| match source.kind() {
            std::io::ErrorKind::WouldBlock => BatchError::InUse { folder: out.to_owned() },
            _ => FixError::Write { path: out.to_owned(), source }.into(),
        })
    }

    /// Takes the lock of a folder of results, which two batches must not write to.
    fn try_lock(&self, out: &Path) -> std::io::Result<Box<dyn Lock>> {
        let disk = &self.session.disk;
        disk.make_folder(out)?;
        let name = RepoPath::parse("batch.lock");
        let name = name.map_err(|error| std::io::Error::other(error.to_string()))?;
        disk.open_tree(out)?.lock(&name)
    }

    /// Returns the environment that the tasks share. `flags` are settings of every task, `folder` is the one that
    /// paths of `tasks` are relative to, and `out` the folder of results.
    ///
    /// Fails as [`absolute_path`] does, for the folder of clones.
    pub(super) fn share_environment(
        &self,
        flags: Vec<FlagValue>,
        tasks: &[PlannedTask],
        folder: PathBuf,
        out: &Path,
    ) -> Result<WorkerShared, FixError> {
        let settings = &self.session.settings;
        let max_bytes = settings.batch_cache_max_mb.value.saturating_mul(1_000_000);
        let addresses = tasks.iter().filter_map(|planned| match &planned.origin {
            RepositoryOrigin::Address(address) => {
                Some((&**address, planned.options.branch.as_deref()))
            }
            RepositoryOrigin::Folder(_) => None,
        });
        let folders = tasks.iter().filter_map(|planned| match &planned.origin {
            RepositoryOrigin::Folder(path) => {
                let tree = self.session.disk.open_tree(&folder.join(&**path));
                Some(tree.ok()?.root().as_os_str().to_owned())
            }
            RepositoryOrigin::Address(_) => None,
        });
        Ok(WorkerShared {
            work: TaskWork::Fix,
            flags,
            sandbox: Arc::new(SharedSandbox::new(folders.collect())),
            config: self.config.clone(),
            environment: WorkerShared::task_environment(&self.session.environment),
            notices: self.session.notices.clone(),
            limits: TaskBudget {
                max_cost: Some(settings.budget_max_cost.value),
                max_tokens: Some(settings.budget_max_tokens.value),
                max_requests: Some(settings.budget_max_requests.value),
                ..TaskBudget::default()
            },
            clones: Clones::new(&self.clones_folder(out)?, max_bytes, addresses),
            timeout: settings.run_timeout_sec.value,
            manifest_folder: folder,
            out: out.to_owned(),
            recipes: settings
                .batch_recipes_dir
                .resolved(self.session.top().root())
                .map_or_else(|| Ok(out.join("recipes")), |folder| absolute_path(&folder))?,
            gate: Arc::default(),
            fetched: FetchedRecipes::default(),
            interrupted: self.interrupted.clone(),
            http: self.http.clone(),
            folders: FolderLocks::default(),
            masker: self.outside.masker.clone(),
            token: self.forge.git_token(),
        })
    }

    /// Returns the folder of clones: that of the setting, else one in the user's cache folder (XDG
    /// on Linux).
    fn clones_folder(&self, out: &Path) -> Result<PathBuf, FixError> {
        let root = self.session.tree.root();
        if let Some(folder) = self.session.settings.batch_cache_dir.resolved(root) {
            return absolute_path(&folder);
        }
        let lookup = |name: &str| variable(&self.session, name).map(Into::into);
        let cache = store::cache_folder(root, &lookup).unwrap_or_else(|| out.to_owned());
        absolute_path(&cache.join("clones"))
    }

    /// Returns the number of tasks that run at the same time.
    pub(super) fn jobs(&self) -> usize {
        usize::try_from(self.session.settings.batch_jobs.value).unwrap_or(1).max(1)
    }
}

/// Returns a limit of requests in a minute; 0 is none.
fn requests_limit(value: u64) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(value).unwrap_or(u32::MAX))
}

/// Returns the absolute path; links and `..` remain.
///
/// Fails with [`FixError::Read`] if the path is empty or the current folder does not exist.
pub(super) fn absolute_path(path: &Path) -> Result<PathBuf, FixError> {
    let absolute = std::path::absolute(path);
    absolute.map_err(|source| FixError::Read { path: path.to_owned(), source })
}
