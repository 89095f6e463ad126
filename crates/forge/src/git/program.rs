//! Runs one git program with hooks and replacement objects off, a fixed locale and no prompts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{GitError, GitFault};
use super::head::HeadPlace;
use papayu_base::text::Masker;
use papayu_system::{CommandNetwork, CommandSpec, Confinement, End, Stream, System};

/// Time limit of a command that stays on this machine.
const LOCAL: Duration = Duration::from_mins(2);
/// Time limit of one that talks to a remote.
const NETWORK: Duration = Duration::from_mins(10);
/// Longest output read, in bytes.
const MAX_OUTPUT: u64 = 256 * 1024 * 1024;

/// Options of every call: nothing that the repository configured is run, nothing prompts.
const ALWAYS: [&str; 15] = [
    "--no-pager",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "protocol.ext.allow=never",
    "-c",
    "gc.auto=0",
    "-c",
    "core.protectHFS=true",
    "-c",
    "core.protectNTFS=true",
    "-c",
    "advice.graftFileDeprecated=false",
];

/// Variables of every call. Replacement objects and grafts would show another tree under the name of
/// a commit than the one that is pushed.
const VARIABLES: [(&str, &str); 9] = [
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // `git status` would refresh the user's index and lock it meanwhile.
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TRACE_REDACT", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // A file may have the name `*` or `:(top)a`, which are patterns otherwise.
    ("GIT_LITERAL_PATHSPECS", "1"),
    // An editor would wait for a person; with `false` git ends with an error.
    ("GIT_EDITOR", "false"),
];

/// The repository that a folder is in, and the program git, as they were found before the repository's code ran.
#[derive(Clone, Debug)]
pub struct GitPlace {
    /// The top of the working tree.
    top: PathBuf,
    /// From there to the folder that the run works in, with a `/` at its end; empty at the top.
    prefix: String,
    /// The program; `None` where there is none.
    program: Option<PathBuf>,
    /// The folders that programs of git are searched in.
    search_path: String,
    /// The place of `HEAD`; `None` for a folder that need not be a repository.
    head: Option<HeadPlace>,
}

impl GitPlace {
    /// Returns the place of `HEAD`; `None` for a folder that need not be a repository.
    pub fn head(&self) -> Option<&HeadPlace> {
        self.head.as_ref()
    }
}

/// The git program in one repository.
pub struct Git<'a> {
    pub(super) system: System<'a>,
    pub(super) masker: &'a Masker,
    place: GitPlace,
    environment: &'a [(String, String)],
    /// True when commands that stay on this machine may not reach a remote.
    is_offline: bool,
    /// The network of commands that read the working tree, and with them run programs of its configuration.
    network: CommandNetwork,
}

/// The way in which one command runs.
struct GitCall<'c> {
    /// Names in errors what it is for.
    doing: &'c str,
    arguments: &'c [&'c str],
    variables: &'c [(String, String)],
    timeout: Duration,
    /// The sandbox of a command that reads the working tree.
    confinement: Option<Confinement>,
}

impl<'a> Git<'a> {
    /// Finds the repository that `folder` is in. `environment` is the user's own: git and its
    /// credential helpers see all of it but our own variables.
    ///
    /// # Errors
    ///
    /// [`GitFault::NoGit`] if `PATH` has no git outside the repository, and [`GitFault::NoRepository`] if the
    /// folder is in no repository, or in one without a working tree.
    pub fn open(
        system: System<'a>,
        folder: &Path,
        environment: &'a [(String, String)],
        masker: &'a Masker,
    ) -> Result<Self, GitError> {
        let mut git = Self::in_folder(system, folder, environment, masker);
        let doing = "find the git repository";
        let mut words =
            "rev-parse --show-toplevel --show-prefix --path-format=absolute --git-dir --git-common-dir HEAD^{commit}"
                .split(' ').collect::<Vec<_>>();
        let output = git.run_local(doing, &words, &[]).or_else(|_| {
            // A repository without a commit has no such last line.
            words.pop();
            git.run_local(doing, &words, &[])
        })?;
        let mut lines = output.lines();
        let top = lines.next().filter(|top| !top.is_empty());
        let top = top.ok_or_else(|| {
            GitError::new(doing, GitFault::NoRepository, "the repository has no working tree")
        })?;
        lines.next().unwrap_or_default().clone_into(&mut git.place.prefix);
        git.place.top = PathBuf::from(top);
        git.place.head = HeadPlace::of_lines(lines);
        Ok(git)
    }

    /// Returns git run in a folder that need not be a repository.
    pub fn in_folder(
        system: System<'a>,
        folder: &Path,
        environment: &'a [(String, String)],
        masker: &'a Masker,
    ) -> Self {
        let folders = search_folders(environment, folder);
        let program = folders.iter().map(|at| at.join("git")).find(|it| system.disk.is_file(it));
        let folders: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
        let (top, search_path) = (folder.to_owned(), folders.join(":"));
        let place = GitPlace { top, prefix: String::new(), program, search_path, head: None };
        Self::at_place(system, place, environment, masker)
    }

    /// Returns git in a repository that [`open`](Self::open) found earlier.
    pub fn at_place(
        system: System<'a>,
        place: GitPlace,
        environment: &'a [(String, String)],
        masker: &'a Masker,
    ) -> Self {
        let network = CommandNetwork::On;
        Self { system, masker, place, environment, is_offline: false, network }
    }

    /// Returns the repository and the program.
    pub fn place(&self) -> &GitPlace {
        &self.place
    }

    /// Returns the same program in another folder.
    pub(super) fn elsewhere(&self, folder: &Path) -> Self {
        let place = GitPlace {
            top: folder.to_owned(),
            prefix: String::new(),
            head: None,
            ..self.place.clone()
        };
        Self::at_place(self.system, place, self.environment, self.masker)
    }

    /// Returns the same, with commands that stay on this machine kept from fetching what a partial
    /// clone lacks: the repository's code may have changed the program that a fetch starts.
    #[must_use]
    pub fn without_fetches(self) -> Self {
        Self { is_offline: true, ..self }
    }

    /// Returns the same with this network for commands that read the working tree.
    #[must_use]
    pub fn with_network(self, network: CommandNetwork) -> Self {
        Self { network, ..self }
    }

    /// Returns the path from there to the folder that the run works in, with a `/` at its end.
    pub fn prefix(&self) -> &str {
        &self.place.prefix
    }

    /// Runs a command that stays on this machine and returns what it prints on stdout. It has two minutes.
    ///
    /// Fails with the [`GitFault`] that git's own message names, [`GitFault::NoGit`] if git cannot start, and
    /// [`GitFault::Interrupted`] after a signal. The message is masked.
    pub(super) fn run_local(
        &self,
        doing: &str,
        arguments: &[&str],
        variables: &[(String, String)],
    ) -> Result<String, GitError> {
        let call = GitCall { doing, arguments, variables, timeout: LOCAL, confinement: None };
        Ok(String::from_utf8_lossy(&self.run_git(&call)?).into_owned())
    }

    /// Runs a command that compares the working tree, in the sandbox. Git runs the filter programs of the configuration
    /// for changed files, also of the configuration that a submodule brings.
    ///
    /// Fails as [`run_local`](Self::run_local) does.
    pub(super) fn run_in_tree(&self, doing: &str, arguments: &[&str]) -> Result<String, GitError> {
        let confinement = Confinement {
            tree: self.place.top.clone(),
            is_read_only: false,
            network: self.network,
        };
        let confinement = Some(confinement);
        let call = GitCall { doing, arguments, variables: &[], timeout: LOCAL, confinement };
        Ok(String::from_utf8_lossy(&self.run_git(&call)?).into_owned())
    }

    /// Does the same as [`run_local`](Self::run_local), and returns bytes.
    ///
    /// Fails as that does, and with [`GitFault::Other`] if there are more than 256 MiB.
    pub(super) fn local_bytes(&self, doing: &str, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        self.run_git(&GitCall {
            doing,
            arguments,
            variables: &[],
            timeout: LOCAL,
            confinement: None,
        })
    }

    /// Runs a command that talks to a remote, for at most ten minutes. `variables` are added to its
    /// environment; they have the credentials.
    ///
    /// Fails as [`run_local`](Self::run_local) does; a command that does not end in time fails with
    /// [`GitFault::Network`].
    pub(super) fn run_network(
        &self,
        doing: &str,
        arguments: &[&str],
        variables: &[(String, String)],
    ) -> Result<String, GitError> {
        let call = GitCall { doing, arguments, variables, timeout: NETWORK, confinement: None };
        Ok(String::from_utf8_lossy(&self.run_git(&call)?).into_owned())
    }

    /// Returns variables that append configuration to that of the environment. Secret settings must
    /// not be arguments, which every user of the machine can read.
    pub(super) fn with_configuration(&self, pairs: &[(String, String)]) -> Vec<(String, String)> {
        let count = self.environment.iter().find(|(name, _)| name == "GIT_CONFIG_COUNT");
        // Appended to what is there: CI jobs pass configuration in the same variables.
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

    /// Runs git and returns its standard output.
    fn run_git(&self, call: &GitCall<'_>) -> Result<Vec<u8>, GitError> {
        let doing = call.doing;
        let spec = self.command_spec(call)?;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut take = |stream, bytes: &[u8]| match stream {
            Stream::Out => out.extend_from_slice(bytes),
            Stream::Err => err.extend_from_slice(bytes),
        };
        let end = self.system.process.run_apart(&spec, &[], &mut take);
        let end = end.map_err(|error| GitError::new(doing, GitFault::NoGit, error.to_string()))?;
        let fault = |fault, message: &str| Err(GitError::new(doing, fault, message));
        match end {
            End::Code(0) => Ok(out),
            End::Interrupted => fault(GitFault::Interrupted, "a signal ended it"),
            End::TimedOut => fault(GitFault::Network, "it does not end in time"),
            End::TooMuchOutput => fault(GitFault::Other, "it prints too much"),
            End::Code(_) | End::Signal(_) => {
                let words =
                    // Git writes some refusals to stdout, for example "nothing to commit".
                    [String::from_utf8_lossy(&out), String::from_utf8_lossy(&err)].join("\n");
                Err(GitError::from_output(doing, &self.masker.mask(&words)))
            }
        }
    }

    /// Returns the command with its environment.
    fn command_spec(&self, call: &GitCall<'_>) -> Result<CommandSpec, GitError> {
        let program = self.place.program.as_ref().ok_or_else(|| {
            GitError::new(
                call.doing,
                GitFault::NoGit,
                "no absolute folder of `PATH` has a program `git`",
            )
        })?;
        let program = program.to_string_lossy().into_owned();
        let words = ALWAYS.into_iter().chain(call.arguments.iter().copied()).map(str::to_owned);
        let path = ("PATH", self.place.search_path.as_str());
        let no_transport = Some(("GIT_ALLOW_PROTOCOL", "none"))
            .filter(|_| self.is_offline && call.timeout == LOCAL);
        let fixed = VARIABLES.into_iter().chain([path]).chain(no_transport);
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let foreign = self.environment.iter().filter(|(name, _)| !name.starts_with("PAPAYU_"));
        let kept = match call.confinement {
            // Secrets do not enter the sandbox.
            Some(_) => Vec::new(),
            None => foreign.map(|(name, _)| name.clone()).collect(),
        };
        Ok(CommandSpec {
            argv: std::iter::once(program).chain(words).collect(),
            cwd: self.place.top.clone(),
            env: fixed.chain(call.variables.iter().cloned()).collect(),
            keep_env: kept,
            timeout: call.timeout,
            max_output: MAX_OUTPUT,
            confinement: call.confinement.clone(),
        })
    }
}

/// Returns the absolute folders of `PATH` that are not in the repository: a program that the
/// repository brings is never git, nor a helper of git.
fn search_folders(environment: &[(String, String)], repository: &Path) -> Vec<PathBuf> {
    let path = environment.iter().find(|(name, _)| name == "PATH");
    let folders = path.map(|(_, value)| value.split(':')).into_iter().flatten().map(PathBuf::from);
    let is_foreign = |folder: &PathBuf| folder.is_absolute() && !folder.starts_with(repository);
    folders.filter(is_foreign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_searched_in_absolute_folders_outside_the_repository() {
        let path = "/usr/bin:.:bin::/r/node_modules/.bin:/r:/rest/bin".to_owned();
        let environment = [("PATH".to_owned(), path)];
        let found = search_folders(&environment, Path::new("/r"));
        assert_eq!(found, [Path::new("/usr/bin"), Path::new("/rest/bin")]);
        assert!(search_folders(&[], Path::new("/r")).is_empty());
    }
}
