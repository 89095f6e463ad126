//! The merged git configuration, compared before and after foreign code ran.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{GitError, GitFault};
use super::program::Git;

/// Keys that may change during a run: every git call here overrides them, or they do not concern
/// commits and remotes. Package managers and hook installers set them in passing.
const HARMLESS: [&str; 7] = [
    "core.hookspath",
    "core.fsmonitor",
    "safe.directory",
    "advice.",
    "branch.",
    "gc.",
    "maintenance.",
];

/// Every value by its key, as git reads them in this repository: the system's, the user's, the
/// repository's, and all that these include.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration(BTreeMap<String, Vec<String>>);

impl Configuration {
    /// Reads it.
    pub fn read_configuration(git: &Git<'_>) -> Result<Self, GitError> {
        let said = git.local_bytes("read git's configuration", &["config", "--list", "-z"])?;
        Ok(Self::parse(&String::from_utf8_lossy(&said)))
    }

    fn parse(text: &str) -> Self {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in text.split('\0').filter(|entry| !entry.is_empty()) {
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            values.entry(key.to_owned()).or_default().push(value.to_owned());
        }
        Self(values)
    }

    /// An error that names the keys, never their values, when it is no longer the same: addresses,
    /// helpers, proxies and programs that somebody else chose would be given the token.
    pub fn ensure_unchanged(&self, git: &Git<'_>) -> Result<(), GitError> {
        let changed = self.changed_keys(&Self::read_configuration(git)?);
        if changed.is_empty() {
            return Ok(());
        }
        let doing = "go on under git's configuration";
        let said = format!("it was changed while the command ran: {}", changed.join(", "));
        Err(GitError::new(doing, GitFault::Reconfigured, said))
    }

    /// Returns the keys that matter and differ, a few at the most.
    fn changed_keys(&self, now: &Self) -> Vec<String> {
        let keys: BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        let matters = |key: &str| {
            let is = |known: &str| key == known || (known.ends_with('.') && key.starts_with(known));
            !HARMLESS.iter().any(|known| is(known))
        };
        let differs = |key: &&String| self.0.get(*key) != now.0.get(*key);
        let shown = |key: &String| key.chars().filter(|c| !c.is_control()).take(100).collect();
        keys.into_iter().filter(|key| matters(key)).filter(differs).take(5).map(shown).collect()
    }
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
