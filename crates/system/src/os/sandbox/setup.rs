//! Makes the job of a command: its environment, and the files that it may read and change.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::caches::{tool_homes, writable_caches};
use super::files::has_terminals;
use super::git_guard::GitGuard;
use super::grants::{GrantRequest, GrantSources, Grants, WantedPlace, open_grants};
use super::hidden::{Hidden, HiddenRequest, contains, real_path};
use super::job::{PreparedJob, SandboxJob, SupervisorAnswer};
use super::place::Areas;
use super::private::PrivateFolder;
use super::registries::REGISTRIES;
use super::regular::read_short;
use super::subcommand::is_available;
use crate::os::environment::exposure;
use crate::os::reach::add_folder;
use crate::{CommandNetwork, CommandSpec, Confinement, SandboxConfig, SandboxMode};
use papayu_base::domain::{NetworkAccess, SandboxLevel, SandboxRecord};

/// Variables that name files with secrets, and files through which the CI's runner takes orders.
const SECRET_FILES: &str = "\
    AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AZURE_CONFIG_DIR DOCKER_CONFIG GH_CONFIG_DIR \
    GITHUB_ENV GITHUB_OUTPUT GITHUB_PATH GITHUB_STATE GITHUB_STEP_SUMMARY GNUPGHOME \
    GOOGLE_APPLICATION_CREDENTIALS KUBECONFIG NETRC NPM_CONFIG_USERCONFIG RUNNER_TEMP \
    SSH_AUTH_SOCK npm_config_userconfig";

/// Folders of this program in the user's folders for caches, settings, data and state.
const OWN: &[(&str, &str)] = &[
    ("XDG_CACHE_HOME", "papayu-batch"),
    ("XDG_CONFIG_HOME", "papayu"),
    ("XDG_DATA_HOME", "papayu-batch"),
    ("XDG_STATE_HOME", "papayu-batch"),
    ("HOME", ".cache/papayu-batch"),
    ("HOME", ".config/papayu"),
    ("HOME", ".local/share/papayu-batch"),
    ("HOME", ".local/state/papayu-batch"),
    ("CARGO_HOME", "credentials"),
    ("CARGO_HOME", "credentials.toml"),
];

/// Words of git's configuration that come with a credential.
const GIT_SECRETS: &[&str] =
    &["extraheader", "x-access-token", "oauth2:", "ghp_", "ghs_", "github_pat_", "glpat-"];

/// A variable's name and value.
type SandboxVariable = (String, String);

/// The sandbox of a run's commands.
#[derive(Debug, Default)]
pub(crate) struct Sandbox {
    config: SandboxConfig,
    place: OnceLock<HostFacts>,
    granted: Mutex<GrantedFiles>,
    record: Mutex<Option<SandboxRecord>>,
}

/// The rules for files of all commands so far.
#[derive(Debug, Default)]
struct GrantedFiles {
    known: Vec<(GrantRequest, Arc<Grants>)>,
    /// Areas that these commands can change.
    untrusted: Areas,
}

/// The facts found before the first command, which could change them.
#[derive(Debug)]
struct HostFacts {
    home: Option<PathBuf>,
    hidden: Arc<Hidden>,
    private: PrivateFolder,
}

impl Sandbox {
    pub(crate) fn new(config: SandboxConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Returns the protection of all commands so far. `None` before the first command.
    pub(crate) fn record(&self) -> Option<SandboxRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the job of a command; `None` when it runs without a sandbox. `env` is all that the command may see
    /// of the program's environment.
    ///
    /// Fails if there is no sandbox and the settings require one or the network is to be restricted, and with
    /// the error of the disk if the private folder cannot be made. The command must not run then.
    pub(crate) fn prepare(
        &self,
        spec: &CommandSpec,
        confinement: &Confinement,
        env: &[SandboxVariable],
        whole: &[SandboxVariable],
    ) -> io::Result<Option<PreparedJob>> {
        let absent = match self.config.mode {
            SandboxMode::Off => Some(SandboxRecord::off()),
            _ if cfg!(not(target_os = "linux")) => {
                Some(SandboxRecord::none("this system has none"))
            }
            _ if !is_available() => Some(SandboxRecord::none("the program does not start it")),
            _ => None,
        };
        if let Some(record) = absent {
            let refuse = |what: &str| {
                Err(io::Error::other(format!("{what}: {}", record.missing.join("; "))))
            };
            if confinement.network != CommandNetwork::On {
                return refuse("the network cannot be restricted without a sandbox");
            }
            if self.config.mode == SandboxMode::Required {
                return refuse("there is no sandbox");
            }
            self.add_record(record);
            return Ok(None);
        }
        if self.place.get().is_none() {
            // Another thread may be faster; its value counts.
            let _ = self.place.set(HostFacts::find(&self.config, whole)?);
        }
        let place = self.place.get().ok_or(io::ErrorKind::Other)?;
        self.make_job(place, spec, confinement, env).map(Some)
    }

    /// Returns the guard of the repository that has `tree`; `None` where the user turned the sandbox off.
    ///
    /// Fails with the error of the disk if a guarded file cannot be read.
    pub(crate) fn guard_git(&self, tree: &Path) -> io::Result<Option<GitGuard>> {
        (self.config.mode != SandboxMode::Off).then(|| GitGuard::read(tree)).transpose()
    }

    fn make_job(
        &self,
        place: &HostFacts,
        spec: &CommandSpec,
        confinement: &Confinement,
        env: &[SandboxVariable],
    ) -> io::Result<PreparedJob> {
        let tree = work_tree(&confinement.tree, place.home.as_deref());
        add_folder(&tree);
        let is_chosen = |name: &str| env.iter().any(|(known, _)| known == name);
        let env = place.variables(spec, env);
        let caches = writable_caches(place.home.as_deref(), &env, is_chosen).into_iter();
        let own = self.config.writable.iter();
        let own = own.map(|path| WantedPlace { path: path.clone(), is_made: false });
        let request = GrantRequest {
            tree: tree.clone(),
            is_read_only: confinement.is_read_only,
            places: caches.chain(own).collect(),
            with_terminals: !has_terminals(),
        };
        let grants = self.grants(place, request)?;
        let rules = grants.rules.as_ref().map(OwnedFd::try_clone).transpose()?;
        let job = SandboxJob {
            argv: spec.argv.clone(),
            cwd: spec.cwd.clone(),
            env,
            network: confinement.network,
            registries: self.registries(confinement.network),
            required: self.config.mode == SandboxMode::Required,
            gaps: gaps(place, &tree),
            probes: grants.probes.clone(),
        };
        Ok(PreparedJob { job, rules })
    }

    /// Returns the rules for a command: those of an earlier one that needed the same, if there is one. What opened them is
    /// older than the changes of the commands between.
    fn grants(&self, place: &HostFacts, request: GrantRequest) -> io::Result<Arc<Grants>> {
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let GrantedFiles { known, untrusted } = &mut *granted;
        if let Some((_, grants)) = known.iter().find(|(earlier, _)| *earlier == request) {
            return Ok(Arc::clone(grants));
        }
        let sources = GrantSources {
            hidden: &place.hidden,
            own: &[place.private.home(), place.private.temporary()],
            borrowed: &borrowed_folders(&request.tree),
            beside: &[place.private.root().to_owned()],
        };
        let grants = Arc::new(open_grants(&request, sources, untrusted)?);
        known.push((request, Arc::clone(&grants)));
        Ok(grants)
    }

    /// Returns the hosts that a command reaches.
    fn registries(&self, network: CommandNetwork) -> Vec<String> {
        match network {
            CommandNetwork::Deps => {
                let own = self.config.registries.iter().map(|host| host.to_ascii_lowercase());
                REGISTRIES.iter().map(|host| (*host).to_owned()).chain(own).collect()
            }
            CommandNetwork::Off | CommandNetwork::On => Vec::new(),
        }
    }

    /// Adds the protection of a command that started.
    pub(crate) fn note_answer(&self, confinement: &Confinement, answer: &SupervisorAnswer) {
        let SupervisorAnswer::Confined { missing, nothing } = answer else { return };
        let level = match (nothing, missing.is_empty()) {
            (true, _) => SandboxLevel::None,
            (false, true) => SandboxLevel::Full,
            (false, false) => SandboxLevel::Partial,
        };
        let network = match confinement.network {
            CommandNetwork::Off => NetworkAccess::Off,
            CommandNetwork::Deps => NetworkAccess::Deps,
            CommandNetwork::On => NetworkAccess::On,
        };
        self.add_record(SandboxRecord { level, missing: missing.clone(), network });
    }

    /// Adds the protection of one command to that of all commands.
    fn add_record(&self, record: SandboxRecord) {
        let mut all = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        *all = Some(match all.take() {
            Some(earlier) => earlier.merged(record),
            None => record,
        });
    }
}

/// The lowest number of an account of a person, from login.defs(5), and the number of the account without rights.
const FIRST_PERSON: u32 = 1_000;
const NOBODY: u32 = 65_534;

impl HostFacts {
    /// Finds the paths of the machine that a sandbox shows and hides, and makes the private folder.
    fn find(config: &SandboxConfig, env: &[SandboxVariable]) -> io::Result<Self> {
        let value = |name: &str| {
            let found = env.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
        };
        let home = value("HOME").and_then(|home| home.canonicalize().ok());
        let home = home.filter(|home| home.parent().is_some());
        let own = OWN.iter().filter_map(|(name, place)| Some(value(name)?.join(place)));
        let besides = SECRET_FILES.split_ascii_whitespace().filter_map(value).chain(own);
        let besides: Vec<_> = besides.chain(config.hidden.iter().cloned()).collect();
        let mut homes: Vec<_> = home.iter().cloned().chain(account_homes()).collect();
        // They are searched for secrets, and the first one is mostly among the others.
        homes.sort();
        homes.dedup();
        let shared = config.shared.as_deref();
        let neighbours = shared.map(|shared| shared.neighbours.clone()).unwrap_or_default();
        let hidden = Hidden::find(HiddenRequest { homes, besides, neighbours });
        let private =
            PrivateFolder::create(home.as_deref(), &hidden, shared.map(|shared| &shared.links))?;
        Ok(Self { home, hidden, private })
    }

    /// Returns the environment of a command.
    fn variables(&self, spec: &CommandSpec, env: &[SandboxVariable]) -> Vec<SandboxVariable> {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let (home, temporary) = (path(self.private.home()), path(self.private.temporary()));
        let own =
            [("HOME", &home), ("TMPDIR", &temporary), ("TMP", &temporary), ("TEMP", &temporary)];
        let is_own = |name: &str| own.iter().any(|(known, _)| *known == name);
        let is_set = |name: &str| env.iter().any(|(known, _)| known == name);
        let is_hidden =
            |value: &str| Path::new(value).is_absolute() && self.hidden.covers(Path::new(value));
        let inherited = env.iter().filter(|(name, value)| {
            !is_own(name) && name != "JAVA_TOOL_OPTIONS" && !is_hidden(value)
        });
        // Java takes both from the user's account and from the system.
        let java = env.iter().find(|(name, _)| name == "JAVA_TOOL_OPTIONS");
        let java = java.map(|(_, value)| format!("{value} ")).unwrap_or_default();
        let java = format!("{java}-Duser.home={home} -Djava.io.tmpdir={temporary}");
        let homes = self.home.as_deref().map(|home| tool_homes(home, is_set)).unwrap_or_default();
        let own = own.map(|(name, value)| (name.to_owned(), value.clone()));
        let fixed = [
            ("JAVA_TOOL_OPTIONS".to_owned(), java),
            ("PWD".to_owned(), spec.cwd.to_string_lossy().into_owned()),
        ];
        inherited
            .cloned()
            .chain(own)
            .chain(homes)
            .chain(fixed)
            .chain(spec.env.iter().cloned())
            .collect()
    }
}

/// Returns the folder that a command may change: the top of the working tree, as builds write outside the folder that
/// they run in.
fn work_tree(tree: &Path, home: Option<&Path>) -> PathBuf {
    let top = tree.ancestors().find(|folder| folder.join(".git").exists());
    let is_too_much =
        |top: &Path| top.parent().is_none() || home.is_some_and(|home| home.starts_with(top));
    top.filter(|top| !is_too_much(top)).unwrap_or(tree).to_owned()
}

/// Returns the top of the working tree that a folder is in, without links; the folder itself where it is in none.
pub fn find_work_tree(folder: &Path) -> PathBuf {
    work_tree(&real_path(folder), None)
}

/// Returns `true` if a path, which need not exist, is in the working tree of `tree` or leads through it: a change of the
/// repository can then bring the file, or a link in the place of one of its folders.
pub fn is_in_work_tree(tree: &Path, path: &Path) -> bool {
    // The home of the user is no exception here, because some CI systems put it into the checkout.
    let top = find_work_tree(tree);
    // Without links on the way, the folders above are those of the path itself.
    if real_path(path) == path {
        return path.starts_with(&top);
    }
    path.ancestors().any(|part| real_path(part).starts_with(&top))
}

/// Returns the parts that this repository takes away from the sandbox.
fn gaps(place: &HostFacts, tree: &Path) -> Vec<String> {
    // A repository of a batch is hidden from the others, and not from itself.
    let hidden = place.hidden.below(tree).filter(|path| *path != tree && path.exists());
    let inside = hidden.map(|path| {
        let path = path.strip_prefix(tree).unwrap_or(path);
        format!("`{}`, which is in the repository", path.display())
    });
    let git = contains(&tree.join(".git/config"), GIT_SECRETS)
        .then(|| "the credential in `.git/config`".to_owned());
    let readable = exposure().map(|_| "the environment of this program".to_owned());
    inside.chain(git).chain(readable).collect()
}

/// Returns the home of the user's account, which may not be that of the environment, and for root those of people.
#[expect(clippy::disallowed_methods, reason = "the list of users is not in a repository")]
fn account_homes() -> Vec<PathBuf> {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let own = rustix::process::geteuid().as_raw();
    let home_of = |line: &str| {
        let fields: Vec<_> = line.split(':').collect();
        let uid: u32 = fields.get(2)?.parse().ok()?;
        let is_seen = uid == own || own == 0 && (FIRST_PERSON..NOBODY).contains(&uid);
        let home = PathBuf::from(fields.get(5).filter(|_| is_seen)?);
        home.canonicalize().ok().filter(|home| home.parent().is_some())
    };
    users.lines().filter_map(home_of).collect()
}

/// Returns git's folders outside the work tree that a linked working tree or a clone uses: commands may read them.
fn borrowed_folders(tree: &Path) -> Vec<PathBuf> {
    let read = |path: PathBuf| read_short(&path);
    let own = tree.join(".git");
    let link = read(own.clone());
    let linked = link.strip_prefix("gitdir: ").map(|folder| tree.join(folder.trim_end()));
    let folder = linked.clone().unwrap_or(own);
    let common = linked.map(|it| it.join(read(it.join("commondir")).trim_end()));
    let objects = common.clone().unwrap_or(folder).join("objects");
    let others = read(objects.join("info/alternates"));
    common.into_iter().chain(others.lines().map(|line| objects.join(line))).collect()
}
