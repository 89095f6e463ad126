//! The files that a command does not see: credentials, and the state of this program and of the CI's runner.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{Metadata, symlink_metadata};
use std::io;
use std::ops::Bound;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::mounts::Mounts;
use super::place::{Areas, FileIdentity, OpenedPlace, PathEnd, PlaceSearch};
use super::regular::read_regular;
use crate::os::environment::temporary_folder;
use crate::os::temporary::is_name_of_run;
use papayu_base::text::mask;
use rustix::process::{Resource, getrlimit};

/// Files and folders of a home that are always credentials, or what people typed.
const ALWAYS: &str = "\
    .authinfo .authinfo.gpg .aws .azure .bash_history .boto .cargo/credentials .cargo/credentials.toml \
    .cache/huggingface/token .claude .claude.json .codex .config/BraveSoftware \
    .config/chromium .config/composer/auth.json .config/configstore .config/containers \
    .config/doctl .config/filezilla .config/gcloud .config/gh .config/git/credentials .config/github-copilot \
    .config/glab-cli .config/google-chrome .config/hub .config/kaggle .config/op .config/papayu \
    .config/pypoetry/auth.toml .config/rclone .config/sops .composer/auth.json \
    .databrickscfg .docker .filezilla .fly .gem/credentials .git-credentials .gnupg .hex/hex.config \
    .huggingface .kaggle .kube .local/share/containers .local/share/keyrings \
    .local/share/gem/credentials .local/share/pypoetry/auth.toml .m2/settings-security.xml \
    .mozilla .my.cnf .mylogin.cnf .mysql_history .netrc .node_repl_history .oci \
    .password-store .pgpass .psql_history .pulumi/credentials.json .pypirc .python_history \
    .s3cfg .sbt/.credentials .snowflake .ssh .terraform.d/credentials.tfrc.json .terraformrc \
    .vault-token .zsh_history _netrc actions-runner/.credentials \
    actions-runner/.credentials_rsaparams";

/// Files of a home that are hidden if they contain one of the words, in small letters.
const WITH_SECRETS: &[(&str, &[&str])] = &[
    (".bunfig.toml", &["token", "password"]),
    (".cargo/config", &["token"]),
    (".cargo/config.toml", &["token"]),
    (".condarc", &["token", "@"]),
    (
        ".curlrc",
        &["user", "-u", "pass", "header", "-h", "oauth", "cert", "key", "cookie", "-b", "@"],
    ),
    (".config/NuGet/NuGet.Config", &["password"]),
    (".config/git/config", &["extraheader", "@"]),
    (".config/pip/pip.conf", &["@"]),
    (".config/uv/uv.toml", &["@"]),
    (".gitconfig", &["extraheader", ":x-access-token", "oauth2:", "ghp_", "github_pat_"]),
    (".gradle/gradle.properties", &["password", "token", "secret", "key"]),
    (".m2/settings.xml", &["<password>", "<passphrase>", "<privatekey>"]),
    (".npmrc", &["_auth", "_password"]),
    (".nuget/NuGet/NuGet.Config", &["password"]),
    (".pip/pip.conf", &["@"]),
    (".wgetrc", &["user", "password", "header", "certificate", "key", "@"]),
    (".yarnrc.yml", &["auth"]),
];

/// The same outside homes.
const OF_THE_MACHINE: &[&str] = &[
    "/etc/gshadow", "/etc/gshadow-", "/etc/kubernetes", "/etc/shadow", "/etc/shadow-", "/etc/ssh",
    "/etc/ssl/private", "/etc/sudoers", "/etc/sudoers.d", "/run/containerd", "/run/docker.sock",
    "/run/podman", "/run/secrets", "/run/user", "/var/lib/docker", "/var/lib/kubelet",
    "/var/run/secrets",
];

/// Folders of a home in which other programs, and this one, keep things side by side.
const SHARED: &[&str] = &[
    "", ".cache", ".config", ".local", ".local/share", ".local/state", ".m2", ".cargo", ".gradle",
];

/// Most folders in each other that are looked into for hidden files.
const MAX_DEPTH: usize = 64;
/// Most folders below `/etc` in each other that are looked into for private files.
const ETC_DEPTH: usize = 4;
/// Most files of a home in which the masker looks for secrets, and the longest, in bytes.
const MAX_FILES: usize = 1_000;
const MAX_SETTINGS: u64 = 16 << 10;
/// Most entries of a hidden folder among which a file is searched.
const MAX_ENTRIES: usize = 32;
/// The time for which the machine is not searched again: a command that began before a secret was written sees as much.
const KNOWN_FOR: Duration = Duration::from_secs(2);
/// The part of the open files of a process that may stay open for the next task: 1 / `KEPT_PART`.
const KEPT_PART: u64 = 3;
/// Longest file that is searched for words, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The parts of the file system that a command does not see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hidden {
    // Paths are compared part by part, which takes longer than comparing their bytes.
    paths: BTreeSet<OsString>,
    neighbours: Arc<BTreeSet<OsString>>,
    /// Folders with entries that are granted one by one, so that later ones are not.
    shared: Vec<PathBuf>,
    /// The numbers of the hidden files: a mount may show them under another name.
    files: HashSet<FileIdentity>,
    /// The numbers of the folders above hidden files.
    above: HashSet<FileIdentity>,
    /// Files that are hidden: those that were found first, each with the path that hides it.
    samples: Vec<(PathBuf, PathBuf)>,
    temporary: TemporaryArea,
}

/// The question what is hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HiddenRequest {
    /// The homes of users.
    pub(super) homes: Vec<PathBuf>,
    /// Other paths that are hidden.
    pub(super) besides: Vec<PathBuf>,
    /// The other repositories of a batch.
    pub(super) neighbours: Arc<BTreeSet<OsString>>,
}

/// The folder in which this program makes its temporary folders: those of other runs are hidden, and entries come and go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TemporaryArea {
    folder: PathBuf,
    /// The highest folder above it in which every user may make files, or else the folder itself.
    top: PathBuf,
}

/// The part of the area for temporary files that is visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TemporaryPart<'a> {
    None,
    /// All but the folders of runs.
    All,
    /// The same, and the folder that this tree is in.
    With(&'a Path),
}

impl TemporaryArea {
    fn find() -> Self {
        let folder = real_path(&temporary_folder());
        let is_shared =
            |folder: &&Path| symlink_metadata(folder).is_ok_and(|found| found.mode() & 0o002 != 0);
        let top = folder.ancestors().filter(is_shared).last().unwrap_or(&folder).to_owned();
        Self { folder, top }
    }

    /// Returns `true` if the area is this folder, or in it.
    fn is_below(&self, folder: &Path) -> bool {
        self.folder.starts_with(folder)
    }
}

impl Hidden {
    /// Returns what is hidden in these homes, on the machine, and besides, as it was at most [`KNOWN_FOR`] ago.
    pub(super) fn find(request: HiddenRequest) -> Arc<Self> {
        static LAST: LastSearch<HiddenRequest, Arc<Hidden>> = LastSearch::new();
        LAST.find(&request.clone(), || Arc::new(Self::search(request)), |_| true)
    }

    fn search(request: HiddenRequest) -> Self {
        let HiddenRequest { homes, besides, neighbours } = request;
        let found = find_on_machine(&homes);
        let shared = homes.iter().flat_map(|home| SHARED.iter().map(|name| home.join(name)));
        // This program may make its own folders after the first command, so they are hidden before they exist.
        let besides = besides.iter().map(|path| real_path(path));
        let mut paths: Vec<PathBuf> = found.into_iter().chain(besides).collect();
        let mounts = Mounts::read();
        let others: Vec<_> = paths.iter().flat_map(|path| mounts.other_names(path)).collect();
        paths.extend(others);
        let above: BTreeSet<&Path> =
            paths.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        Self {
            files: paths.iter().filter_map(|path| identity_of(path)).collect(),
            samples: paths
                .iter()
                .filter_map(|path| Some((path.clone(), first_file(path)?)))
                .collect(),
            above: above.into_iter().filter_map(identity_of).collect(),
            paths: paths.into_iter().map(PathBuf::into_os_string).collect(),
            neighbours,
            shared: real_paths(shared),
            temporary: TemporaryArea::find(),
        }
    }

    /// Returns hidden files outside a folder.
    pub(super) fn samples_outside(&self, folder: &Path) -> impl Iterator<Item = &Path> {
        let outside = self.samples.iter().filter(move |(hidden, _)| !hidden.starts_with(folder));
        outside.map(|(_, file)| file.as_path())
    }

    /// Returns the hidden files and folders, without those of other repositories; some do not exist.
    fn own_paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(Path::new)
    }

    /// Returns `true` if a path without links is hidden or in a hidden folder.
    pub(super) fn covers_real(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.is_hidden(folder))
    }

    /// Returns `true` if a file or folder is hidden, by one of its names.
    pub(super) fn hides(&self, place: &OpenedPlace) -> bool {
        self.files.contains(&place.identity()) || self.covers_real(place.path())
    }

    /// Returns `true` if a file or folder is hidden, or has something hidden in it, that is no other repository.
    pub(super) fn hides_own(&self, place: &OpenedPlace) -> bool {
        let is_own = |path: &Path| path.starts_with(place.path()) || place.path().starts_with(path);
        self.files.contains(&place.identity())
            || self.above.contains(&place.identity())
            || self.own_paths().any(is_own)
    }

    /// Returns `true` if something hidden is in a folder.
    pub(super) fn has_hidden_below(&self, place: &OpenedPlace) -> bool {
        place.is_folder()
            && (self.above.contains(&place.identity()) || self.below(place.path()).next().is_some())
    }

    /// Returns `true` if a path is hidden or in a hidden folder.
    pub(super) fn covers(&self, path: &Path) -> bool {
        let real = path.canonicalize();
        self.covers_real(real.as_deref().unwrap_or(path))
    }

    /// Returns the hidden paths in a folder.
    pub(super) fn below<'h>(&'h self, folder: &Path) -> impl Iterator<Item = &'h Path> {
        let mut first = folder.as_os_str().to_owned();
        if folder.parent().is_some() {
            first.push("/");
        }
        let end = first.clone();
        let from = (Bound::Included(first.as_os_str()), Bound::Unbounded);
        let own = self.paths.range::<OsStr, _>(from);
        let others = self.neighbours.range::<OsStr, _>(from);
        let is_below =
            move |path: &&OsString| path.as_encoded_bytes().starts_with(end.as_encoded_bytes());
        let exact = [&self.paths, &*self.neighbours].into_iter();
        let exact = exact.filter_map(|paths| paths.get(folder.as_os_str()));
        let exact: Vec<_> = exact.collect();
        let own = own.take_while(is_below.clone());
        exact.into_iter().chain(own).chain(others.take_while(is_below)).map(Path::new)
    }

    fn is_hidden(&self, path: &Path) -> bool {
        let path = path.as_os_str();
        self.paths.contains(path) || self.neighbours.contains(path)
    }

    /// Hands over the largest files and folders below a folder that have nothing hidden in them, and links.
    pub(super) fn visit_visible(&self, folder: &OpenedPlace, visit: &mut dyn FnMut(OpenedPlace)) {
        self.visit_below(folder, MAX_DEPTH, TemporaryPart::All, visit);
    }

    /// Hands over the visible entries of the folder for temporary files, and of those above it, one after the other: there may be more entries than
    /// a process can open. The temporary folder that the tree is in is one of them.
    pub(super) fn visit_temporary(&self, tree: &Path, visit: &mut dyn FnMut(OpenedPlace)) {
        let none = Areas::default();
        let search = PlaceSearch { untrusted: &none, covered: &none, makes_folders: false };
        if let Ok(PathEnd::Place(top)) = search.open(&self.temporary.top)
            && !self.hides(&top)
        {
            self.visit_below(&top, MAX_DEPTH, TemporaryPart::With(tree), visit);
        }
    }

    /// Visits to a depth.
    fn visit_below(
        &self,
        folder: &OpenedPlace,
        depth: usize,
        temporary: TemporaryPart<'_>,
        visit: &mut dyn FnMut(OpenedPlace),
    ) {
        let is_temporary = folder.path() == self.temporary.folder;
        // Without the right to read a folder, nothing in it is found.
        for name in folder.names().unwrap_or_default() {
            let path = folder.path().join(&name);
            let is_own = matches!(temporary, TemporaryPart::With(tree) if tree.starts_with(&path));
            let is_of_other = is_temporary && is_name_of_run(&name) && !is_own;
            let is_without = temporary == TemporaryPart::None && path == self.temporary.top;
            // The other repositories of a batch are many, so they are not opened.
            if is_of_other || is_without || self.is_hidden(&path) {
                continue;
            }
            let Ok(entry) = folder.entry(&name) else { continue };
            if self.files.contains(&entry.identity()) {
                continue;
            }
            if self.is_whole(&entry) {
                visit(entry);
            } else if depth > 0 {
                self.visit_below(&entry, depth - 1, temporary, visit);
            }
        }
    }

    /// Returns `true` for a file or folder without anything hidden in it, now and later.
    fn is_whole(&self, place: &OpenedPlace) -> bool {
        !self.has_hidden_below(place)
            && !self.temporary.is_below(place.path())
            && !self.shared.iter().any(|shared| shared == place.path())
    }
}

/// The last result of a search, with its question, for the tasks of a batch: each search takes longer than most of what a task does
/// besides its command.
struct LastSearch<Q, R>(Mutex<Option<(Instant, Q, R)>>);

impl<Q: Clone + PartialEq, R: Clone> LastSearch<Q, R> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the last result if it is an answer to the question and less than a minute old; otherwise that of `search`, which is kept
    /// if it `is_kept`.
    #[expect(clippy::disallowed_methods, reason = "the age of the result is one in real time")]
    fn find(&self, question: &Q, search: impl FnOnce() -> R, is_kept: impl Fn(&R) -> bool) -> R {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, asked, result)) = &*last
            && asked == question
            && when.elapsed() < KNOWN_FOR
        {
            return result.clone();
        }
        let result = search();
        let kept = is_kept(&result).then(|| (Instant::now(), question.clone(), result.clone()));
        *last = kept;
        result
    }
}

/// Returns the largest files and folders of the machine that have nothing hidden in them, without those of
/// [`visit_temporary`](Hidden::visit_temporary).
///
/// Fails with the error of the system if the root cannot be opened.
pub(super) fn readable_places(hidden: &Arc<Hidden>) -> io::Result<Arc<[OpenedPlace]>> {
    static LAST: LastSearch<Arc<Hidden>, Arc<[OpenedPlace]>> = LastSearch::new();
    let root = OpenedPlace::root()?;
    let search = || {
        let mut places = Vec::new();
        hidden.visit_below(&root, MAX_DEPTH, TemporaryPart::None, &mut |place| {
            // Root could read disks, and with them every file; and without terminals of its own, the keys that a user types.
            if !place.is_link() && !place.path().starts_with("/dev") {
                places.push(place);
            }
        });
        places.into()
    };
    // Their descriptors stay open, and a process may often have no more than a thousand.
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX) / KEPT_PART;
    Ok(LAST.find(hidden, search, |places| places.len() as u64 <= most))
}

/// Returns the files and folders of credentials of the machine and in these homes, those that exist.
fn find_on_machine(homes: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = OF_THE_MACHINE.iter().map(PathBuf::from).collect();
    add_private(Path::new("/etc"), ETC_DEPTH, &mut found);
    for home in homes {
        found.extend(ALWAYS.split_ascii_whitespace().map(|name| home.join(name)));
        let secret = WITH_SECRETS.iter().filter(|(name, words)| contains(&home.join(name), words));
        found.extend(secret.map(|(name, _)| home.join(name)));
        found.extend(find_secret_files(home));
    }
    real_paths(found)
}

/// Adds the files and folders below a folder that only their owner may read: keys of services, which root could read.
fn add_private(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        let Ok(facts) = symlink_metadata(&path) else { continue };
        let for_others = facts.mode() & 0o077;
        let is_private = !facts.is_symlink() && for_others == 0;
        if is_private {
            found.push(path);
        } else if facts.is_dir() && depth > 1 {
            add_private(&path, depth - 1, found);
        }
    }
}

/// Returns the files of a home that only their owner may read, and the small ones in which the masker finds a secret, whatever
/// program they belong to: hidden files, and those in hidden folders and in folders of settings.
fn find_secret_files(home: &Path) -> Vec<PathBuf> {
    let is_known = |path: &Path| WITH_SECRETS.iter().any(|(name, _)| home.join(name) == path);
    let is_hidden = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let mut folders: Vec<(PathBuf, usize)> = Vec::new();
    let mut files = Vec::new();
    for path in entries(home).into_iter().filter(is_hidden) {
        // Caches have downloads, which are many.
        let depth = if path.ends_with(".config") || path.ends_with(".local") { 4 } else { 1 };
        if path.is_dir() { folders.push((path, depth)) } else { files.push(path) }
    }
    while let Some((folder, depth)) = folders.pop() {
        // The records of this program are hidden as a whole, and grow with each run.
        if folder.ends_with("papayu-batch") {
            continue;
        }
        for path in entries(&folder) {
            let is_folder = symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            if !is_folder {
                files.push(path);
            } else if depth > 1 {
                folders.push((path, depth - 1));
            }
        }
        if files.len() > MAX_FILES {
            break;
        }
    }
    let private: HashSet<PathBuf> = private_on_purpose(&files).into_iter().collect();
    files.retain(|path| !is_known(path) && (private.contains(path) || has_secret(path)));
    files
}

/// Returns the files that only their owner may read, unless most are so: then the user makes every file that way, and it means nothing.
fn private_on_purpose(files: &[PathBuf]) -> Vec<PathBuf> {
    let regular = files.iter().filter_map(|path| {
        let facts = symlink_metadata(path).ok().filter(Metadata::is_file)?;
        let for_others = facts.mode() & 0o077;
        Some((path, for_others == 0))
    });
    let (private, others): (Vec<_>, Vec<_>) = regular.partition(|(_, is_private)| *is_private);
    if private.len() > others.len() {
        return Vec::new();
    }
    private.into_iter().map(|(path, _)| path.clone()).collect()
}

/// Returns the entries of a folder, as many as are looked at.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    found.map(|entry| entry.path()).take(MAX_FILES).collect()
}

/// Returns `true` if the masker finds a secret in a small file of text.
fn has_secret(path: &Path) -> bool {
    let is_small = symlink_metadata(path).is_ok_and(|it| it.is_file() && it.len() <= MAX_SETTINGS);
    let bytes = if is_small { read_regular(path, MAX_SETTINGS + 1) } else { None };
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    mask(&text) != text
}

/// Returns a hidden file, or a file in a hidden folder.
fn first_file(path: &Path) -> Option<PathBuf> {
    let none = Areas::default();
    let search = PlaceSearch { untrusted: &none, covered: &none, makes_folders: false };
    let PathEnd::Place(place) = search.open(path).ok()? else { return None };
    if place.is_regular() {
        return Some(path.to_owned());
    }
    let names = if place.is_folder() { place.names().ok()? } else { Vec::new() };
    let entries = names.iter().take(MAX_ENTRIES).filter_map(|name| place.entry(name).ok());
    let mut files = entries.filter(OpenedPlace::is_regular);
    files.next().map(|file| file.path().to_owned())
}

/// Returns the numbers of a file that exists.
fn identity_of(path: &Path) -> Option<FileIdentity> {
    symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Returns the paths without links, those that exist.
fn real_paths(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    paths.into_iter().filter_map(|path| path.canonicalize().ok()).collect()
}

/// Returns a path without links; the last parts may not exist.
pub(super) fn real_path(path: &Path) -> PathBuf {
    let real = path.ancestors().find_map(|folder| {
        let real = folder.canonicalize().ok()?;
        // An empty rest would add a separator.
        let rest = path.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty());
        Some(rest.map_or_else(|| real.clone(), |rest| real.join(rest)))
    });
    real.unwrap_or_else(|| path.to_owned())
}

/// Returns `true` if a file has one of the words, or is too long to be searched.
pub(super) fn contains(path: &Path, words: &[&str]) -> bool {
    let Some(bytes) = read_regular(path, MAX_FILE) else { return false };
    if bytes.len() as u64 >= MAX_FILE {
        return true;
    }
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    words.iter().any(|word| text.contains(word))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test makes the files itself")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_beside_a_hidden_file_stays_visible() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let put = |path: &str, text: &str| {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(".npmrc", "//registry/:_authToken=x");
        put(".config/pip/pip.conf", "[global]");
        put(".lantern/config.json", "{\"api_token\": \"q8ZtR4vXw2Lp9KsD7mNb\"}");
        put(".config/lantern/rc", "//registry.example/:_authToken=q8ZtR4vXw2Lp9KsD7mNb");
        put(".config/lantern/settings", "color = blue");
        put(".lamprc", "open sesame");
        put(".config/lamp/sites.xml", "<Pass encoding=\"base64\">b3Blbg==</Pass>");
        put(".curlrc", "user = a:b");
        put(".wgetrc", "tries = 3");
        for path in [".lamprc", ".config/lamp/sites.xml"] {
            fs::set_permissions(home.join(path), fs::Permissions::from_mode(0o600)).unwrap();
        }
        let more = ".ssh/id_rsa .config/gh/hosts.yml work/a state/x other/state/x repos/a/x repos/b/x repos/b.old";
        more.split(' ').for_each(|path| put(path, "x"));
        std::os::unix::fs::symlink(home.join(".ssh"), home.join("link")).unwrap();
        let hidden = Hidden::find(HiddenRequest {
            homes: vec![home.clone()],
            besides: ["state", "other/state", "data/made/later"].map(|it| home.join(it)).into(),
            neighbours: Arc::new([home.join("repos/b").into_os_string()].into()),
        });
        let none = Areas::default();
        let search = PlaceSearch { untrusted: &none, covered: &none, makes_folders: false };
        let PathEnd::Place(opened) = search.open(&home).unwrap() else { panic!() };
        let mut found = Vec::new();
        hidden.visit_visible(&opened, &mut |it| {
            found.push((it.path().strip_prefix(&home).unwrap().to_owned(), it.is_link()));
        });
        found.sort();
        let visible: Vec<_> =
            found.iter().map(|(path, is_link)| (path.to_str().unwrap(), *is_link)).collect();
        assert_eq!(
            visible,
            [
                (".config/lantern/settings", false),
                (".config/pip", false),
                (".wgetrc", false),
                ("link", true),
                ("repos/a", false),
                ("repos/b.old", false),
                ("work", false)
            ]
        );
        // A folder that is made later is hidden as well, also by a path with links.
        put("data/made/later/x", "x");
        std::os::unix::fs::symlink(home.join("data"), home.join("alias")).unwrap();
        for path in ["data/made/later/x", "alias/made/later"] {
            assert!(hidden.covers(&home.join(path)), "{path}");
        }
        assert!(!hidden.covers(&home.join("data/made")));
        assert!(hidden.covers(&home.join("link/id_rsa")));
        assert!(hidden.covers(&home.join("repos/b/x")));
        assert!(!hidden.covers(&home.join("work/a")));
    }

    #[test]
    fn a_home_of_private_files_hides_none_for_that() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, mode: u32| {
            let path = home.path().join(name);
            fs::write(&path, "x").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let files = [put(".a", 0o600), put(".b", 0o400), put(".c", 0o644)];
        assert_eq!(private_on_purpose(&files), Vec::<PathBuf>::new());
        let files = [&files[..], &[put(".d", 0o664)]].concat();
        assert_eq!(private_on_purpose(&files), files[..2]);
    }
}
