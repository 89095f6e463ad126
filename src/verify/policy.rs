//! The allow-list of commands that the user did not write, and the block-list that overrides it.

use std::path::Path;

use super::subcommands::{Reading, read_git, read_manager};
use crate::project::BuildCommand;

/// Why a command may not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// A rule of the block-list.
    #[error("`{command}` is blocked: `{rule}` never runs without a person")]
    Forbidden {
        /// The command.
        command: String,
        /// The rule.
        rule: &'static str,
    },
    /// It is not on the allow-list.
    #[error("`{command}` is not an allowed command; name it with `--run` to run it")]
    NotAllowed {
        /// The command.
        command: String,
    },
}

/// Programs that may run in every project. The project's kind adds the commands that build and test it.
const TOOLS: &[&str] = &[
    "npm", "pnpm", "yarn", "git", "node", "npx", "tsx", "vitest", "jest", "tsc", "eslint",
    "prettier",
];

/// A command that is blocked: the program, and options of which one of each group must be there.
struct BlockedCommand {
    name: &'static str,
    program: &'static str,
    options: &'static [&'static [&'static str]],
}

const fn rule(
    name: &'static str,
    program: &'static str,
    options: &'static [&'static [&'static str]],
) -> BlockedCommand {
    BlockedCommand { name, program, options }
}

const RECURSIVE: &[&str] = &["-r", "-R", "--recursive"];

/// The block-list: what never runs without a person.
const BLOCKED: &[BlockedCommand] = &[
    rule("rm -r", "rm", &[RECURSIVE]),
    rule("rm -r", "rimraf", &[]),
    rule("find -delete", "find", &[&["-delete"]]),
    rule("tar --remove-files", "tar", &[&["--remove-files"]]),
    rule("zip -m", "zip", &[&["-m", "--move"]]),
    // It would download the program.
    rule("npx --yes", "npx", &[&["-y", "--yes"]]),
    rule("sudo", "sudo", &[]),
    rule("chmod", "chmod", &[]),
    rule("chown", "chown", &[]),
];

/// Programs with another command as their arguments, which is then no name of something else.
const RUNNERS: &[&str] = &[
    "npx", "npm", "pnpm", "yarn", "bunx", "shx", "env", "nice", "ionice", "nohup", "time",
    "timeout", "stdbuf", "setsid", "xargs", "parallel", "busybox", "toybox", "find", "watch",
    "command", "exec", "sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "csh", "tcsh", "pwsh",
];

/// Those that run it for each of many files.
const SWEEPERS: &[&str] = &["find", "fd", "xargs", "parallel"];

/// Checks a command that the user did not write; `argv` is the program and its arguments, `builds` the commands of the
/// project's kind.
///
/// # Errors
///
/// [`Blocked::Forbidden`] if the command, or a command in its arguments, is on the block-list, which comes first; [`Blocked::NotAllowed`] if it is neither a tool nor in `builds`, or has a sub-command or
/// an option that is not listed.
pub fn check_tool(argv: &[String], builds: &[BuildCommand]) -> Result<(), Blocked> {
    let command = || argv.join(" ");
    let program = program_of(argv);
    // `npx rm -rf x` runs `rm`: every word may begin the inner command.
    let is_known = TOOLS.contains(&program)
        || builds.iter().any(|build| build.words().first() == Some(&program));
    let runs_another = RUNNERS.contains(&program) || !is_known;
    let inner_words = split_inner(argv, runs_another);
    let sweeps =
        inner_words.iter().any(|word| SWEEPERS.contains(&program_of(std::slice::from_ref(word))));
    if runs_another
        && sweeps
        && inner_words.iter().any(|word| program_of(std::slice::from_ref(word)) == "rm")
    {
        return Err(Blocked::Forbidden { command: command(), rule: "rm -r" });
    }
    for start in 0..inner_words.len() {
        let words = inner_words.get(start..).unwrap_or(&[]);
        let is_command = start == 0 || runs_another;
        // Any program may run its arguments; a word alone, such as `chmod`, may also be the name of a test.
        let of_rule = |rule: &&BlockedCommand| is_command || !rule.options.is_empty();
        let rule = BLOCKED.iter().filter(of_rule).find(|rule| rule.matches(words));
        let rule = rule.map(|rule| rule.name).or_else(|| read_subcommand(words).rule());
        // An option of git that is not listed can hide the sub-command.
        let hidden = || {
            let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            (program == "git").then(|| read_git(&arguments)).and_then(Reading::rule)
        };
        let rule = rule.or_else(hidden);
        if let Some(rule) = rule {
            return Err(Blocked::Forbidden { command: command(), rule });
        }
    }
    let listed = argv.first().is_some_and(|program| TOOLS.contains(&program.as_str()));
    // A command of the project's kind is listed with its words.
    let is_build = builds.iter().any(|build| build.matches(argv));
    if is_build || (listed && read_subcommand(argv) == Reading::Allowed) {
        return Ok(());
    }
    Err(Blocked::NotAllowed { command: command() })
}

/// Options and sub-commands of git before a command line.
const BEFORE_COMMANDS: [&str; 5] = ["-c", "foreach", "-x", "--exec", "run"];

/// Returns the words with those split that are command lines themselves: `env -S 'rm -r x'`, `npm exec -c 'rm -r x'`. The
/// words of a known tool are text, such as the message of a commit.
fn split_inner(argv: &[String], runs_another: bool) -> Vec<String> {
    let split = |(at, word): (usize, &String)| {
        let before = at.checked_sub(1).and_then(|at| argv.get(at));
        let is_command =
            runs_another || before.is_some_and(|it| BEFORE_COMMANDS.contains(&it.as_str()));
        if !is_command || !word.contains(char::is_whitespace) {
            return vec![word.clone()];
        }
        // The option and its value may be one word.
        let value = word.strip_prefix("-S").unwrap_or(word);
        let value = if word.starts_with("--") {
            value.split_once('=').map_or(value, |(_, value)| value)
        } else {
            value
        };
        // A shell begins a command after each of its signs. An open quote makes no command of it.
        let signs = [';', '&', '|', '(', ')', '{', '}', '`', '$', '\n', '!', '='];
        let value = value.replace(signs, " ");
        shlex::split(&value).unwrap_or_else(|| vec![word.clone()])
    };
    argv.iter().enumerate().flat_map(split).collect()
}

/// Reads the sub-command of git or of a package manager; other programs have none.
fn read_subcommand(argv: &[String]) -> Reading {
    let arguments: Vec<&str> = argv.iter().skip(1).map(String::as_str).collect();
    let program = program_of(argv);
    if program == "git" {
        return read_git(&arguments);
    }
    read_manager(program, &arguments).unwrap_or(Reading::Allowed)
}

impl BlockedCommand {
    /// Returns `true` if a command is the program with the word and all options of the rule; `argv` has the
    /// program first.
    fn matches(&self, argv: &[String]) -> bool {
        let Some((_, arguments)) = argv.split_first() else { return false };
        // `-rf` is both `-r` and `-f`.
        let options: Vec<String> = arguments.iter().flat_map(|word| options_of(word)).collect();
        program_of(argv) == self.program
            && self.options.iter().all(|group| {
                group.iter().any(|wanted| options.iter().any(|option| is_option(option, wanted)))
            })
    }
}

/// Returns `true` if an option is the wanted one, or a beginning of its name, which programs accept: `--recurs`.
fn is_option(option: &str, wanted: &str) -> bool {
    let is_short_form = option.len() > 2 && option.starts_with("--") && wanted.starts_with(option);
    option == wanted || is_short_form
}

/// Returns the program's name without its folder, so that `/bin/rm` is `rm`.
fn program_of(argv: &[String]) -> &str {
    let program = argv.first().map_or("", String::as_str);
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program)
}

/// Returns `-r` and `-f` of `-rf`, and `--force` of `--force=x`. A refspec that begins with `+` is
/// a forced push in another spelling.
fn options_of(word: &str) -> Vec<String> {
    if word.starts_with("--") {
        return vec![word.split('=').next().unwrap_or(word).to_owned()];
    }
    match word.strip_prefix('-') {
        // Options of one letter can be joined.
        Some(letters) => {
            let single = letters.chars().map(|letter| format!("-{letter}"));
            // Some programs have options of several letters: `find -delete`.
            single.chain([word.to_owned()]).collect()
        }
        None if word.starts_with('+') => vec!["--force".to_owned()],
        None => Vec::new(),
    }
}

#[cfg(test)]
#[path = "policy/tests.rs"]
mod tests;
