//! The commands that this stage starts: only a [`CheckedInvocation`] can be run, and only the table makes one.

use super::tool_context::ToolContext;
use super::tool_table::{OptionValue, ToolRow};
use papayu_base::domain::RepoPath;
use papayu_base::domain::changes::DependencyMove;
use papayu_base::text::join_path;

/// The place that the words of an invocation were read from.
/// The order is that of trust: words of a later place may do more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InvocationSource {
    /// A log or a report: its words choose among the options of the table.
    Log,
    /// A script of the project.
    Script,
    /// The user's command, which runs in any case.
    Command,
}

/// A tool's invocation as somebody wrote it. It cannot be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawInvocation {
    /// The place that it was read from.
    pub(super) source: InvocationSource,
    /// The folder it runs in, relative to the repository; empty for the root.
    pub(super) folder: String,
    /// Assignments before the program.
    pub(super) env: Vec<(String, String)>,
    /// The words after the program.
    pub(super) words: Vec<String>,
}

/// An invocation that has only words of this program, words of the table, and files of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CheckedInvocation {
    /// Relative to the repository.
    folder: String,
    env: Vec<(String, String)>,
    /// The program and its arguments.
    argv: Vec<String>,
    /// `true` if the sandbox denies writes to the repository.
    is_read_only: bool,
}

impl CheckedInvocation {
    /// Returns a program of the project, or of `PATH` where the row allows it; `None` if it is not installed, or if
    /// the folder is not one of the repository.
    pub(super) fn find(tools: &ToolContext<'_>, row: &ToolRow, folder: &str) -> Option<Self> {
        let program = find_program(tools, row.name, row.homes, folder);
        // The project's own version comes first: another version may report other findings.
        let program = program.or_else(|| row.on_path.then(|| row.name.to_owned()))?;
        is_inside(tools, folder).then(|| Self::start(program, folder))
    }

    /// Returns the program of one of these folders of the repository, otherwise that of `PATH`.
    pub(super) fn find_or_path(
        tools: &ToolContext<'_>,
        name: &'static str,
        homes: &[&'static str],
    ) -> Self {
        let program = find_program(tools, name, homes, "");
        Self::start(program.unwrap_or_else(|| name.to_owned()), "")
    }

    /// Returns the program of one of these folders, in `folder` or above; it runs at the root. `None` if none
    /// has it.
    pub(super) fn find_above(
        tools: &ToolContext<'_>,
        name: &'static str,
        homes: &[&'static str],
        folder: &str,
    ) -> Option<Self> {
        Some(Self::start(find_program(tools, name, homes, folder)?, ""))
    }

    /// Returns the command of a program without arguments.
    fn start(program: String, folder: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            env: Vec::new(),
            argv: vec![program],
            is_read_only: false,
        }
    }

    /// Adds words that are part of this program.
    pub(super) fn with_arguments(&self, words: &[&'static str]) -> Self {
        let mut more = self.clone();
        more.argv.extend(words.iter().map(|&word| word.to_owned()));
        more
    }

    /// Adds the toolchain that rustup's proxies take as their first word, `+nightly`; `None` if
    /// the name could be anything else.
    pub(super) fn with_toolchain(mut self, name: &str) -> Option<Self> {
        is_plain_word(name).then(|| self.argv.push(format!("+{name}")))?;
        Some(self)
    }

    /// Adds those words that set the level of a lint, after `--`. Words of other options are
    /// left out.
    pub(super) fn with_lint_levels(mut self, words: &[String]) -> Self {
        let mut words = words.iter().map(String::as_str);
        let mut levels = Vec::new();
        while let Some(word) = words.next() {
            // A value may be joined to its option: `-Dwarnings`, `--deny=warnings`.
            let joined = LINT_LEVELS.iter().find_map(|level| word.strip_prefix(level));
            if LINT_LEVELS.contains(&word) {
                let lint = words.next().filter(|lint| is_lint(lint));
                levels.extend(lint.into_iter().flat_map(|lint| [word, lint]));
            } else if joined.is_some_and(|lint| is_lint(lint.trim_start_matches('='))) {
                levels.push(word);
            }
        }
        if !levels.is_empty() {
            self.argv.push("--".to_owned());
            self.argv.extend(levels.into_iter().map(str::to_owned));
        }
        self
    }

    /// Adds for each of two versions of a package a word such as `--diff=lru-cache@7.18.3`; `None` if the name or a version could be
    /// anything else, such as an address.
    pub(super) fn with_versions(
        mut self,
        option: &'static str,
        moved: &DependencyMove,
    ) -> Option<Self> {
        let (name, from, to) = (&moved.name, moved.from.as_deref()?, moved.to.as_deref()?);
        let scope = name.strip_prefix('@');
        let parts: Vec<&str> = scope.unwrap_or(name).split('/').collect();
        let begins =
            |it: &str, fits: fn(&u8) -> bool| it.bytes().next().is_some_and(|it| fits(&it));
        let is_part = |it: &&str| begins(it, u8::is_ascii_alphanumeric) && is_plain_word(it);
        // A name with a slash and no scope is a repository.
        let is_name = parts.len() == 1 + usize::from(scope.is_some()) && parts.iter().all(is_part);
        let is_version = |it: &str| begins(it, u8::is_ascii_digit) && is_plain_word(it);
        (is_name && is_version(from) && is_version(to)).then(|| {
            self.argv.extend([from, to].map(|version| format!("{option}{name}@{version}")));
            self
        })
    }

    /// Sets a variable for the tool.
    pub(super) fn with_variable(mut self, name: &'static str, value: &'static str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds files of the repository, each as a word of its own; a name that the tool could read as an option is
    /// left out.
    pub(super) fn with_files(mut self, files: &[RepoPath]) -> Self {
        let names = files.iter().map(RepoPath::as_str).filter(|name| !name.starts_with('-'));
        self.argv.extend(names.map(str::to_owned));
        self
    }

    /// Adds an option for a file of the repository, which takes the place of `{}`, or its ending that of `{ending}`.
    pub(super) fn with_file_in(mut self, pattern: &'static str, file: &RepoPath) -> Self {
        let ending = file.as_str().rsplit_once('.').map_or("", |(_, ending)| ending);
        self.argv.push(match pattern.split_once("{ending}") {
            Some((before, after)) => format!("{before}{ending}{after}"),
            None => pattern.replace("{}", file.as_str()),
        });
        self
    }

    /// Adds the words and variables of an invocation that the table permits; `None` if one of the words is not
    /// permitted.
    pub(super) fn with_words_of(
        mut self,
        tools: &ToolContext<'_>,
        row: &ToolRow,
        raw: &RawInvocation,
    ) -> Option<Self> {
        self.argv.extend(permitted_words(tools, row, raw)?);
        self.env.extend(
            raw.env
                .iter()
                .filter(|(name, value)| match raw.source {
                    InvocationSource::Command => true,
                    InvocationSource::Script => {
                        row.variables.contains(&name.as_str()) && is_plain_word(value)
                    }
                    InvocationSource::Log => false,
                })
                .cloned(),
        );
        Some(self)
    }

    /// Returns the same command started by a shell that discards what it prints on standard error.
    pub(super) fn without_errors(mut self) -> Self {
        const SCRIPT: [&str; 4] = ["sh", "-c", "exec \"$@\" 2>/dev/null", "sh"];
        // `exec` replaces the shell, so that a signal for the command reaches the tool itself.
        self.argv.splice(0..0, SCRIPT.map(str::to_owned));
        self
    }

    /// The same, with a file of the repository as standard input; the tool may not change the repository.
    pub(super) fn without_errors_reading(mut self, file: &RepoPath) -> Self {
        const SCRIPT: [&str; 4] =
            ["sh", "-c", "file=$1; shift; exec \"$@\" <\"./$file\" 2>/dev/null", "sh"];
        self.argv.splice(0..0, SCRIPT.map(str::to_owned).into_iter().chain([file.to_string()]));
        self.is_read_only = true;
        self
    }

    /// Returns `true` if the tool may not change the repository.
    pub(super) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns the command as messages name it.
    pub(super) fn shown(&self) -> String {
        format!("`{}`", self.argv.join(" "))
    }

    /// Returns the folder it runs in, relative to the repository; empty for the root.
    pub(super) fn folder(&self) -> &str {
        &self.folder
    }

    /// Returns the assignments on top of the environment.
    pub(super) fn env(&self) -> &[(String, String)] {
        &self.env
    }

    /// Returns the program and its arguments.
    pub(super) fn argv(&self) -> &[String] {
        &self.argv
    }

    /// Returns the arguments.
    pub(super) fn arguments(&self) -> &[String] {
        self.argv.get(1..).unwrap_or_default()
    }
}

/// One command of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ScriptPart {
    /// The folder it runs in, relative to the repository.
    pub(super) folder: String,
    /// Its words up to the first redirection or pipe: the words after it belong to the shell.
    pub(super) words: Vec<String>,
}

/// Returns the commands of a script (`cd app && npm test; cargo fmt`) that starts in `folder`. A `cd` out of the
/// repository, or to a folder that only a shell can name, ends the reading.
pub(super) fn split_script(run: &str, folder: &str) -> Vec<ScriptPart> {
    let is_redirection = |word: &String| {
        word.starts_with(['|', '>', '<', '&']) || word.starts_with("1>") || word.starts_with("2>")
    };
    let mut folder = folder.to_owned();
    // A `cd` elsewhere changes the folder of all later commands, so what follows cannot be
    // placed.
    let mut parts = Vec::new();
    let words = shlex::split(run).unwrap_or_default();
    for part in words.split(|word| ["&&", "||", ";"].contains(&word.as_str())) {
        if let [cd, to] = part
            && cd == "cd"
        {
            match enter_folder(&folder, to).filter(|_| !to.contains('*')) {
                Some(there) => folder = there,
                None => break,
            }
        } else {
            let words = part.iter().take_while(|word| !is_redirection(word)).cloned().collect();
            parts.push(ScriptPart { folder: folder.clone(), words });
        }
    }
    parts
}

/// Follows a relative path from a folder; `None` if it leaves the repository or only a shell can read it.
pub(super) fn enter_folder(folder: &str, to: &str) -> Option<String> {
    if to.starts_with(['/', '~', '-']) || !is_literal(to) {
        return None;
    }
    join_path(folder, to)
}

/// Returns `true` if a shell would not replace any part of the word.
pub(super) fn is_literal(word: &str) -> bool {
    !word.contains(['$', '`', '(', ')', '<', '>', '|', '&'])
}

/// Returns the path of the program in one of the folders of `homes`, searched from `folder`
/// upwards.
fn find_program(
    tools: &ToolContext<'_>,
    name: &str,
    homes: &[&str],
    folder: &str,
) -> Option<String> {
    let mut at = Some(folder);
    while let Some(folder) = at {
        for home in homes {
            let path = format!("{folder}/{home}/{name}");
            let path = tools.tree.root().join(path.trim_start_matches('/'));
            // Package managers link the programs, and whole folders of them.
            if tools.system.disk.is_file(&path) {
                return Some(path.to_string_lossy().into_owned());
            }
        }
        at = (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(above, _)| above));
    }
    None
}

/// Returns `true` if the path, with its links followed, is in the repository or does not exist.
fn is_inside(tools: &ToolContext<'_>, path: &str) -> bool {
    path.is_empty() || RepoPath::parse(path).is_ok_and(|path| tools.tree.resolve(&path).is_ok())
}

/// Returns the words that the table permits, in their order; `None` at the first word that it
/// does not know.
///
/// An unknown option may take the next word as its value, so the words after it cannot be
/// judged.
/// Options of the table that only change the output (`--quiet`, `--format x`) are left out with
/// their values.
fn permitted_words(
    tools: &ToolContext<'_>,
    row: &ToolRow,
    raw: &RawInvocation,
) -> Option<Vec<String>> {
    let mut kept = Vec::new();
    let mut words = raw.words.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        if row.drops_valued(name) {
            if value.is_none() {
                // The value is the next word, and goes with its option.
                words.next();
            }
        } else if row.drops_switch(name) {
            // Left out.
        } else if let Some(allowed) = row.passed_value(name) {
            kept.push(word.clone());
            if allowed == OptionValue::None {
                value.is_none_or(is_plain_word).then_some(())?;
            } else if let Some(value) = value {
                is_permitted(tools, allowed, raw, value).then_some(())?;
            } else {
                let value = words.next()?;
                // A tool may take the option for one without a value, and the next word for an option.
                let is_option = value.starts_with('-') && value.parse::<i64>().is_err();
                (!is_option && is_permitted(tools, allowed, raw, value)).then_some(())?;
                kept.push(value.clone());
            }
        // A word without an option is a path; an unknown option could be anything.
        } else if word.starts_with('-') || !is_permitted_path(tools, raw, word) {
            return None;
        } else {
            kept.push(word.clone());
        }
    }
    Some(kept)
}

/// Returns `true` if a value may follow an option. Paths from a log are never passed on: anyone who
/// can write to the log chooses them.
fn is_permitted(
    tools: &ToolContext<'_>,
    allowed: OptionValue,
    raw: &RawInvocation,
    value: &str,
) -> bool {
    is_literal(value)
        && match allowed {
            OptionValue::None => false,
            OptionValue::Word => !value.chars().any(char::is_control),
            OptionValue::Inside => {
                raw.source > InvocationSource::Log && is_permitted_path(tools, raw, value)
            }
            OptionValue::Own => raw.source == InvocationSource::Command,
        }
}

/// Returns `true` for a path or pattern below the repository, and for any path of the user's command.
fn is_permitted_path(tools: &ToolContext<'_>, raw: &RawInvocation, word: &str) -> bool {
    // In Go, `/...` is the folder with all below it.
    let path = word.strip_suffix("/...").unwrap_or(word);
    // Links are followed too: a folder of the repository may lead out of it.
    let is_below = || enter_folder(&raw.folder, path).is_some_and(|path| is_inside(tools, &path));
    // Many tools replace `@file` by the words in that file.
    let is_list = word.starts_with('@');
    is_literal(word) && (raw.source == InvocationSource::Command || (!is_list && is_below()))
}

/// Options of rustc that set the level of a lint, and nothing else.
const LINT_LEVELS: [&str; 8] = ["-A", "-D", "-F", "-W", "--allow", "--deny", "--forbid", "--warn"];

/// Returns `true` for the name of a lint or a group, `clippy::all`.
fn is_lint(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || ['_', '-', ':'].contains(&letter))
}

/// Returns `true` for a text that no tool reads as a path, a pattern or several words.
fn is_plain_word(word: &str) -> bool {
    word.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || ['_', '-', ',', '.'].contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_cannot_bring_an_address_or_an_option_as_a_package() {
        let words = |name: &str, from: &str| {
            let (from, to) = (Some(from.to_owned()), Some("2.0.0".to_owned()));
            let moved = DependencyMove { path: String::new(), name: name.to_owned(), from, to };
            let npm = CheckedInvocation::start("npm".to_owned(), "");
            npm.with_versions("--diff=", &moved).map(|it| it.argv().join(" "))
        };
        for (name, from) in [
            ("owner/repo", "1.0.0"),
            ("git+ssh://x", "1.0.0"),
            ("@a/b/../c", "1.0.0"),
            ("..", "1.0.0"),
            ("a", "https://x/y.tgz"),
            ("a", "^1.0.0"),
            ("a b", "1.0.0"),
            ("a", "1.0.0 --registry=x"),
        ] {
            assert_eq!(words(name, from), None, "{name} {from}");
        }
        let expected = "npm --diff=@a/b@1.0.0 --diff=@a/b@2.0.0";
        assert_eq!(words("@a/b", "1.0.0").as_deref(), Some(expected));
    }
}
