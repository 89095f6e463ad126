//! The package managers with packages that are updated, and the order of their versions.

use std::cmp::Ordering;

use super::version::{compare_plain, compare_semver};

/// A package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// npm, with `package-lock.json`.
    Npm,
    /// pip, with `requirements.txt` or `pyproject.toml`.
    PyPi,
    /// cargo, with `Cargo.lock`.
    Cargo,
    /// Go modules, with `go.mod`.
    Go,
    /// Maven, with `pom.xml`.
    Maven,
}

impl Ecosystem {
    /// Every package manager.
    pub const ALL: [Self; 5] = [Self::Npm, Self::PyPi, Self::Cargo, Self::Go, Self::Maven];

    /// Returns the name in the OSV schema, which outcomes use: `npm`, `PyPI`, `crates.io`, `Go` or `Maven`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::PyPi => "PyPI",
            Self::Cargo => "crates.io",
            Self::Go => "Go",
            Self::Maven => "Maven",
        }
    }

    /// Returns the package manager of a name in the OSV schema; `None` for one that is not supported.
    pub fn from_name(name: &str) -> Option<Self> {
        // OSV may add a suffix: `Maven:https://repo.example`.
        let name = name.split(':').next().unwrap_or_default();
        Self::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(name))
    }

    /// Returns the order of two versions. npm, cargo and Go follow semantic versions; pip and Maven use
    /// `compare_plain`, as does a version that is no semantic one.
    pub fn compare(self, one: &str, other: &str) -> Ordering {
        let by_semver = match self {
            Self::Npm | Self::Cargo | Self::Go => compare_semver(one, other),
            Self::PyPi | Self::Maven => None,
        };
        by_semver.unwrap_or_else(|| compare_plain(one, other))
    }
}
