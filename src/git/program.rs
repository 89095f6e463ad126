//! Runs the git program with hooks off, a fixed locale and no prompts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{GitError, GitFault};
use crate::system::{CommandSpec, End, Stream, System};
use crate::text::Masker;

/// Time limit of a command that stays on this machine.
const LOCAL: Duration = Duration::from_mins(2);
/// Time limit of one that talks to a remote.
const NETWORK: Duration = Duration::from_mins(10);
/// Longest output read, in bytes.
const MAX_OUTPUT: u64 = 256 * 1024 * 1024;

/// Options of every call: nothing that the repository configured is run, nothing prompts.
const ALWAYS: [&str; 10] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "protocol.ext.allow=never",
    "-c",
    "gc.auto=0",
    "-c",
    "advice.graftFileDeprecated=false",
];

/// The git program in one repository.
pub struct Git<'a> {
    pub(super) system: System<'a>,
    pub(super) masker: &'a Masker,
    /// The top of the working tree.
    top: PathBuf,
    /// From there to the folder that the run works in, with a `/` at its end; empty at the top.
    prefix: String,
    environment: &'a [(String, String)],
}

impl<'a> Git<'a> {
    /// Finds the repository that `folder` is in. `environment` is the user's own: git and its
    /// credential helpers see all of it but our own variables.
    pub fn open(
        system: System<'a>,
        folder: &Path,
        environment: &'a [(String, String)],
        masker: &'a Masker,
    ) -> Result<Self, GitError> {
        let prefix = String::new();
        let mut git = Self { system, masker, top: folder.to_owned(), prefix, environment };
        let doing = "find the git repository";
        let said = git.run_local(doing, &["rev-parse", "--show-toplevel", "--show-prefix"], &[])?;
        let mut lines = said.lines();
        let top = lines.next().filter(|top| !top.is_empty());
        let top = top.ok_or_else(|| {
            GitError::new(doing, GitFault::NoRepository, "the repository has no working tree")
        })?;
        lines.next().unwrap_or_default().clone_into(&mut git.prefix);
        git.top = PathBuf::from(top);
        Ok(git)
    }

    /// Returns git run in a folder that need not be a repository.
    pub fn in_folder(
        system: System<'a>,
        folder: &Path,
        environment: &'a [(String, String)],
        masker: &'a Masker,
    ) -> Self {
        Self { system, masker, top: folder.to_owned(), prefix: String::new(), environment }
    }

    /// Returns the top of the working tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Returns the path from there to the folder that the run works in, with a `/` at its end.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Runs a command that stays on this machine and returns what it prints on stdout.
    pub(super) fn run_local(
        &self,
        doing: &str,
        arguments: &[&str],
        variables: &[(String, String)],
    ) -> Result<String, GitError> {
        let bytes = self.run_git(doing, arguments, variables, LOCAL)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The same, as bytes.
    pub(super) fn local_bytes(&self, doing: &str, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        self.run_git(doing, arguments, &[], LOCAL)
    }

    /// Runs a command that talks to a remote.
    pub(super) fn run_network(
        &self,
        doing: &str,
        arguments: &[&str],
        variables: &[(String, String)],
    ) -> Result<String, GitError> {
        let bytes = self.run_git(doing, arguments, variables, NETWORK)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns variables that append configuration to that of the environment. Secret settings must
    /// not be arguments, which every user of the machine can read.
    pub(super) fn with_configuration(&self, pairs: &[(String, String)]) -> Vec<(String, String)> {
        let count = self.environment.iter().find(|(name, _)| name == "GIT_CONFIG_COUNT");
        let first: usize = count.and_then(|(_, count)| count.parse().ok()).unwrap_or(0);
        let mut variables =
            vec![("GIT_CONFIG_COUNT".to_owned(), (first + pairs.len()).to_string())];
        for (index, (key, value)) in pairs.iter().enumerate() {
            let number = first + index;
            variables.push((format!("GIT_CONFIG_KEY_{number}"), key.clone()));
            variables.push((format!("GIT_CONFIG_VALUE_{number}"), value.clone()));
        }
        variables
    }

    /// Returns true when the user's environment sets a variable.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        self.environment.iter().any(|(known, value)| known == name && !value.is_empty())
    }

    fn run_git(
        &self,
        doing: &str,
        arguments: &[&str],
        variables: &[(String, String)],
        timeout: Duration,
    ) -> Result<Vec<u8>, GitError> {
        let words = std::iter::once("git").chain(ALWAYS).chain(arguments.iter().copied());
        let fixed = [
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TRACE_REDACT", "1"),
        ];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let foreign = self.environment.iter().filter(|(name, _)| !name.starts_with("PAPAYU_"));
        let spec = CommandSpec {
            argv: words.map(str::to_owned).collect(),
            cwd: self.top.clone(),
            env: fixed.into_iter().chain(variables.iter().cloned()).collect(),
            keep_env: foreign.map(|(name, _)| name.clone()).collect(),
            timeout,
            max_output: MAX_OUTPUT,
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut take = |stream, bytes: &[u8]| match stream {
            Stream::Out => out.extend_from_slice(bytes),
            Stream::Err => err.extend_from_slice(bytes),
        };
        let end = self.system.process.run_apart(&spec, &mut take);
        let end = end.map_err(|error| GitError::new(doing, GitFault::NoGit, error.to_string()))?;
        let fault = |fault, said: &str| Err(GitError::new(doing, fault, said));
        match end {
            End::Code(0) => Ok(out),
            End::Interrupted => fault(GitFault::Interrupted, "a signal ended it"),
            End::TimedOut => fault(GitFault::Network, "it does not end in time"),
            End::TooMuchOutput => fault(GitFault::Other, "it prints too much"),
            End::Code(_) | End::Signal(_) => {
                let words =
                    [String::from_utf8_lossy(&out), String::from_utf8_lossy(&err)].join("\n");
                Err(GitError::from_output(doing, &self.masker.mask(&words)))
            }
        }
    }
}
