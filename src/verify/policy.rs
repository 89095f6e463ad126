//! The allow-list of commands that the user did not write, and the block-list that overrides it.

use std::path::Path;

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

/// A command that is blocked: the program, its first word that is no option, and options of which
/// one of each group must be there.
struct BlockedCommand {
    name: &'static str,
    program: &'static str,
    word: Option<&'static str>,
    options: &'static [&'static [&'static str]],
}

const fn rule(
    name: &'static str,
    program: &'static str,
    word: Option<&'static str>,
    options: &'static [&'static [&'static str]],
) -> BlockedCommand {
    BlockedCommand { name, program, word, options }
}

const FORCE: &[&str] = &["-f", "--force"];

/// The block-list: what never runs without a person.
const BLOCKED: &[BlockedCommand] = &[
    rule("rm -rf", "rm", None, &[&["-r", "-R", "--recursive"], FORCE]),
    rule("git push --force", "git", Some("push"), &[&["-f", "--force", "--force-with-lease"]]),
    rule("git reset --hard", "git", Some("reset"), &[&["--hard"]]),
    rule("git clean -fd", "git", Some("clean"), &[FORCE, &["-d"]]),
    rule("npm publish", "npm", Some("publish"), &[]),
    rule("npm publish", "pnpm", Some("publish"), &[]),
    rule("npm publish", "yarn", Some("publish"), &[]),
    rule("sudo", "sudo", None, &[]),
    rule("chmod", "chmod", None, &[]),
    rule("chown", "chown", None, &[]),
];

/// Programs with another command as their arguments.
const RUNNERS: &[&str] = &["npx", "npm", "pnpm", "yarn"];

/// Options of git that precede its subcommand and take a value.
const GIT_VALUES: &[&str] = &["-C", "--git-dir", "--work-tree", "--namespace"];

/// Options of git that name a program to run.
const GIT_PROGRAMS: &[&str] = &["-c", "--config-env", "--exec-path"];

/// Checks a command that the user did not write; `argv` is the program and its arguments, `builds` the commands of the
/// project's kind.
///
/// # Errors
///
/// [`Blocked::Forbidden`] if the command, or a command that a runner such as `npx` would start, is on the
/// block-list, which comes first; [`Blocked::NotAllowed`] if it is neither a tool nor in `builds`, or an option of git
/// names a program.
pub fn check_tool(argv: &[String], builds: &[BuildCommand]) -> Result<(), Blocked> {
    let command = || argv.join(" ");
    let program = program_of(argv);
    // `npx rm -rf x` runs `rm`: every word may begin the inner command.
    let inner = if RUNNERS.contains(&program) { argv.len() } else { 1 };
    for start in 0..inner {
        let words = argv.get(start..).unwrap_or(&[]);
        if let Some(rule) = BLOCKED.iter().find(|rule| rule.matches(words)) {
            return Err(Blocked::Forbidden { command: command(), rule: rule.name });
        }
    }
    let words = || argv.iter().map(String::as_str);
    let listed = words().next().is_some_and(|program| TOOLS.contains(&program))
        || builds.iter().any(|build| build.matches(argv));
    let configures = program == "git"
        && words()
            // Only options before the subcommand belong to git itself.
            .skip(1)
            .take_while(|word| word.starts_with('-'))
            .any(|word| GIT_PROGRAMS.iter().any(|option| word.starts_with(option)));
    if listed && !configures {
        return Ok(());
    }
    Err(Blocked::NotAllowed { command: command() })
}

impl BlockedCommand {
    /// Returns `true` if a command is the program with the word and all options of the rule; `argv` has the
    /// program first.
    fn matches(&self, argv: &[String]) -> bool {
        let Some((_, arguments)) = argv.split_first() else { return false };
        // `-rf` is both `-r` and `-f`.
        let options: Vec<String> = arguments.iter().flat_map(|word| options_of(word)).collect();
        let word = first_word(arguments);
        program_of(argv) == self.program
            && self.word.is_none_or(|wanted| word == Some(wanted))
            && self.options.iter().all(|group| {
                group.iter().any(|wanted| options.iter().any(|option| option == wanted))
            })
    }
}

/// Returns the program's name without its folder, so that `/bin/rm` is `rm`.
fn program_of(argv: &[String]) -> &str {
    let program = argv.first().map_or("", String::as_str);
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program)
}

/// Returns the first argument that is neither an option nor the value of one: a subcommand.
fn first_word(arguments: &[String]) -> Option<&str> {
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        // The next word is the value of the option and no subcommand.
        if GIT_VALUES.contains(&word) {
            rest.next();
        } else if !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// Returns `-r` and `-f` of `-rf`, and `--force` of `--force=x`. A refspec that begins with `+` is
/// a forced push in another spelling.
fn options_of(word: &str) -> Vec<String> {
    if word.starts_with("--") {
        return vec![word.split('=').next().unwrap_or(word).to_owned()];
    }
    match word.strip_prefix('-') {
        // Options of one letter can be joined.
        Some(letters) => letters.chars().map(|letter| format!("-{letter}")).collect(),
        None if word.starts_with('+') => vec!["--force".to_owned()],
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::ProjectKind;

    fn check(command: &str) -> Result<(), Blocked> {
        let every: Vec<_> =
            ProjectKind::all().flat_map(ProjectKind::build_commands).copied().collect();
        check_tool(&shlex::split(command).unwrap(), &every)
    }

    #[test]
    fn detected_commands_and_tools_run() {
        for command in [
            "cargo test",
            "cargo clippy --all-targets -- -D warnings",
            "npm test",
            "npm run lint",
            "npx tsc --noEmit",
            "python3 -m pytest -q",
            "go test ./...",
            "mvn -B test",
            "./mvnw -B test",
            "gradle test",
            "./gradlew test",
            "dotnet test",
            "bundle exec rake test",
            "bundle exec rspec",
            "composer test",
            "vendor/bin/phpunit",
            "bun run test",
            "make check",
            "just test",
            "git status",
            "git -C sub log --oneline",
            "git clean -n",
            "git push origin main",
        ] {
            assert_eq!(check(command), Ok(()), "{command}");
        }
    }

    #[test]
    fn the_block_list_wins_however_it_is_spelt() {
        for (command, rule) in [
            ("rm -rf /", "rm -rf"),
            ("/bin/rm -fr x", "rm -rf"),
            ("rm -r x --force", "rm -rf"),
            ("rm --recursive -vf x", "rm -rf"),
            ("npx rm -Rf x", "rm -rf"),
            ("npm exec -- sudo reboot", "sudo"),
            ("git push --force", "git push --force"),
            ("git push -f origin main", "git push --force"),
            ("git push origin +main", "git push --force"),
            ("git push --force-with-lease=main", "git push --force"),
            ("git -C sub reset --hard HEAD~1", "git reset --hard"),
            ("git clean -fd", "git clean -fd"),
            ("git clean -xdf", "git clean -fd"),
            ("git clean -d --force", "git clean -fd"),
            ("npm publish --dry-run", "npm publish"),
            ("npm --silent publish", "npm publish"),
            ("sudo cargo test", "sudo"),
            ("chmod +x a", "chmod"),
            ("chown root a", "chown"),
        ] {
            let command_text = command.to_owned();
            let expected = Err(Blocked::Forbidden { command: command_text, rule });
            assert_eq!(check(command), expected, "{command}");
        }
    }

    #[test]
    fn a_command_of_another_kind_of_project_does_not_run() {
        let check = |command: &str, kind: ProjectKind| {
            check_tool(&shlex::split(command).unwrap(), kind.build_commands()).is_ok()
        };
        for (command, kind, is_allowed) in [
            ("cargo test", ProjectKind::Rust, true),
            ("cargo test", ProjectKind::Php, false),
            ("make", ProjectKind::Php, false),
            ("npm test", ProjectKind::Php, true),
            ("npm test", ProjectKind::Unknown, true),
            ("cargo test", ProjectKind::Unknown, false),
        ] {
            assert_eq!(check(command, kind), is_allowed, "{command} {kind:?}");
        }
    }

    #[test]
    fn what_is_not_listed_does_not_run() {
        for command in [
            "rm x", "curl example.org", "sh -c 'npm test'", "cargo publish", "cargo run",
            "python3 x.py", "./npm test", "git -c core.pager=evil log", "git --exec-path=/tmp log",
            "",
        ] {
            let expected =
                Err(Blocked::NotAllowed { command: shlex::split(command).unwrap().join(" ") });
            assert_eq!(check(command), expected, "{command}");
        }
    }
}
