//! The merged git configuration and the files that act like it, compared before and after foreign code ran.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use super::error::{GitError, GitFault};
use super::program::Git;
use papayu_base::domain::Sha256;

/// Keys that may change during a run: every git call here overrides them, or they do not concern
/// commits and remotes. Package managers and hook installers set them in passing.
// A prefix ends with a dot, a whole key does not.
const HARMLESS: [&str; 7] = [
    "core.hookspath", "core.fsmonitor", "safe.directory", "advice.", "branch.", "gc.",
    "maintenance.",
];

/// Files of the repository that change what commands of git do or show, by their place in it. Hooks
/// are not among them: no call here runs one, and hook managers install them in passing.
const FILES: [&str; 5] = [
    "info/attributes", "info/grafts", "objects/info/alternates", "objects/info/http-alternates",
    "commondir",
];

/// Longest of these files read, in bytes.
/// Only the beginning of a longer file is compared.
const MAX_FILE: u64 = 1024 * 1024;

/// The values that commands of git depend on, by name: the configuration as git reads it in this
/// repository (the system's, the user's, the repository's, and all that these include), the digests
/// of `FILES`, the place of the repository, and its replacement objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration(BTreeMap<String, Vec<String>>);

impl Configuration {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// The error of git, or of a file of `FILES` that exists and cannot be read.
    pub fn read_configuration(git: &Git<'_>) -> Result<Self, GitError> {
        let doing = "read git's configuration";
        // The values of all scopes in git's own order, the later ones win.
        let output = git.local_bytes(doing, &["config", "--list", "-z"])?;
        let mut found = Self::parse(&String::from_utf8_lossy(&output));
        // The folder of a worktree and the folder that all worktrees share.
        let places = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"];
        let places = git.run_local(doing, &places, &[])?;
        let places: Vec<String> = places.lines().map(str::to_owned).collect();
        for place in &places {
            // A worktree has some of the files for itself, so that both folders are looked at.
            for name in FILES {
                let digest = digest_file(git, &Path::new(place).join(name))?;
                found.0.entry(name.to_owned()).or_default().push(digest);
            }
        }
        found.0.insert("the place of the repository".to_owned(), places);
        // With a replacement object, git shows another commit than the one that is named.
        let replaced = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/replace"];
        let replaced = git.run_local(doing, &replaced, &[])?;
        found.0.insert("refs/replace".to_owned(), replaced.lines().map(str::to_owned).collect());
        Ok(found)
    }

    /// Returns true when a filter program of that name was configured.
    pub fn has_filter(&self, name: &str) -> bool {
        // `smudge` alone changes the checkout and not what is committed.
        ["clean", "process"]
            .iter()
            .any(|kind| self.0.contains_key(&format!("filter.{name}.{kind}")))
    }

    /// Parses the output of `git config --list -z`: entries end with NUL, a line ending separates
    /// key and value, and a key without a value is true.
    fn parse(text: &str) -> Self {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in text.split('\0').filter(|entry| !entry.is_empty()) {
            // Keys are in lower case except for the middle part, as git prints them.
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            values.entry(key.to_owned()).or_default().push(value.to_owned());
        }
        Self(values)
    }

    /// An error that names the keys, never their values, when it is no longer the same: addresses,
    /// helpers, proxies and programs that somebody else chose would be given the token.
    ///
    /// # Errors
    ///
    /// `Reconfigured` with up to five keys, or the error of git.
    pub fn ensure_unchanged(&self, git: &Git<'_>) -> Result<(), GitError> {
        let changed = self.changed_keys(&Self::read_configuration(git)?);
        if changed.is_empty() {
            return Ok(());
        }
        let doing = "go on under git's configuration";
        let message = format!("it was changed while the command ran: {}", changed.join(", "));
        Err(GitError::new(doing, GitFault::Reconfigured, message))
    }

    /// Returns the keys that matter and differ, a few at the most.
    fn changed_keys(&self, now: &Self) -> Vec<String> {
        // Keys of both sides: a setting that was removed differs as well.
        let keys: BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        let matters = |key: &str| {
            let is = |known: &str| key == known || (known.ends_with('.') && key.starts_with(known));
            !HARMLESS.iter().any(|known| is(known))
        };
        let differs = |key: &&String| self.0.get(*key) != now.0.get(*key);
        // A key's middle part is any text, escape sequences of a terminal included.
        let shown = |key: &String| key.chars().filter(|c| !c.is_control()).take(100).collect();
        keys.into_iter().filter(|key| matters(key)).filter(differs).take(5).map(shown).collect()
    }
}

/// Returns the digest of a file, or nothing where there is none.
fn digest_file(git: &Git<'_>, path: &Path) -> Result<String, GitError> {
    // Opening a pipe would wait for its writer.
    if !git.system.disk.is_file(path) {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    // Bounded: the code of the repository may have made the file endless.
    let read =
        git.system.disk.open(path).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes));
    read.map_err(|error| {
        let message = format!("`{}`: {error}", path.display());
        GitError::new("read git's configuration", GitFault::Other, message)
    })?;
    Ok(Sha256::of(&bytes).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_that_could_lead_a_token_astray_is_seen() {
        let before = Configuration::parse("core.bare\nfalse\0remote.origin.url\nhttps://h/o/r\0");
        for (now, changed) in [
            ("core.bare\nfalse\0remote.origin.url\nhttps://h/o/r\0", &[][..]),
            ("core.bare\nfalse\0remote.origin.url\nhttps://evil/\0", &["remote.origin.url"]),
            ("core.bare\nfalse\0", &["remote.origin.url"]),
            (
                "core.bare\nfalse\0remote.origin.url\nhttps://h/o/r\0url.https://evil/.insteadof\nhttps://h/\0\
                 credential.helper\n!sh\0http.proxy\nhttp://evil\0",
                &["credential.helper", "http.proxy", "url.https://evil/.insteadof"],
            ),
            (
                "core.bare\nfalse\0remote.origin.url\nhttps://h/o/r\0remote.origin.url\nhttps://h/o/r\0",
                &["remote.origin.url"],
            ),
            (
                "core.bare\nfalse\0core.hookspath\n.husky/_\0branch.main.merge\nx\0core.fsmonitor\0remote.origin.url\nhttps://h/o/r\0",
                &[],
            ),
            (
                "core.bare\nfalse\0remote.origin.url\nhttps://h/o/r\0branchless.x\ny\0",
                &["branchless.x"],
            ),
        ] {
            assert_eq!(before.changed_keys(&Configuration::parse(now)), changed, "{now:?}");
        }
    }
}
