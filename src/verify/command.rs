//! The user's command, split into words, with a shell only where the command needs one.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::system::{CommandSpec, End, System};

/// Limits on the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyConfig {
    /// After this long its whole process group is ended.
    pub timeout: Duration,
    /// After this many bytes of output likewise.
    pub max_output: u64,
    /// Variables it keeps although they look like secrets.
    pub keep_env: Vec<String>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// By itself or by a limit.
    pub end: End,
    /// Wall time in milliseconds.
    pub ms: u64,
}

/// A command that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot run `{command}`: {kind}")]
pub struct VerifyError {
    /// As the user wrote it.
    pub command: String,
    /// Why.
    pub kind: io::Error,
}

/// Runs the command in `root`; its output is handed over as it comes.
pub fn run(
    system: System<'_>,
    root: &Path,
    command: &str,
    config: &VerifyConfig,
    output: &mut dyn FnMut(&[u8]),
) -> Result<Ran, VerifyError> {
    let fault = |kind| VerifyError { command: command.to_owned(), kind };
    let argv = words(command);
    if argv.is_empty() {
        return Err(fault(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty")));
    }
    let spec = CommandSpec {
        argv,
        cwd: root.to_path_buf(),
        env: Vec::new(),
        keep_env: config.keep_env.clone(),
        timeout: config.timeout,
        max_output: config.max_output,
    };
    let started = system.clock.elapsed();
    let end = system.process.run(&spec, output).map_err(fault)?;
    let ms = system.clock.elapsed().saturating_sub(started).as_millis();
    Ok(Ran { end, ms: u64::try_from(ms).unwrap_or(u64::MAX) })
}

/// Characters that only a shell gives a meaning to.
const SHELL: &str = "|&;<>()$`*?[]#~!{}\n\\";

/// Splits a plain command into words; anything else is left to `sh -c`.
fn words(command: &str) -> Vec<String> {
    let plain = !command.contains(|c| SHELL.contains(c));
    match shlex::split(command).filter(|_| plain) {
        Some(words) if !words.first().is_some_and(|word| word.contains('=')) => words,
        _ if command.trim().is_empty() => Vec::new(),
        _ => vec!["sh".to_owned(), "-c".to_owned(), command.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_shell_is_used_only_where_the_command_needs_one() {
        let plain = |command: &str| words(command).first().is_none_or(|word| word != "sh");
        for command in ["cargo test", "npm test -- --run", "pytest -q 'a b'", "make -C sub check=1"]
        {
            assert!(plain(command), "{command}");
        }
        for command in
            ["a && b", "cd x; y", "A=1 b", "ls *.rs", "echo $HOME", "a | b", "it's", "a\\ b"]
        {
            assert!(!plain(command), "{command}");
        }
        assert_eq!(words("pytest -q 'a b'"), ["pytest", "-q", "a b"]);
        assert_eq!(words("  "), Vec::<String>::new());
    }
}
