//! Runs the user's own command: without a shell unless it needs one, within limits.

use std::io;
use std::path::Path;
use std::time::Duration;

use papayu_base::domain::FailureReport;
use papayu_base::domain::outcome::{CheckRecord, TestCounts};
use papayu_system::{CommandSpec, Confinement, End, NetworkMode, System};

use super::{RunnerOptions, failures_line_list};

/// The limits a command runs under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyConfig {
    /// After this long every process of the command is ended.
    pub timeout: Duration,
    /// After this many bytes of output, too.
    pub max_output: u64,
    /// Names of variables that the command sees although they look like secrets.
    pub keep_env: Vec<String>,
    /// When the command has the network.
    pub network: NetworkMode,
    /// Options for test runners.
    pub runner_options: RunnerOptions,
    /// Variables with which tools find what was installed for the project.
    pub variables: Vec<(String, String)>,
}

/// The end of one run of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The exit code, or why there is none.
    pub end: End,
    /// Wall time in milliseconds.
    pub ms: u64,
}

impl Ran {
    /// Returns true when the command passed.
    /// A timeout, a signal and too much output are failures.
    pub fn passed(&self) -> bool {
        self.end == End::Code(0)
    }

    /// Returns the record of the run for `outcome.json`; `report` is the failure report of its
    /// output, `tests` the totals of the tests in it.
    pub fn check_record(
        &self,
        command: &str,
        report: &FailureReport,
        tests: Option<TestCounts>,
    ) -> CheckRecord {
        CheckRecord {
            command: command.to_owned(),
            exit_code: match self.end {
                End::Code(code) => Some(code),
                // A command that a limit or a signal ended has no exit code of its own.
                _ => None,
            },
            timed_out: self.end == End::TimedOut,
            failures: failures_line_list(report),
            tests,
            ms: self.ms,
        }
    }
}

/// Why a command could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// There are no words in it.
    #[error("the command is empty")]
    Empty,
    /// It did not start: the program does not exist, or may not be run.
    #[error("the command `{command}` did not start: {source}")]
    NotStarted {
        /// As the user wrote it.
        command: String,
        /// Why not; names the program.
        source: io::Error,
    },
}

impl VerifyError {
    /// Returns the next step for a person.
    pub fn hint(&self) -> String {
        let Self::NotStarted { command, source } = self else {
            return "name a command with `--run`".to_owned();
        };
        let program = split_command(command).and_then(|words| words.into_iter().next());
        let program = program.unwrap_or_default();
        let is_path = program.contains('/');
        match source.kind() {
            io::ErrorKind::NotFound if is_path => format!(
                "`{program}` is not there, or the program that its first line names is not; correct `--run`, which starts in the repository's folder"
            ),
            io::ErrorKind::NotFound => format!(
                "install `{program}` where the command runs, or name another command with `--run`"
            ),
            io::ErrorKind::PermissionDenied if is_path => format!(
                "make it executable (`chmod +x {program}`, and `git update-index --chmod=+x {program}` for the commit), or name another command with `--run`"
            ),
            _ => "name another command with `--run`".to_owned(),
        }
    }
}

/// Runs `command` in `root` and hands its output over as it comes. Returns how it ended, with no
/// process of it left; a command that fails, or is ended at a limit, is not an error.
///
/// # Errors
///
/// [`VerifyError::Empty`] for a command without words, [`VerifyError::NotStarted`] if the
/// program is missing or may not be run.
pub fn run_command(
    system: System<'_>,
    root: &Path,
    command: &str,
    config: &VerifyConfig,
    on_output: &mut dyn FnMut(&[u8]),
) -> Result<Ran, VerifyError> {
    let spec = CommandSpec {
        argv: split_command(command).ok_or(VerifyError::Empty)?,
        cwd: root.to_owned(),
        // Python compares sources by second and size, so the bytecode of the red run would be used
        // for the fixed file.
        env: [("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned())]
            .into_iter()
            .chain(config.runner_options.variables(command))
            .chain(config.variables.iter().cloned())
            .collect(),
        keep_env: config.keep_env.clone(),
        timeout: config.timeout,
        max_output: config.max_output,
        confinement: Some(Confinement {
            tree: root.to_owned(),
            is_read_only: false,
            network: config.network.into(),
        }),
    };
    // The monotonic clock: a correction of the wall clock changes no duration.
    let start = system.clock.elapsed();
    let end = system
        .process
        .run(&spec, on_output)
        .map_err(|source| VerifyError::NotStarted { command: command.to_owned(), source })?;
    let time = system.clock.elapsed().saturating_sub(start);
    Ok(Ran { end, ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX) })
}

/// Returns program and arguments of a command line, `sh -c` where only a shell understands it;
/// `None` when it has no words.
pub fn split_command(command: &str) -> Option<Vec<String>> {
    if command.trim().is_empty() {
        return None;
    }
    // Without a shell, signals reach the command itself and quoting cannot be misread.
    match shlex::split(command) {
        // Words of the quoting rules of POSIX; a command that breaks them is left to the shell.
        Some(words) if !needs_shell(command, &words) => Some(words).filter(|it| !it.is_empty()),
        _ => Some(vec!["sh".into(), "-c".into(), command.into()]),
    }
}

/// Characters that have a meaning for a shell. Inside quotes some of them do not, but there a shell
/// splits the same words.
const SPECIAL: &[char] =
    &['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', ']', '#', '~', '\n'];

/// First words that are no programs.
const BUILT_IN: &[&str] = &[
    "!", ".", ":", "{", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if",
    "set", "source", "trap", "type", "ulimit", "umask", "unset", "until", "wait", "while",
];

/// Returns `true` if only a shell can run the command: it has special characters, a built-in or an assignment.
fn needs_shell(command: &str, words: &[String]) -> bool {
    // `A=1 make` is an assignment, which only a shell understands.
    let first = words.first().map_or("", String::as_str);
    command.contains(SPECIAL) || BUILT_IN.contains(&first) || is_assignment(first)
}

/// Returns `true` for a word such as `A=1`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_need_no_shell() {
        for (command, expected) in [
            ("npm test", &["npm", "test"][..]),
            (
                "  cargo  test --all -- --nocapture ",
                &["cargo", "test", "--all", "--", "--nocapture"],
            ),
            ("pytest -k 'a and b'", &["pytest", "-k", "a and b"]),
            (r#"sh -c "exit 3""#, &["sh", "-c", "exit 3"]),
            (r"echo a\ b 'щ'", &["echo", "a b", "щ"]),
            ("make CFLAGS=-O2", &["make", "CFLAGS=-O2"]),
            ("''", &[""]),
        ] {
            assert_eq!(split_command(command).unwrap(), expected, "{command}");
        }
    }

    #[test]
    fn what_only_a_shell_understands_goes_to_one() {
        for command in [
            "a | b", "a && b", "a; b", "a > out", "(a)", "echo $HOME", "`a`", "ls *.rs", "ls a?",
            "ls [ab]", "a # b", "ls ~", "CI=1 npm test", "a\nb", "cd sub", "exit 1", "it's broken",
        ] {
            assert_eq!(split_command(command).unwrap(), ["sh", "-c", command], "{command}");
        }
    }

    #[test]
    fn nothing_is_no_command() {
        for command in ["", " ", "\n\t"] {
            assert_eq!(split_command(command), None, "{command:?}");
        }
    }
}
