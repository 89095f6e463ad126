//! Derives from the user's command the cargo command that prints the same diagnostics as JSON.

use super::super::checked_invocation::{
    CheckedInvocation, InvocationSource, RawInvocation, ScriptPart, split_script,
};
use super::super::tool_context::ToolContext;
use super::super::tool_table::{CARGO, OptionValue};

/// A cargo command that builds what the user's command builds and runs nothing of it. It cannot be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CargoCommand {
    toolchain: Option<String>,
    /// The subcommand, and the options that make it print JSON.
    own: Vec<&'static str>,
    /// The folder, the assignments and the options of the user's command.
    raw: RawInvocation,
    /// The words after the `--` of clippy.
    lints: Vec<String>,
}

impl CargoCommand {
    /// Returns the command with the words of the table; `None` if another is among them.
    pub(super) fn checked(&self, tools: &ToolContext<'_>) -> Option<CheckedInvocation> {
        let mut tool = CheckedInvocation::find(tools, &CARGO, &self.raw.folder)?;
        if let Some(name) = &self.toolchain {
            tool = tool.with_toolchain(name)?;
        }
        let tool = tool.with_arguments(&self.own).with_words_of(tools, &CARGO, &self.raw)?;
        Some(tool.with_lint_levels(&self.lints))
    }
}

/// Returns a command for each part of `run` (`cd a && cargo clippy && cargo test`) that is a plain
/// cargo build; empty when there is none.
pub(super) fn derive(run: &str) -> Vec<CargoCommand> {
    split_script(run, "").iter().filter_map(derive_part).collect()
}

/// Returns the command for a project that has another command than cargo's. `--locked` prevents cargo from writing a
/// `Cargo.lock`.
pub(super) fn check_everything() -> CargoCommand {
    let own = ["check", "--quiet", "--message-format=json", "--all-targets", "--locked"].to_vec();
    let raw = RawInvocation {
        source: InvocationSource::Command,
        folder: String::new(),
        env: Vec::new(),
        words: Vec::new(),
    };
    CargoCommand { toolchain: None, own, raw, lints: Vec::new() }
}

/// Returns `true` if a shell would pass the word on as it is.
fn is_literal(word: &str) -> bool {
    !word.contains(['$', '`', '*', '(', ')'])
}

/// Derives a `cargo check` from one command of a script: `RUSTFLAGS=-Dwarnings cargo test -p a --
/// --nocapture` gives the same variables, package and features.
fn derive_part(part: &ScriptPart) -> Option<CargoCommand> {
    let mut words = part.words.iter().map(String::as_str).peekable();
    let mut env = Vec::new();
    while let Some(word) = words.next_if(|word| *word != "cargo") {
        match assignment(word) {
            Some((name, value)) => env.push((name.to_owned(), value.to_owned())),
            // Wrappers that start the command as it is. Behind any other word its arguments mean
            // something else.
            None if ["env", "exec", "time", "command"].contains(&word) => {}
            None => return None,
        }
    }
    words.next()?;
    let toolchain = words.next_if(|word| word.starts_with('+'));
    let toolchain = toolchain.and_then(|word| word.strip_prefix('+')).map(str::to_owned);
    let rest: Vec<&str> = words.collect();
    let arguments = arguments(&rest)?;
    let values = env.iter().map(|(_, value)| value);
    // A word that only a shell can expand would be passed to cargo as it is.
    let is_plain = arguments.flags.iter().chain(values).all(|word| is_literal(word));
    let (folder, words) = (part.folder.clone(), arguments.flags);
    let raw = RawInvocation { source: InvocationSource::Command, folder, env, words };
    is_plain.then_some(CargoCommand { toolchain, own: arguments.own, raw, lints: arguments.lints })
}

/// Returns the name and value of `NAME=value` before a program.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    is_name.then_some((name, value))
}

/// The words after `cargo`, sorted.
struct CargoArguments {
    own: Vec<&'static str>,
    flags: Vec<String>,
    lints: Vec<String>,
}

/// Translates the words after `cargo`; `None` when the subcommand is not one that builds.
fn arguments(words: &[&str]) -> Option<CargoArguments> {
    let (words, after) = match words.iter().position(|word| *word == "--") {
        Some(at) => (words.get(..at)?, words.get(at + 1..)?),
        None => (words, [].as_slice()),
    };
    let (flags, names) = sort_flags(words);
    let is_nextest = names.first() == Some(&"nextest");
    let (subcommand, no_run) = match *names.first()? {
        "build" | "b" | "run" | "r" => ("build", false),
        "check" | "c" => ("check", false),
        "clippy" => ("clippy", false),
        "doc" | "d" => ("doc", false),
        "test" | "t" => ("test", true),
        "bench" => ("bench", true),
        "nextest" if matches!(names.get(1), Some(&("run" | "r"))) => ("test", true),
        _ => return None,
    };
    // `--quiet` removes the progress from standard error; messages in JSON are on standard output.
    let mut own = vec![subcommand, "--quiet", "--message-format=json"];
    // The tests are compiled, for their errors, and not run.
    own.extend(no_run.then_some("--no-run"));
    let mut kept = Vec::new();
    for (name, value) in flags {
        let name = match name {
            // Nextest has profiles of its own and calls cargo's by another name.
            "--profile" if is_nextest => continue,
            "--cargo-profile" => "--profile",
            name => name,
        };
        kept.push(name.to_owned());
        kept.extend(value.map(str::to_owned));
    }
    // Elsewhere they are meant for the program that is not run.
    let lints = if subcommand == "clippy" { after } else { &[] };
    let lints = lints.iter().map(|word| (*word).to_owned()).collect();
    Some(CargoArguments { own, flags: kept, lints })
}

type Flags<'w> = Vec<(&'w str, Option<&'w str>)>;

/// Parts known flags, with their values, from names; unknown flags are dropped.
fn sort_flags<'w>(words: &[&'w str]) -> (Flags<'w>, Vec<&'w str>) {
    let (mut flags, mut names) = (Vec::new(), Vec::new());
    let mut words = words.iter().copied();
    let is_of = |name: &str, has_value: bool| {
        CARGO.passed_value(name).is_some_and(|value| (value != OptionValue::None) == has_value)
    };
    while let Some(word) = words.next() {
        // A value may be joined to a short option: `-pname`, `-Fserde`.
        let short = word
            .split_at_checked(2)
            .filter(|(name, value)| ["-p", "-F", "-Z"].contains(name) && !value.is_empty());
        if is_of(word, false) {
            flags.push((word, None));
        } else if is_of(word, true) {
            flags.extend(words.next().map(|value| (word, Some(value))));
        } else if let Some((name, value)) = word.split_once('=')
            && is_of(name, true)
        {
            flags.push((name, Some(value)));
        } else if let Some((name, value)) = short {
            flags.push((name, Some(value)));
        } else if CARGO.drops_valued(word) {
            words.next();
        // Names are the subcommand and filters of tests; cargo's errors do not depend on the
        // filters.
        } else if !word.starts_with('-') {
            names.push(word);
        }
    }
    (flags, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Outside, config, tools};
    use papayu_base::domain::FailureReport;
    use papayu_system::in_memory::{MemoryTree, Nodes};

    /// Folder, assignments and command line of each derived command, as one text.
    fn derived(run: &str) -> Vec<String> {
        let (outside, config, report) =
            (Outside::holding(&[]), config(None), FailureReport::default());
        let tree = MemoryTree::new(Nodes::default());
        let tools = tools(&outside, &tree, &config, &report);
        let shown = |command: &CargoCommand| {
            let tool = command.checked(&tools).unwrap();
            let env = tool.env().iter().map(|(name, value)| format!("{name}={value}"));
            let words: Vec<String> = env.chain(tool.argv().iter().cloned()).collect();
            format!("[{}] {}", tool.folder(), words.join(" "))
        };
        derive(run).iter().map(shown).collect()
    }

    #[test]
    fn every_command_that_builds_becomes_one_that_prints_json_and_runs_nothing() {
        const JSON: &str = "--quiet --message-format=json";
        for (run, expected) in [
            ("cargo build", format!("[] cargo build {JSON}")),
            ("cargo b --release", format!("[] cargo build {JSON} --release")),
            (
                "cargo check -p a --all-features",
                format!("[] cargo check {JSON} -p a --all-features"),
            ),
            ("cargo test", format!("[] cargo test {JSON} --no-run")),
            ("cargo t --lib name -- --nocapture", format!("[] cargo test {JSON} --no-run --lib")),
            ("cargo test --features=a,b", format!("[] cargo test {JSON} --no-run --features a,b")),
            ("cargo bench --bench x", format!("[] cargo bench {JSON} --no-run --bench x")),
            ("cargo run --bin x -- --release", format!("[] cargo build {JSON} --bin x")),
            ("cargo doc --no-deps", format!("[] cargo doc {JSON} --no-deps")),
            ("cargo +nightly test", format!("[] cargo +nightly test {JSON} --no-run")),
            ("cargo --locked test", format!("[] cargo test {JSON} --no-run --locked")),
            ("cargo test --message-format short -j 2", format!("[] cargo test {JSON} --no-run")),
            ("cargo test -pa -Fb", format!("[] cargo test {JSON} --no-run -p a -F b")),
            ("cargo test 2>&1 | tee log", format!("[] cargo test {JSON} --no-run")),
            (
                "cargo nextest run --profile ci --cargo-profile dev -E 'test(a)' --workspace",
                format!("[] cargo test {JSON} --no-run --profile dev --workspace"),
            ),
            (
                "cargo clippy --all-targets --fix -- -D warnings",
                format!("[] cargo clippy {JSON} --all-targets -- -D warnings"),
            ),
            (
                "RUSTFLAGS='-D warnings' cargo build",
                format!("[] RUSTFLAGS=-D warnings cargo build {JSON}"),
            ),
            ("env A=1 cargo build", format!("[] A=1 cargo build {JSON}")),
            ("cd a/../b && cargo build", format!("[b] cargo build {JSON}")),
        ] {
            assert_eq!(derived(run), [expected], "{run}");
        }
    }

    #[test]
    fn a_chain_gives_a_command_for_each_part_that_builds() {
        assert_eq!(
            derived("cargo fmt --check && cargo clippy && cd sub && cargo test"),
            [
                "[] cargo clippy --quiet --message-format=json",
                "[sub] cargo test --quiet --message-format=json --no-run",
            ]
        );
    }

    #[test]
    fn what_is_not_plainly_a_cargo_build_gives_nothing() {
        for run in [
            "", "make test", "npm test", "cargo", "cargo fmt --check", "cargo install x",
            "cargo publish", "cargo test -p \"$NAME\"", "cargo test 'unbalanced",
            "cd /elsewhere && cargo test", "cd .. && cargo test", "cd $DIR && cargo test",
            "xvfb-run cargo test", "bash -c 'cargo test'",
        ] {
            assert_eq!(derived(run), Vec::<String>::new(), "{run}");
        }
    }
}
