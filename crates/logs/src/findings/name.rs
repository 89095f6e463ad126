//! Names of packages and versions that are safe as arguments of a package manager.

use std::fmt;

use super::ecosystem::Ecosystem;

/// Longest name: that of npm.
const MAX_NAME: usize = 214;
/// Longest version.
const MAX_VERSION: usize = 100;

/// A package's name that is no option, no path out of a folder and no shell code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageName(String);

/// A version with the characters of versions only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageVersion(String);

impl PackageName {
    /// Returns the name if it has the form that the package manager's registry accepts.
    pub fn parse(ecosystem: Ecosystem, text: &str) -> Option<Self> {
        let is_name = text.len() <= MAX_NAME
            && match ecosystem {
                Ecosystem::Npm => match text.strip_prefix('@').map(|rest| rest.split_once('/')) {
                    Some(scoped) => scoped.is_some_and(|(scope, name)| {
                        is_plain(scope, "-._~") && is_plain(name, "-._~")
                    }),
                    None => is_plain(text, "-._~"),
                },
                Ecosystem::PyPi => is_plain(text, "-._"),
                Ecosystem::Cargo => is_plain(text, "-_"),
                Ecosystem::Go => text.split('/').all(|part| is_plain(part, "-._~")),
                Ecosystem::Maven => text
                    .split_once(':')
                    .is_some_and(|(group, name)| is_plain(group, "-._") && is_plain(name, "-._")),
            };
        is_name.then(|| Self(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PackageVersion {
    /// Returns the version without blanks around it; `None` if it has characters that no version has.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_version = text.len() <= MAX_VERSION && is_plain(text, "-._+!");
        is_version.then(|| Self(text.to_owned()))
    }

    /// Returns the version.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns `true` for ASCII letters, digits and the marks, with a letter or digit first: a first mark would make an
/// option, a hidden file or a folder above of it.
fn is_plain(text: &str, marks: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || marks.contains(char))
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PackageVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
