//! Finds the command that failed and its exit code in the words of CI systems and tools.
//!
//! Several programs report the same failure: the tool, the script that ran it, the CI system. The command of the outermost
//! one is what a person would run again; its exit code is that of the job.

use std::sync::LazyLock;

use super::steps::StepState;
use papayu_base::text::{Pattern, first_chars};

/// Most characters of a command.
const MAX_COMMAND_CHARS: usize = 500;

/// Texts of which every line that a row matches contains one.
pub(super) const CUES: &[&str] = &[
    "exit code", "exit status", "xited with ", "*** [", "to rerun pass", "npm ERR! command",
    "npm error command", " failed on line ", "Failure - Main ", "[command]", "Starting: /",
    "Running command ", "Command did not exit", "#!/", "The operation was canceled",
    SCRIPT_HEADING,
];

/// The line of Azure before the lines of a script.
const SCRIPT_HEADING: &str = "Script contents:";

/// The reporter of a command; the outermost one names the command that a person would run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReporterRank {
    /// A tool that was run by another.
    Tool,
    /// A step begins; its command is the one that failed if the run then ends.
    Step,
    /// The CI system, at the end.
    End,
}

/// A form of line with a command, an exit code, or both.
struct InvocationLine {
    /// The reporter.
    rank: ReporterRank,
    /// A part of every line that the pattern matches.
    cue: &'static str,
    /// The pattern with the groups `command` and `code`.
    pattern: &'static str,
    /// The text to put before the command in the line.
    prefix: &'static str,
}

/// Returns a row without a prefix.
const fn invocation_line(
    rank: ReporterRank,
    cue: &'static str,
    pattern: &'static str,
) -> InvocationLine {
    InvocationLine { rank, cue, pattern, prefix: "" }
}

/// The forms, from those of CI systems to those of shells.
const LINES: &[InvocationLine] = &[
    // GitHub, Travis, Buildkite, Azure, CircleCI, GitLab and Jenkins, act
    invocation_line(
        ReporterRank::End,
        "Process completed with exit code",
        r"^(?:Error: )?Process completed with exit code (?P<code>\d{1,9})",
    ),
    invocation_line(
        ReporterRank::End,
        "The operation was canceled",
        r"^(?:Error: )?The operation was canceled\.$",
    ),
    invocation_line(
        ReporterRank::End,
        "The command \"",
        r#"^The command "(?P<command>.+)" (?:failed and )?exited with (?P<code>\d{1,9})"#,
    ),
    invocation_line(
        ReporterRank::End,
        "ommand exited with status",
        r"(?:command|Command) exited with status (?P<code>\d{1,9})",
    ),
    invocation_line(
        ReporterRank::End,
        "exited with code '",
        r"exited with code '(?P<code>\d{1,9})'",
    ),
    invocation_line(
        ReporterRank::End,
        "Exited with code",
        r"^Exited with code (?:exit status )?(?P<code>\d{1,9})",
    ),
    invocation_line(
        ReporterRank::End,
        "exit code",
        r"(?:Job failed: exit code|script returned exit code) (?P<code>\d{1,9})",
    ),
    invocation_line(
        ReporterRank::End,
        "Failure - Main ",
        r"Failure - Main (?P<command>\S.*?)(?: \[[\d.]+m?s\])?$",
    ),
    // CodeBuild, Semaphore
    invocation_line(
        ReporterRank::End,
        "Command did not exit successfully",
        r"Command did not exit successfully (?P<command>\S.*) exit status (?P<code>\d{1,9})$",
    ),
    invocation_line(ReporterRank::End, "exit code: ", r"^exit code: (?P<code>\d{1,9}) duration: "),
    // make, cargo, npm, yarn and pnpm, just, go
    InvocationLine {
        rank: ReporterRank::Tool,
        cue: "*** [",
        pattern: r"^g?make(?:\[\d+\])?: \*\*\* \[(?:[^\]:]+:\d+: )?(?P<command>[^\]\s]+)\] Error (?P<code>\d{1,9})",
        prefix: "make ",
    },
    InvocationLine {
        rank: ReporterRank::Tool,
        cue: "to rerun ",
        pattern: r"test failed, to rerun (?:with )?pass [`'](?P<command>[^`']+)[`']",
        prefix: "cargo test ",
    },
    invocation_line(
        ReporterRank::Tool,
        " command ",
        r"^npm (?:ERR!|error) command (?:(?:ba|da)?sh -c |cmd(?:\.exe)? /d /s /c )(?P<command>\S.*)$",
    ),
    invocation_line(
        ReporterRank::Tool,
        "Command failed with exit code",
        r"Command failed with exit code (?P<code>\d{1,9})",
    ),
    InvocationLine {
        rank: ReporterRank::Tool,
        cue: "Recipe `",
        pattern: r"^error: Recipe `(?P<command>[^`]+)` failed on line \d+ with exit code (?P<code>\d{1,9})",
        prefix: "just ",
    },
    invocation_line(ReporterRank::Tool, "exit status", r"^exit status (?P<code>\d{1,9})$"),
    // a runner's own echo, a shell's `-x`, GitLab and yarn
    invocation_line(ReporterRank::Step, "[command]", r"^\[command\](?P<command>\S.*)$"),
    invocation_line(ReporterRank::Step, "$ ", r"^\$ (?P<command>\S.*)$"),
    invocation_line(
        ReporterRank::Step,
        "+ ",
        r"^\+{1,3} (?P<command>(?:[A-Za-z_]\w*=\S* )*[A-Za-z_.~/][\w.+~/@-]*(?: .*)?)$",
    ),
    // TeamCity, CodeBuild
    invocation_line(
        ReporterRank::Step,
        "Running command ",
        r"^(?:\[Container\] \S+ \S+ )?Running command (?P<command>\S.*)$",
    ),
    invocation_line(ReporterRank::Step, "Starting: /", r"^Starting: (?P<command>/\S.*)$"),
];

/// The compiled patterns, in the order of [`LINES`].
static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| LINES.iter().map(|rule| Pattern::new(rule.pattern)).collect());

/// The command and exit code so far.
#[derive(Debug, Default)]
pub(super) struct FailedCommand {
    /// With the rank of its reporter.
    command: Option<(ReporterRank, String)>,
    /// With the rank of its reporter.
    code: Option<(ReporterRank, i32)>,
    /// The CI system reported the end of the command.
    is_over: bool,
    script: ShownScript,
    /// The lines are those of a difference, which have the mark of a shell's `-x`.
    is_in_difference: bool,
    /// The command before the one in the last line.
    before: Option<(ReporterRank, String)>,
}

/// The part of a script that a CI system shows before it runs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ShownScript {
    #[default]
    None,
    /// Its first command follows.
    Begins,
    /// The command that runs the file of the script follows.
    Shown,
}

impl FailedCommand {
    /// Reads a cleaned line; `is_cued` is `true` if it has one of the cues. Commands of the cleanup are none of the failure.
    pub(super) fn read_line(&mut self, text: &str, state: StepState, is_cued: bool) {
        if self.is_of_difference(text) || self.is_of_script(text) || !is_cued {
            return;
        }
        let mut cued = LINES.iter().zip(&*PATTERNS).filter(|(rule, _)| text.contains(rule.cue));
        let found = cued.find_map(|(rule, form)| Some((form.captures(text)?, rule)));
        let Some((found, rule)) = found else { return };
        self.is_over |= rule.rank == ReporterRank::End && found.len() == 1;
        let command = found.name("command").filter(|it| !is_legend(it.as_str()));
        if let Some(command) = command.filter(|_| state != StepState::Cleanup) {
            self.set_command(rule.rank, &format!("{}{}", rule.prefix, command.as_str()));
        }
        let code = found.name("code").and_then(|code| code.as_str().parse().ok());
        // A tool's own exit code is that of the run only if no outer program reports another.
        if let Some(code) = code.filter(|code| *code != 0)
            // The first code of the highest rank counts; later ones belong to cleanup.
            && self.code.is_none_or(|(rank, _)| rank < rule.rank)
        {
            self.code = Some((rule.rank, code));
        }
    }

    /// Returns `true` for a line of a difference. Takes back the command of the line before if it was its first line.
    fn is_of_difference(&mut self, text: &str) -> bool {
        // `ls -l` prints modes, and runners print rules of dashes.
        let is_removed = text.starts_with('-') && !text.starts_with("-r");
        if is_removed && !text.starts_with("--") && self.before.is_some() {
            self.command = self.before.take();
        }
        if !text.trim().is_empty() {
            self.before = None;
        }
        self.is_in_difference = is_removed
            || text.starts_with("@@")
            || self.is_in_difference && text.starts_with(['+', ' ']);
        self.is_in_difference
    }

    /// Returns `true` for the first command of a script, and for the command that runs the script's file.
    fn is_of_script(&mut self, text: &str) -> bool {
        match self.script {
            _ if text == SCRIPT_HEADING || text.starts_with("#!/") => {
                self.script = ShownScript::Begins;
            }
            ShownScript::Begins if !text.trim().is_empty() => {
                self.set_command(ReporterRank::Step, text);
                self.script = ShownScript::Shown;
            }
            ShownScript::Shown if text.starts_with("[command]") => self.script = ShownScript::None,
            ShownScript::None | ShownScript::Begins | ShownScript::Shown => return false,
        }
        true
    }

    /// Sets the command with which a step of a CI system begins.
    pub(super) fn start_step(&mut self, command: &str) {
        // `Run owner/action@v1` is no command.
        let is_action = command.contains('@') && command.contains('/') && !command.contains(' ');
        if is_action && self.code.is_none() && !self.is_over {
            self.command.take_if(|(rank, _)| *rank == ReporterRank::Step);
        } else if !is_action {
            self.set_command(ReporterRank::Step, command);
        }
    }

    /// Returns the command and its exit code.
    pub(super) fn finish(self) -> (Option<String>, Option<i32>) {
        (self.command.map(|(_, command)| command), self.code.map(|(_, code)| code))
    }

    /// Sets the command, unless a reporter of higher rank named one.
    fn set_command(&mut self, rank: ReporterRank, command: &str) {
        // Commands after the end of a job are cleanup.
        let is_over = self.is_over || self.code.is_some_and(|(rank, _)| rank == ReporterRank::End);
        let knows_better = self.command.as_ref().is_some_and(|(known, _)| *known > rank);
        if knows_better || (is_over && rank < ReporterRank::End) {
            return;
        }
        self.before = self.command.take();
        self.command = Some((rank, first_chars(command.trim(), MAX_COMMAND_CHARS).to_owned()));
    }
}

/// Returns `true` for the words after the first mark of `+ actual - expected`, and for the end of a script.
fn is_legend(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    matches!(words[..], [_, "-", _] | ["exit", ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(log: &str) -> (Option<String>, Option<i32>) {
        let mut invocation = FailedCommand::default();
        log.lines().for_each(|line| invocation.read_line(line, StepState::Running, true));
        invocation.finish()
    }

    #[test]
    fn the_command_that_failed_is_named_as_its_log_names_it() {
        for (log, command, code) in [
            (
                "+ cargo test\n+ x: 1\nError: Process completed with exit code 101.\n+ rm -r x",
                "cargo test",
                Some(101),
            ),
            ("make: *** [Makefile:3: check] Error 2", "make check", Some(2)),
            ("error: test failed, to rerun pass `-p x --lib`", "cargo test -p x --lib", None),
            ("npm ERR! command sh -c jest --ci\nnpm ERR! command failed", "jest --ci", None),
            (
                "$ npm test\nnpm error command sh -c jest\nERROR: Job failed: exit code 1",
                "npm test",
                Some(1),
            ),
            ("The command \"npm test\" exited with 1.", "npm test", Some(1)),
            ("$ jest\nerror Command failed with exit code 1.", "jest", Some(1)),
            ("error: Recipe `test` failed on line 3 with exit code 4", "just test", Some(4)),
            ("+ .venv/bin/robot qa\n| FAIL |", ".venv/bin/robot qa", None),
            ("+ busted -o plain\n-rw-r--r-- 1 a\n-old\n+ new", "busted -o plain", None),
            ("$ check\n+ expected - actual\n\n-1\n+2", "check", None),
            ("+ check\n+ actual - expected\n\n{\n+ exit 1", "check", None),
            ("$ check\n@@ -1 +1 @@\n+ new\n x", "check", None),
            ("#!/bin/bash -eo pipefail\n./gradlew build\nText", "./gradlew build", None),
            (
                "Script contents:\npnpm install\n[command]/usr/bin/bash /work/_temp/1.sh",
                "pnpm install",
                None,
            ),
            (
                "[Container] 2026/02/03 10:11:09.44 Running command aws s3 sync a b\nx\n\
                 [Container] 2026/02/03 10:11:10.44 Command did not exit successfully aws s3 sync a b exit status 254",
                "aws s3 sync a b",
                Some(254),
            ),
            ("+ make\nexit code: 2 duration: 6s\n+ cache store", "make", Some(2)),
            ("Starting: /usr/bin/dotnet restore a.sln", "/usr/bin/dotnet restore a.sln", None),
            ("[CI/test] ❌  Failure - Main npm test [1.2s]", "npm test", None),
        ] {
            assert_eq!(read(log), (Some(command.to_owned()), code), "{log}");
        }
    }

    #[test]
    fn a_diff_and_an_ordinary_end_name_nothing() {
        assert_eq!(read("+ 4\n- 3\n+ x\nProcess completed with exit code 0."), (None, None));
    }
}
