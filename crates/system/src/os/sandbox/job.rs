//! The messages between the program, the supervisor and the confined process: one line of JSON each.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::CommandNetwork;

/// A command and its limits, from the program.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SandboxJob {
    /// Program and arguments.
    pub(super) argv: Vec<String>,
    /// The working directory.
    pub(super) cwd: PathBuf,
    /// The whole environment.
    pub(super) env: Vec<(String, String)>,
    /// The network that may be used.
    pub(super) network: CommandNetwork,
    /// The hosts of registries.
    pub(super) registries: Vec<String>,
    /// `true` if the command runs only when every part of the sandbox works.
    pub(super) required: bool,
    /// Parts that are known to be missing.
    pub(super) gaps: Vec<String>,
    /// Tries that must fail in the sandbox.
    pub(super) probes: SandboxProbes,
}

/// Tries of a confined process before it becomes the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SandboxProbes {
    /// Files that may not be read.
    pub(super) unreadable: Vec<PathBuf>,
    /// Folders in which no file may be made.
    pub(super) unwritable: Vec<PathBuf>,
}

/// A job, and the rules for files that go with it.
#[derive(Debug)]
pub(crate) struct PreparedJob {
    /// The job.
    pub(crate) job: SandboxJob,
    /// The rules, which the confined process applies to itself; `None` where the kernel has none.
    pub(crate) rules: Option<OwnedFd>,
}

/// An answer to the program.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SupervisorAnswer {
    /// The sandbox is made; these parts are missing. `nothing` is `true` if all are.
    Confined {
        /// In words.
        missing: Vec<String>,
        /// `true` if no part works.
        nothing: bool,
    },
    /// The command did not start.
    NotStarted {
        /// The system's number of the error, where it has one.
        code: Option<i32>,
        /// In words.
        reason: String,
    },
    /// The command ended by itself.
    Exited(i32),
    /// A signal ended the command.
    Signaled(i32),
    /// The command has ended, but not all of its processes.
    Survivors,
}

impl SupervisorAnswer {
    /// Returns the answer that the command did not start.
    pub(super) fn failure(error: &io::Error) -> Self {
        Self::NotStarted { code: error.raw_os_error(), reason: error.to_string() }
    }
}

/// The request to end the command by SIGTERM; the end of the input is the request to kill it.
pub(crate) const TERMINATE: u8 = b't';

/// Returns a message as its line of JSON, with the line end.
///
/// Fails if the message cannot be written as JSON, which its types exclude.
pub(crate) fn encode<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Returns the messages in `bytes`, one a line; empty lines are skipped.
///
/// Fails with an error of kind `InvalidData` or `UnexpectedEof` for the first line that is no message.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<Vec<T>> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| Ok(serde_json::from_slice(line)?)).collect()
}
