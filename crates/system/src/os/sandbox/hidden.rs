//! The files that a command does not see: credentials, and the state of this program and of the CI's runner.
#![expect(
    clippy::disallowed_methods,
    reason = "it reads files of the user that may have credentials"
)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read as _;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files and folders of a home that are always credentials, or what people typed.
const ALWAYS: &str = "\
    .aws .azure .bash_history .boto .cargo/credentials .cargo/credentials.toml \
    .cache/huggingface/token .claude .claude.json .codex .config/BraveSoftware \
    .config/chromium .config/composer/auth.json .config/configstore .config/containers \
    .config/doctl .config/gcloud .config/gh .config/git/credentials .config/github-copilot \
    .config/glab-cli .config/google-chrome .config/hub .config/op .config/papayu \
    .config/pypoetry/auth.toml .config/rclone .config/sops .composer/auth.json \
    .databrickscfg .docker .fly .gem/credentials .git-credentials .gnupg .hex/hex.config \
    .huggingface .kube .local/share/containers .local/share/keyrings \
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
    (".yarnrc.yml", &["auth"]),
];

/// The same outside homes.
const OF_THE_MACHINE: &[&str] = &[
    "/etc/gshadow", "/etc/gshadow-", "/etc/kubernetes", "/etc/shadow", "/etc/shadow-", "/etc/ssh",
    "/etc/sudoers", "/etc/sudoers.d", "/run/containerd", "/run/docker.sock", "/run/podman",
    "/run/secrets", "/run/user", "/var/lib/docker", "/var/lib/kubelet", "/var/run/secrets",
];

/// Folders of a home in which other programs, and this one, keep things side by side.
const SHARED: &[&str] = &[
    "", ".cache", ".config", ".local", ".local/share", ".local/state", ".m2", ".cargo", ".gradle",
];

/// Longest file that is searched for words, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The parts of the file system that a command does not see.
#[derive(Clone, Debug, Default)]
pub(super) struct Hidden {
    // Paths are compared part by part, which takes longer than comparing their bytes.
    paths: BTreeSet<OsString>,
    neighbours: Arc<BTreeSet<OsString>>,
    /// Folders with entries that are granted one by one, so that later ones are not.
    shared: Vec<PathBuf>,
}

/// A file or folder without anything hidden in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Visible {
    pub(super) path: PathBuf,
    pub(super) is_link: bool,
}

impl Hidden {
    /// Returns what is hidden in these homes, on the machine, and besides.
    pub(super) fn find(
        homes: &[PathBuf],
        besides: &[PathBuf],
        neighbours: Arc<BTreeSet<OsString>>,
    ) -> Self {
        let mut found: Vec<PathBuf> = OF_THE_MACHINE.iter().map(PathBuf::from).collect();
        for home in homes {
            found.extend(ALWAYS.split_ascii_whitespace().map(|name| home.join(name)));
            let secret =
                WITH_SECRETS.iter().filter(|(name, words)| contains(&home.join(name), words));
            found.extend(secret.map(|(name, _)| home.join(name)));
        }
        let shared = homes.iter().flat_map(|home| SHARED.iter().map(|name| home.join(name)));
        // This program may make its own folders after the first command, so they are hidden before they exist.
        let besides = besides.iter().map(|path| real_path(path));
        let paths = real_paths(found).into_iter().chain(besides);
        let paths = paths.map(PathBuf::into_os_string).collect();
        Self { paths, neighbours, shared: real_paths(shared) }
    }

    /// Returns `true` if a path is hidden or in a hidden folder.
    pub(super) fn covers(&self, path: &Path) -> bool {
        let real = path.canonicalize();
        let path = real.as_deref().unwrap_or(path);
        path.ancestors().any(|folder| self.is_hidden(folder))
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

    /// Returns the largest files and folders below a folder that have nothing hidden in them.
    pub(super) fn visible_in(&self, folder: &Path) -> Vec<Visible> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if self.is_hidden(&path) {
                continue;
            }
            let is_whole = !self.shared.contains(&path) && self.below(&path).next().is_none();
            if is_link || is_whole {
                found.push(Visible { path, is_link });
            } else {
                found.extend(self.visible_in(&path));
            }
        }
        found
    }
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
    let Ok(file) = File::open(path) else { return false };
    let mut text = String::new();
    let read = file.take(MAX_FILE).read_to_string(&mut text);
    let text = text.to_ascii_lowercase();
    read.is_err() || text.len() as u64 >= MAX_FILE || words.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
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
        put(".ssh/id_rsa", "x");
        put(".npmrc", "//registry/:_authToken=x");
        put(".config/gh/hosts.yml", "x");
        put(".config/pip/pip.conf", "[global]");
        put("work/a", "x");
        put("state/x", "x");
        put("other/state/x", "x");
        put("repos/a/x", "x");
        put("repos/b/x", "x");
        put("repos/b.old", "x");
        std::os::unix::fs::symlink(home.join(".ssh"), home.join("link")).unwrap();
        let hidden = Hidden::find(
            std::slice::from_ref(&home),
            &[home.join("state"), home.join("other/state"), home.join("data/made/later")],
            Arc::new([home.join("repos/b").into_os_string()].into()),
        );
        let mut visible: Vec<_> = hidden.visible_in(&home).into_iter().collect();
        visible.sort_by(|a, b| a.path.cmp(&b.path));
        let visible: Vec<_> = visible
            .iter()
            .map(|it| (it.path.strip_prefix(&home).unwrap().to_str().unwrap(), it.is_link))
            .collect();
        assert_eq!(
            visible,
            [
                (".config/pip", false),
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
}
