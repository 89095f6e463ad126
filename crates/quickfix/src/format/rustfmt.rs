//! Has rustfmt print the files of the packages that the user's command checks.

use super::super::checked_invocation::{
    CheckedInvocation, InvocationSource, RawInvocation, ScriptPart, split_script,
};
use super::super::diagnostic_context::has_ending;
use super::super::tool_context::ToolContext;
use super::super::tool_table::{CARGO_FMT, RUSTFMT};

/// A call of rustfmt in the user's command. It cannot be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Printing {
    /// Relative to the repository.
    folder: String,
    /// `false` for `rustfmt` itself.
    is_cargo: bool,
    /// The name after `+`.
    toolchain: Option<String>,
    /// The words of `cargo fmt`, empty for `rustfmt`.
    cargo: Vec<String>,
    /// The words of rustfmt.
    rustfmt: Vec<String>,
}

impl Printing {
    /// Returns the call that formats the whole project.
    fn of_project() -> Self {
        Self { is_cargo: true, cargo: vec!["--all".to_owned()], ..Self::default() }
    }

    /// Returns the command that prints instead of writing. If the table does not permit its words, the command
    /// formats the whole project. `None` if the program cannot be used at all.
    pub(super) fn checked(&self, tools: &ToolContext<'_>) -> Option<CheckedInvocation> {
        self.with_its_words(tools).or_else(|| Self::of_project().with_its_words(tools))
    }

    /// Returns the invocation with the words of the user's command, as far as the table permits
    /// them.
    fn with_its_words(&self, tools: &ToolContext<'_>) -> Option<CheckedInvocation> {
        let raw = |words: &[String]| RawInvocation {
            source: InvocationSource::Command,
            folder: self.folder.clone(),
            env: Vec::new(),
            words: words.to_vec(),
        };
        let row = if self.is_cargo { &CARGO_FMT } else { &RUSTFMT };
        let mut tool = CheckedInvocation::find(tools, row, &self.folder)?;
        if let Some(name) = &self.toolchain {
            tool = tool.with_toolchain(name)?;
        }
        if self.is_cargo {
            tool = tool.with_arguments(&["fmt"]).with_words_of(tools, row, &raw(&self.cargo))?;
            tool = tool.with_arguments(&["--"]);
        }
        let tool = tool.with_words_of(tools, &RUSTFMT, &raw(&self.rustfmt))?;
        // Last, so that no word of the user can change where the result goes.
        Some(tool.with_arguments(&["--emit", "stdout"]))
    }
}

/// Returns the command for each `cargo fmt` or `rustfmt` in the user's command; that of the
/// whole project if there is none.
pub(super) fn commands(run: &str) -> Vec<Printing> {
    let parts = split_script(run, "").into_iter();
    let mut found: Vec<Printing> = parts.filter_map(printing).collect();
    if found.is_empty() {
        found.push(Printing::of_project());
    }
    found
}

/// Returns the printing form of a checking command: `cargo fmt --all -- --check` becomes one
/// that prints and writes nothing.
fn printing(part: ScriptPart) -> Option<Printing> {
    let start = part.words.iter().position(|word| word == "cargo" || word == "rustfmt")?;
    let (program, mut words) = part.words.get(start..)?.split_first()?;
    // The shell would replace these, and no shell runs here.
    if words.iter().any(|word| word.contains(['$', '`', '*'])) {
        return None;
    }
    let mut toolchain = None;
    if let Some((name, rest)) = words.split_first().filter(|(name, _)| name.starts_with('+')) {
        toolchain = name.strip_prefix('+').map(str::to_owned);
        words = rest;
    }
    let (mut cargo, mut rustfmt) = (Vec::new(), words.to_vec());
    let is_cargo = program == "cargo";
    if is_cargo {
        let (_, rest) = words.split_first().filter(|(command, _)| *command == "fmt")?;
        let mut halves = rest.splitn(2, |word| word == "--");
        cargo = halves.next().unwrap_or_default().to_vec();
        rustfmt = halves.next().unwrap_or_default().to_vec();
    }
    Some(Printing { folder: part.folder, is_cargo, toolchain, cargo, rustfmt })
}

/// Splits the output of rustfmt: each file follows a line with its absolute path and an empty
/// line.
pub(super) fn files(printed: &str, root: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut lines = printed.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let head = line.trim_end().strip_suffix(':').and_then(|path| path.strip_prefix(root));
        let head =
            head.and_then(|path| path.strip_prefix('/')).filter(|path| has_ending(path, "rs"));
        match (head, lines.peek()) {
            (Some(path), Some(next)) if next.trim_end().is_empty() => {
                lines.next();
                found.push((path.to_owned(), String::new()));
            }
            _ => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Outside, config, tools};
    use papayu_base::domain::FailureReport;
    use papayu_system::in_memory::{MemoryTree, Nodes};

    /// Folder and words of each command.
    fn shown(run: &str) -> Vec<(String, String)> {
        let (outside, config, report) =
            (Outside::holding(&[]), config(None), FailureReport::default());
        let tree = MemoryTree::new(Nodes::default());
        let tools = tools(&outside, &tree, &config, &report);
        let checked = commands(run).into_iter().filter_map(|command| command.checked(&tools));
        checked.map(|tool| (tool.folder().to_owned(), tool.argv().join(" "))).collect()
    }

    #[test]
    fn a_check_becomes_a_command_that_prints() {
        for (run, expected) in [
            ("cargo fmt --check", ("", "cargo fmt -- --emit stdout")),
            ("cargo fmt --all -- --check", ("", "cargo fmt --all -- --emit stdout")),
            (
                "cargo +nightly fmt -p a -- --check --color never",
                ("", "cargo +nightly fmt -p a -- --emit stdout"),
            ),
            ("cd a && cargo fmt --check && cargo test", ("a", "cargo fmt -- --emit stdout")),
            (
                "rustfmt --check --edition 2024 src/lib.rs",
                ("", "rustfmt --edition 2024 src/lib.rs --emit stdout"),
            ),
            ("make lint", ("", "cargo fmt --all -- --emit stdout")),
            ("cargo fmt --unknown ./x", ("", "cargo fmt --all -- --emit stdout")),
        ] {
            assert_eq!(shown(run), [(expected.0.to_owned(), expected.1.to_owned())], "{run}");
        }
    }

    #[test]
    fn what_is_printed_is_taken_apart_by_its_paths() {
        let printed = "/r/src/a.rs:\n\nfn a() {}\n/r/src/lib.rs:\n\nmod a;\n// /r/x.rs:\n";
        let expected = [("src/a.rs", "fn a() {}\n"), ("src/lib.rs", "mod a;\n// /r/x.rs:\n")];
        let expected: Vec<_> =
            expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(files(printed, "/r"), expected);
        assert_eq!(files("error: no such file\n", "/r"), []);
    }
}
