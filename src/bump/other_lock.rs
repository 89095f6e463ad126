//! Lists the packages in the lock files of yarn, pnpm and Gradle.

use super::named_version::NamedVersion;

/// Reads `"name@range", name@range:` and the line `version "1.0.0"` or `version: 1.0.0` below it.
pub(super) fn list_yarn(text: &str) -> Vec<NamedVersion> {
    let mut names: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines() {
        if !line.starts_with(char::is_whitespace) {
            let specs = line.trim_end_matches(':').split(", ").map(|it| it.trim_matches('"'));
            names = specs
                .filter_map(|it| {
                    let scope = usize::from(it.starts_with('@'));
                    it.get(..scope + it.get(scope..)?.find('@')?)
                })
                .collect();
            names.dedup();
        } else if let Some(version) = line.trim_start().strip_prefix("version") {
            let version = version.trim_matches([' ', ':', '"']);
            found.extend(names.drain(..).map(|name| (name.to_owned(), version.to_owned())));
        }
    }
    found
}

/// Reads the keys `name@1.0.0`, `/name@1.0.0(peer)` and `/name/1.0.0_peer`.
pub(super) fn list_pnpm(text: &str) -> Vec<NamedVersion> {
    let read = |line: &str| {
        let key = line.trim().strip_suffix(':')?.trim_matches(['\'', '"']);
        let key = key.split('(').next()?.trim_start_matches('/');
        let at = key.rfind('@').filter(|at| *at > 0).or_else(|| key.rfind('/'))?;
        Some((key.get(..at)?.to_owned(), read_start(key.get(at + 1..)?)?))
    };
    text.lines().filter_map(read).collect()
}

/// Reads `group:artifact:version=configurations`.
pub(super) fn list_gradle(text: &str) -> Vec<NamedVersion> {
    let rows = text.lines().filter_map(|line| line.split('=').next()?.trim().rsplit_once(':'));
    rows.map(|(name, version)| (name.to_owned(), version.to_owned())).collect()
}

/// Returns the version that a text begins with.
fn read_start(text: &str) -> Option<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".-+!".contains(char);
    let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
    let version = text.get(..end)?;
    version.starts_with(|first: char| first.is_ascii_digit()).then(|| version.to_owned())
}
