//! What a batch command works with: the manifest read, every task named, the doors open.

use std::io::Read as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::batch::limits::{Governed, Rates};
use crate::batch::manifest::{self, Form, Manifest};
use crate::batch::{Origin, Planned, expand};
use crate::cli::args::GlobalArgs;
use crate::cli::{CliError, Session, doors};
use crate::domain::NoEvents;
use crate::fix::FixError;
use crate::fix::outside::Outside;
use crate::forge::{GitHub, GitHubConfig};
use crate::publish::PublishError;
use crate::settings::FlagValue;
use crate::system::Disk as _;
use crate::system::os::{OsClock, OsHttp, signal};
use crate::system::read::whole;

/// Longest manifest read; the reader of manifests says so.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The batch's own session and doors.
pub(super) struct Desk {
    pub(super) session: Session,
    pub(super) outside: Outside,
    pub(super) interrupted: Arc<AtomicBool>,
    pub(super) http: Arc<Governed>,
    /// A settings file that stands for the repositories' and the user's.
    pub(super) config: Option<PathBuf>,
}

/// A manifest whose tasks are named.
pub(super) struct Read {
    pub(super) tasks: Vec<Planned>,
    pub(super) digest: crate::domain::Sha256,
    /// The folder that its paths begin at.
    pub(super) folder: PathBuf,
}

impl Desk {
    pub(super) fn open(global: &GlobalArgs, flags: Vec<FlagValue>) -> Result<Self, CliError> {
        let session = doors::session(global, flags)?;
        let interrupted = signal::watch().map_err(CliError::Signals)?;
        let settings = &session.settings;
        let rate = |value: u64| NonZeroU32::new(u32::try_from(value).unwrap_or(u32::MAX));
        let rates = Rates {
            provider: rate(settings.batch_provider_rate.value),
            forge: rate(settings.batch_forge_rate.value),
        };
        let inner = Arc::new(OsHttp::new(interrupted.clone()));
        let clock = Arc::new(OsClock::new(interrupted.clone()));
        let forge = settings.github_api_url.value.clone().unwrap_or_default();
        let http = Arc::new(Governed::new(inner, clock, rates, &forge));
        let outside = Outside::through(&session, &interrupted, http.clone());
        Ok(Self { session, outside, interrupted, http, config: global.config.clone() })
    }

    /// Reads the manifest and names its tasks; only a pattern of repositories asks the forge.
    pub(super) fn read(&self, path: &Path) -> Result<Read, CliError> {
        let fault = |source| FixError::Read { path: path.to_owned(), source };
        let file = self.session.disk.open(path).map_err(fault)?;
        let clock = self.outside.system().clock;
        let bytes = whole(&mut file.take(MAX_BYTES), clock).map_err(fault)?;
        let manifest = manifest::read(path, &bytes, Form::of(path))?;
        let folder = path.parent().filter(|_| path != Path::new("-")).unwrap_or(Path::new(""));
        let folder = std::path::absolute(Path::new(".").join(folder)).map_err(fault)?;
        let digest = manifest.digest;
        Ok(Read { tasks: self.expanded(manifest)?, digest, folder })
    }

    fn expanded(&self, manifest: Manifest) -> Result<Vec<Planned>, CliError> {
        let settings = &self.session.settings;
        let config = GitHubConfig {
            api_url: settings.github_api_url.value.clone().unwrap_or_default(),
            repository: String::new(),
            token: settings.github_token.value.clone(),
        };
        let (system, masker) = (self.outside.system(), &self.outside.masker);
        let forge = GitHub::whole(&config, system, &NoEvents, masker);
        let tasks =
            expand(manifest, &forge).map_err(PublishError::Forge).map_err(FixError::from)?;
        Ok(tasks)
    }
}

/// Returns the addresses of tasks with the branch that each begins at.
pub(super) fn addresses<'t>(
    tasks: impl IntoIterator<Item = &'t Planned>,
) -> impl Iterator<Item = (&'t str, Option<&'t str>)> {
    tasks.into_iter().filter_map(|planned| match &planned.origin {
        Origin::Address(address) => Some((&**address, planned.wish.branch.as_deref())),
        Origin::Folder(_) => None,
    })
}
