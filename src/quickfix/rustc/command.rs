//! Derives from the user's command the cargo command that prints the same diagnostics as JSON.

/// A cargo command that builds what the user's command builds and runs nothing of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CargoCommand {
    /// The folder it runs in, relative to the repository; empty for the root.
    pub(super) folder: String,
    /// Assignments written before the command.
    pub(super) env: Vec<(String, String)>,
    /// Program and arguments.
    pub(super) argv: Vec<String>,
}

/// Returns a command for each part of `run` (`cd a && cargo clippy && cargo test`) that is a plain
/// cargo build; empty when there is none.
pub(super) fn derive(run: &str) -> Vec<CargoCommand> {
    let words = shlex::split(run).unwrap_or_default();
    let mut folder: Vec<String> = Vec::new();
    let mut commands = Vec::new();
    for part in words.split(|word| ["&&", "||", ";"].contains(&word.as_str())) {
        match part {
            // A folder outside the repository, or one that only a shell can name, ends the reading.
            [cd, to] if cd == "cd" => {
                if to.starts_with(['/', '~', '-']) || !is_literal(to) || !enter(&mut folder, to) {
                    break;
                }
            }
            _ => commands.extend(derive_part(part, &folder.join("/"))),
        }
    }
    commands
}

/// Returns the command for a project whose own command is not cargo's. `--locked` prevents cargo from writing a
/// `Cargo.lock`.
pub(super) fn check_everything() -> CargoCommand {
    let argv = ["cargo", "check", "--quiet", "--message-format=json", "--all-targets", "--locked"];
    CargoCommand { folder: String::new(), env: Vec::new(), argv: argv.map(str::to_owned).to_vec() }
}

fn is_literal(word: &str) -> bool {
    !word.contains(['$', '`', '*', '(', ')'])
}

/// Follows a relative path; `false` when it leaves the repository.
fn enter(folder: &mut Vec<String>, to: &str) -> bool {
    for segment in to.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                if folder.pop().is_none() {
                    return false;
                }
            }
            name => folder.push(name.to_owned()),
        }
    }
    true
}

fn derive_part(part: &[String], folder: &str) -> Option<CargoCommand> {
    let is_redirection = |word: &String| {
        word.starts_with(['|', '>', '<', '&']) || word.starts_with("1>") || word.starts_with("2>")
    };
    let end = part.iter().position(is_redirection).unwrap_or(part.len());
    let mut words = part.get(..end)?.iter().map(String::as_str).peekable();
    let mut env = Vec::new();
    while let Some(word) = words.next_if(|word| *word != "cargo") {
        match assignment(word) {
            Some((name, value)) => env.push((name.to_owned(), value.to_owned())),
            None if ["env", "exec", "time", "command"].contains(&word) => {}
            None => return None,
        }
    }
    let mut argv = vec![words.next()?.to_owned()];
    argv.extend(words.next_if(|word| word.starts_with('+')).map(str::to_owned));
    let rest: Vec<&str> = words.collect();
    argv.extend(arguments(&rest)?);
    let literal =
        argv.iter().chain(env.iter().map(|(_, value)| value)).all(|word| is_literal(word));
    literal.then(|| CargoCommand { folder: folder.to_owned(), env, argv })
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    is_name.then_some((name, value))
}

/// Flags without a value that choose what is built, and how.
const SWITCHES: [&str; 18] = [
    "--all",
    "--all-features",
    "--all-targets",
    "--benches",
    "--bins",
    "--document-private-items",
    "--examples",
    "--frozen",
    "--ignore-rust-version",
    "--lib",
    "--locked",
    "--no-default-features",
    "--no-deps",
    "--offline",
    "--release",
    "--tests",
    "--workspace",
    "-r",
];

/// The same with a value.
const VALUED: [&str; 17] = [
    "--bench",
    "--bin",
    "--cargo-profile",
    "--config",
    "--example",
    "--exclude",
    "--features",
    "--jobs",
    "--manifest-path",
    "--package",
    "--profile",
    "--target",
    "--target-dir",
    "--test",
    "-F",
    "-Z",
    "-p",
];

/// Translates what follows `cargo`; `None` when the subcommand is not one that builds.
fn arguments(words: &[&str]) -> Option<Vec<String>> {
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
    let mut out = vec![subcommand.to_owned(), "--quiet".into(), "--message-format=json".into()];
    out.extend(no_run.then(|| "--no-run".to_owned()));
    for (name, value) in flags {
        let name = match name {
            // Nextest has profiles of its own and calls cargo's by another name.
            "--profile" if is_nextest => continue,
            "--cargo-profile" => "--profile",
            name => name,
        };
        out.push(name.to_owned());
        out.extend(value.map(str::to_owned));
    }
    // Elsewhere they are meant for the program that is not run; here they are lint levels.
    if subcommand == "clippy" && !after.is_empty() {
        out.push("--".into());
        out.extend(after.iter().map(|word| (*word).to_owned()));
    }
    Some(out)
}

type Flags<'w> = Vec<(&'w str, Option<&'w str>)>;

/// Parts known flags, with their values, from names; unknown flags are dropped.
fn sort_flags<'w>(words: &[&'w str]) -> (Flags<'w>, Vec<&'w str>) {
    let (mut flags, mut names) = (Vec::new(), Vec::new());
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if SWITCHES.contains(&word) {
            flags.push((word, None));
        } else if VALUED.contains(&word) {
            flags.extend(words.next().map(|value| (word, Some(value))));
        } else if let Some((name, value)) = word.split_once('=')
            && VALUED.contains(&name)
        {
            flags.push((name, Some(value)));
        } else if ["-p", "-F", "-Z"].iter().any(|short| word.starts_with(short)) {
            flags.push((word, None));
        } else if ["--color", "--message-format", "-j"].contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            names.push(word);
        }
    }
    (flags, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folder, assignments and command line of each derived command, as one text.
    fn derived(run: &str) -> Vec<String> {
        let shown = |command: &CargoCommand| {
            let env = command.env.iter().map(|(name, value)| format!("{name}={value}"));
            let words: Vec<String> = env.chain(command.argv.iter().cloned()).collect();
            format!("[{}] {}", command.folder, words.join(" "))
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
            ("cargo test -pa -Fb", format!("[] cargo test {JSON} --no-run -pa -Fb")),
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
            "",
            "make test",
            "npm test",
            "cargo",
            "cargo fmt --check",
            "cargo install x",
            "cargo publish",
            "cargo test -p \"$NAME\"",
            "cargo test 'unbalanced",
            "cd /elsewhere && cargo test",
            "cd .. && cargo test",
            "cd $DIR && cargo test",
            "xvfb-run cargo test",
            "bash -c 'cargo test'",
        ] {
            assert_eq!(derived(run), Vec::<String>::new(), "{run}");
        }
    }
}
