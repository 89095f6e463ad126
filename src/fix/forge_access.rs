//! The forge of a run: which one, at which address and with which token.

use super::ci_environment::CiEnvironment;
use super::error::FixError;
use super::run_context::RunContext;
use super::session::Session;
use crate::publish::{BranchReader, PublishError};
use crate::settings::ValueOrigin;
use papayu_base::domain::{AccessToken, HostToken};
use papayu_forge::git::{Git, Remote, RemotePlace};
use papayu_forge::{AppConfig, Forge, ForgeConfig, ForgeError, ForgeFault, ForgeKind, Outside};

/// A forge, its address and its token.
#[derive(Clone, Debug)]
pub(crate) struct ForgeAccess {
    kind: ForgeKind,
    config: ForgeConfig,
}

impl ForgeAccess {
    /// Returns the forge that the settings, the CI job or the remote name, in this order. The remote alone chooses
    /// among well-known servers only, and never where `forge.token` goes: its address may come from others.
    ///
    /// # Errors
    ///
    /// `NotFound` when the address of the API is not known.
    pub(crate) fn choose(session: &Session, remote: &RemotePlace) -> Result<Self, ForgeError> {
        let settings = &session.settings;
        let job = CiEnvironment::of(&session.environment);
        let (kind, is_named) = match find_named_kind(session, &job) {
            Some(kind) => (kind, true),
            None => (find_kind_of_remote(session, remote)?, false),
        };
        let api_url = find_api_url(session, &job, kind, remote).ok_or_else(|| {
            let message = "the address of its API is not known: set `forge.api_url`";
            ForgeError::new("find the forge", ForgeFault::NotFound, message)
        })?;
        let set = settings.forge_token.value.clone().filter(|_| is_named);
        let of_github =
            || settings.github_token.value.clone().filter(|_| kind == ForgeKind::GitHub);
        let of_job = || job.token(kind).map(Into::into);
        let token = set.or_else(of_github).or_else(of_job);
        let app = find_app(session, kind)?;
        // The token of an app is obtained later.
        let token = match &app {
            Some(_) => Some(AccessToken::default()),
            None => token.as_ref().map(AccessToken::new),
        };
        let of_settings = settings.forge_repository.value.clone();
        let of_github = || {
            let name = &settings.github_repository;
            // In a job of another forge this variable is that forge's.
            name.value.clone().filter(|_| kind == ForgeKind::GitHub)
        };
        let of_job = || job.repository().filter(|_| job.forge() == Some(kind));
        let repository = of_settings.or_else(of_github).or_else(of_job);
        // A folder of this machine is no evidence of a repository on a server.
        let of_remote = is_named || !remote.host.is_empty();
        let of_remote = || of_remote.then(|| kind.repository_name(&remote.path));
        let repository = repository.or_else(of_remote).unwrap_or_default();
        let (log_hosts, run_url) = (settings.github_log_hosts.value.clone(), job.run_url());
        let config = ForgeConfig { api_url, repository, token, log_hosts, run_url, app };
        Ok(Self { kind, config })
    }

    /// Returns the forge of a repository with its remote.
    ///
    /// A missing remote is no error. Fails as [`choose`](Self::choose) does.
    pub(crate) fn of_repository(session: &Session, git: &Git<'_>) -> Result<Self, PublishError> {
        let name = session.remote_name();
        let place = match Remote::find_remote(git, name) {
            Ok(remote) => remote.place(),
            // The settings or the job may name everything that the remote would.
            Err(_) => RemotePlace::default(),
        };
        Ok(Self::choose(session, &place)?)
    }

    /// Returns whether pushes and requests carry a token.
    pub(crate) fn has_token(&self) -> bool {
        self.config.token.is_some()
    }

    /// Returns the token for git, and the only server that it may be sent to. `None` without a token.
    pub(crate) fn git_token(&self) -> Option<HostToken> {
        let token = self.config.token.as_ref()?;
        Some(self.kind.git_token(&self.config.api_url, token))
    }

    /// Returns the address of the API.
    pub(crate) fn api_url(&self) -> &str {
        &self.config.api_url
    }

    /// Returns the name of the repository; empty if it is not known.
    pub(crate) fn repository(&self) -> &str {
        &self.config.repository
    }

    /// Returns the client of the repository.
    ///
    /// # Errors
    ///
    /// `NotFound` when the repository is not named, and those of an app's token.
    pub(crate) fn open<'a>(
        &self,
        context: RunContext<'a>,
    ) -> Result<Box<dyn Forge + 'a>, ForgeError> {
        let RunContext { runtime, events, .. } = context;
        let outside = Outside { system: runtime.system(), events, masker: &runtime.masker };
        let forge = self.kind.open_repository(&self.config, outside)?;
        // Before the first push, which needs the token of an app.
        forge.renew_token()?;
        Ok(forge)
    }

    /// Returns the client for questions about no one repository.
    pub(crate) fn open_whole<'a>(&self, outside: Outside<'a>) -> Box<dyn Forge + 'a> {
        self.kind.open_whole(&self.config, outside)
    }
}

/// Returns the forge of a remote where the settings and the job name none.
///
/// Fails with `NotFound` for a folder and for a server that is not known: GitHub would be asked about a repository of
/// another server. The name of a repository in the settings of GitHub, and no remote at all, mean GitHub.
fn find_kind_of_remote(session: &Session, remote: &RemotePlace) -> Result<ForgeKind, ForgeError> {
    let settings = &session.settings;
    let RemotePlace { host, path } = remote;
    if let Some(kind) = ForgeKind::from_host(host) {
        return Ok(kind);
    }
    // A name without a dot is an alias of the user's SSH configuration, such as `git@github-work:o/n`.
    let is_alias = !host.is_empty() && !host.contains('.');
    let alias = ForgeKind::ALL.iter().find(|kind| is_alias && host.contains(kind.word()));
    let is_unknown = host.is_empty() && path.is_empty();
    let is_github = settings.github_repository.value.is_some() || is_unknown;
    let github = Some(&ForgeKind::GitHub).filter(|_| is_github);
    alias.or(github).copied().ok_or_else(|| {
        let message = if host.is_empty() {
            "the remote is a folder, which is on no forge: set `forge.kind` and `forge.api_url`"
                .to_owned()
        } else {
            format!("the forge at `{host}` is not known: set `forge.kind` and `forge.api_url`")
        };
        ForgeError::new("find the forge", ForgeFault::NotFound, message)
    })
}

/// Returns the forge that the settings or the job name.
fn find_named_kind(session: &Session, job: &CiEnvironment<'_>) -> Option<ForgeKind> {
    let settings = &session.settings;
    let of_api = |url: &Option<String>| url.as_deref().and_then(ForgeKind::from_api);
    if let Some(kind) = settings.forge_kind.value.kind() {
        return Some(kind);
    }
    if settings.forge_api_url.value.is_some() {
        return of_api(&settings.forge_api_url.value);
    }
    if settings.github_api_url.origin != ValueOrigin::Default {
        // Runners of Gitea and Forgejo set `GITHUB_API_URL` to their own address.
        return Some(of_api(&settings.github_api_url.value).unwrap_or(ForgeKind::GitHub));
    }
    job.forge()
}

/// Returns the address of the API.
fn find_api_url(
    session: &Session,
    job: &CiEnvironment<'_>,
    kind: ForgeKind,
    remote: &RemotePlace,
) -> Option<String> {
    let settings = &session.settings;
    let set = settings.forge_api_url.value.clone();
    let of_github = || {
        let url = &settings.github_api_url;
        let is_its = url.value.as_deref().and_then(ForgeKind::from_api).unwrap_or(kind) == kind;
        url.value
            .clone()
            .filter(|_| is_its && (kind == ForgeKind::GitHub || url.origin != ValueOrigin::Default))
    };
    let of_job = || job.api_url().filter(|_| job.forge() == Some(kind));
    // On a server of another name, the path is no evidence of the public one.
    let is_public = ForgeKind::from_host(&remote.host) == Some(kind);
    let public = || kind.public_api(&remote.path).filter(|_| is_public || kind != ForgeKind::Azure);
    set.or_else(of_github).or_else(of_job).or_else(public)
}

/// Returns the GitHub App of the settings, with its key read.
fn find_app(session: &Session, kind: ForgeKind) -> Result<Option<AppConfig>, ForgeError> {
    let settings = &session.settings;
    let Some(id) = settings.github_app_id.value.clone().filter(|_| kind == ForgeKind::GitHub)
    else {
        return Ok(None);
    };
    let wrong = |message: String| {
        ForgeError::new("read the key of the GitHub App", ForgeFault::NoToken, message)
    };
    let path = settings.github_app_key_file.resolved(session.tree.root());
    let path = path.ok_or_else(|| wrong("`github.app_key_file` is not set".to_owned()))?;
    let text = super::text(&session.disk, &path).map_err(|error| wrong(error.to_string()))?;
    let installation = settings.github_app_installation.value;
    let installation = (installation > 0).then_some(installation);
    Ok(Some(AppConfig { id, key: text.into(), installation }))
}

/// Returns the commit that is checked out, and the forge of the repository.
///
/// Fails with [`PublishError::Git`] outside a repository or without a commit, and as [`ForgeAccess::choose`]
/// does.
pub(crate) fn commit_and_forge(
    context: RunContext<'_>,
) -> Result<(String, ForgeAccess), PublishError> {
    let git = context.open_git()?;
    Ok((git.head_commit()?.to_string(), ForgeAccess::of_repository(context.session, &git)?))
}

/// Another machine.
pub(crate) struct Away<'a> {
    /// The remote that branches are pushed to.
    pub(crate) remote: Remote,
    /// Its forge, where pull requests are opened.
    pub(crate) forge: Box<dyn Forge + 'a>,
    /// The kind of the forge.
    pub(crate) kind: ForgeKind,
    /// True when pushes and requests carry a token of the settings.
    pub(crate) has_token: bool,
    /// The token, for remotes on its own host only.
    pub(crate) git_token: Option<HostToken>,
}

/// Returns the remote and the forge of the repository.
///
/// Fails with [`PublishError::Git`] if there is no such remote, and as [`ForgeAccess::choose`] and
/// [`ForgeAccess::open`] do.
pub(super) fn find_remote<'a>(
    context: RunContext<'a>,
    git: &Git<'a>,
) -> Result<Away<'a>, PublishError> {
    let session = context.session;
    let name = session.remote_name();
    let remote = Remote::find_remote(git, name)?;
    let access = ForgeAccess::choose(session, &remote.place())?;
    let forge = access.open(context)?;
    let git_token = access.git_token();
    let remote = remote.give_token(git_token.as_ref());
    Ok(Away { remote, forge, kind: access.kind, has_token: access.has_token(), git_token })
}

/// The forge of the repository that a sweep looks at.
pub(crate) struct SweptRepository<'a> {
    pub(crate) forge: Box<dyn Forge + 'a>,
    /// The clone of it that the program runs in.
    clone: Option<(Git<'a>, Remote)>,
}

impl<'a> SweptRepository<'a> {
    /// Returns the forge of the repository that the settings or the remote name.
    ///
    /// # Errors
    ///
    /// Those of [`open_forge_of_repository`].
    pub(crate) fn open(context: RunContext<'a>) -> Result<Self, FixError> {
        let access = access_of_repository(context)?;
        let forge = access.open(context).map_err(PublishError::Forge)?;
        let name = context.session.remote_name();
        let clone = context.open_git().ok().and_then(|git| {
            let remote = Remote::find_remote(&git, name).ok()?;
            // The settings may name another repository than the one that is checked out.
            let own = access.kind.repository_name(&remote.place().path);
            let remote = remote.give_token(access.git_token().as_ref());
            own.eq_ignore_ascii_case(access.repository()).then_some((git, remote))
        });
        Ok(Self { forge, clone })
    }

    /// Returns the reader of its branches; `None` outside a clone.
    pub(crate) fn reader(&self) -> Option<BranchReader<'_>> {
        self.clone.as_ref().map(|(git, remote)| BranchReader::new(git, remote))
    }
}

/// Returns the client of the repository that the settings or the remote name.
///
/// Fails with [`FixError::NoForgeName`] if neither names it, and as [`ForgeAccess::choose`] and
/// [`ForgeAccess::open`] do.
pub(crate) fn open_forge_of_repository(
    context: RunContext<'_>,
) -> Result<Box<dyn Forge + '_>, FixError> {
    Ok(access_of_repository(context)?.open(context).map_err(PublishError::Forge)?)
}

/// Returns the forge of the repository that the settings or the remote name.
fn access_of_repository(context: RunContext<'_>) -> Result<ForgeAccess, FixError> {
    let session = context.session;
    let access = match context.open_git() {
        Ok(git) => ForgeAccess::of_repository(session, &git)?,
        // The folder may have no repository of git while the settings name the one on the forge.
        Err(_) => {
            ForgeAccess::choose(session, &RemotePlace::default()).map_err(PublishError::Forge)?
        }
    };
    if access.repository().is_empty() {
        let remote = session.settings.git_remote.value.clone();
        return Err(FixError::NoForgeName { remote: remote.unwrap_or_else(|| "origin".into()) });
    }
    Ok(access)
}
