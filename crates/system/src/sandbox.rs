//! The limits of commands that run the repository's code.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// When such commands run in a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// As far as this machine provides one.
    #[default]
    Auto,
    /// Only in a whole one.
    Required,
    /// Never.
    Off,
}

/// When such commands have the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkMode {
    /// Until the first change; after it, only if they need it.
    #[default]
    Auto,
    /// Never.
    Off,
    /// Always, but only registries of packages.
    Deps,
    /// Always.
    On,
}

/// The network of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandNetwork {
    /// None.
    Off,
    /// The registries of packages, through a proxy of this program.
    Deps,
    /// All of it.
    On,
}

impl From<NetworkMode> for CommandNetwork {
    fn from(mode: NetworkMode) -> Self {
        match mode {
            NetworkMode::Off => Self::Off,
            NetworkMode::Deps => Self::Deps,
            NetworkMode::Auto | NetworkMode::On => Self::On,
        }
    }
}

/// The sandbox of a run's commands.
#[derive(Clone, Debug, Default)]
pub struct SandboxConfig {
    /// When there is one.
    pub mode: SandboxMode,
    /// Paths outside the work tree that commands may change, absolute.
    pub writable: Vec<PathBuf>,
    /// Paths that commands do not see, absolute.
    pub hidden: Vec<PathBuf>,
    /// Folders of other repositories that commands do not see, absolute and without links.
    pub neighbours: Arc<BTreeSet<OsString>>,
    /// Hosts of registries that commands reach in addition to the known ones, in small letters.
    pub registries: Vec<String>,
}

/// Marks a command that runs the repository's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// The repository's folder, which the command may change unless it is read-only.
    pub tree: PathBuf,
    /// `true` for commands that only print.
    pub is_read_only: bool,
    /// Its network.
    pub network: CommandNetwork,
}
