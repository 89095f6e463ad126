//! The limits of commands that run the repository's code.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::os::sandbox::SharedLinks;

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
    /// Common to the runs of a batch; `None` for a run of its own.
    pub shared: Option<Arc<SharedSandbox>>,
    /// Hosts of registries that commands reach in addition to the known ones, in small letters.
    pub registries: Vec<String>,
}

/// The parts that the sandboxes of a batch have in common.
#[derive(Debug, Default)]
pub struct SharedSandbox {
    pub(crate) neighbours: Arc<BTreeSet<OsString>>,
    pub(crate) links: SharedLinks,
}

impl SharedSandbox {
    /// Returns the sandbox of a batch. Its commands do not see these folders of its repositories, absolute and without links.
    pub fn new(neighbours: BTreeSet<OsString>) -> Self {
        Self { neighbours: Arc::new(neighbours), links: SharedLinks::default() }
    }
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
