//! Widens a command that runs some tests to the one that runs all of them.

/// Options that select tests, by the runner's word; `true` for those with a value after a blank.
type Selections = &'static [(&'static str, bool)];

/// A runner: its words, the options that select tests, and the word for all tests.
struct TestRunner {
    words: &'static [&'static str],
    selections: Selections,
    all: Option<&'static str>,
}

const fn runner(words: &'static [&'static str], selections: Selections) -> TestRunner {
    TestRunner { words, selections, all: None }
}

// Options of the runners of JavaScript, which share most names.
const JS: Selections = &[
    ("-t", true),
    ("--testNamePattern", true),
    ("--testPathPattern", true),
    ("--testPathPatterns", true),
    ("--test-name-pattern", true),
    ("-g", true),
    ("--grep", true),
    ("-f", true),
    ("--fgrep", true),
    ("--project", true),
    ("--match", true),
    ("-m", true),
    ("--onlyChanged", false),
    ("-o", false),
];

const RUNNERS: [TestRunner; 13] = [
    runner(
        &["pytest"],
        &[
            ("-k", true),
            ("-m", true),
            ("--deselect", true),
            ("--lf", false),
            ("--last-failed", false),
        ],
    ),
    runner(&["py.test"], &[("-k", true), ("-m", true)]),
    runner(&["unittest"], &[("-k", true)]),
    TestRunner {
        all: Some("./..."),
        ..runner(&["go", "test"], &[("-run", true), ("--run", true), ("-skip", true)])
    },
    runner(
        &["cargo", "test"],
        &[
            ("--test", true),
            ("--lib", false),
            ("--bin", true),
            ("--doc", false),
            ("-p", true),
            ("--package", true),
        ],
    ),
    runner(
        &["cargo", "nextest", "run"],
        &[("--test", true), ("--lib", false), ("-p", true), ("--package", true), ("-E", true)],
    ),
    runner(&["jest"], JS),
    runner(&["vitest", "run"], JS),
    runner(&["vitest"], JS),
    runner(&["mocha"], JS),
    runner(&["ava"], JS),
    runner(&["node", "--test"], JS),
    runner(&["rspec"], &[("-e", true), ("--example", true), ("-t", true), ("--tag", true)]),
];

/// Options without a value after a blank: the next word is a test.
// An unknown option may take the next word as its value, so that the known ones are listed.
const FLAGS: [&str; 40] = [
    "-q", "-qq", "-v", "-vv", "-vvv", "-x", "-s", "-l", "-b", "-i", "-ra", "-rA", "-race",
    "-short", "-json", "--quiet", "--verbose", "--ci", "--exitfirst", "--failfast",
    "--no-coverage", "--no-cov", "--no-header", "--no-summary", "--disable-warnings",
    "--strict-markers", "--all-features", "--no-default-features", "--workspace", "--all",
    "--all-targets", "--release", "--locked", "--offline", "--frozen", "--no-fail-fast",
    "--runInBand", "--run", "--silent", "--bail",
];

/// Returns the command without its selection of tests; `None` where it selects none, or its runner is not known.
///
/// ```
/// use papayu_batch::project::widen_command;
///
/// assert_eq!(widen_command("python -m pytest -q tests/test_a.py -k b").as_deref(), Some("python -m pytest -q"));
/// assert_eq!(widen_command("go test ./shop -run Total").as_deref(), Some("go test ./..."));
/// assert_eq!(widen_command("pytest -q"), None);
/// assert_eq!(widen_command("sh check.sh"), None);
/// ```
pub fn widen_command(command: &str) -> Option<String> {
    // Shell syntax: several programs, or words that are known only when it runs.
    if command.contains(['|', '&', ';', '<', '>', '$', '`', '\n', '(', '*', '?']) {
        return None;
    }
    // Words that the shell's rules cannot split are not understood here either.
    let words = shlex::split(command)?;
    let (runner, end) =
        RUNNERS.iter().find_map(|runner| Some((runner, find_words(&words, runner)?)))?;
    // The words of the runner stay as they are.
    let (head, rest) = words.split_at_checked(end)?;
    let mut kept: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut is_narrow = false;
    let mut rest = rest.iter().map(String::as_str);
    let mut arguments: Vec<&str> = Vec::new();
    let mut is_after_option = false;
    while let Some(word) = rest.next() {
        // `--grep=x` has the name before the equals sign.
        let name = word.split('=').next().unwrap_or(word);
        let selection = runner.selections.iter().find(|(option, _)| *option == name);
        if word == "--" {
            // The words after it are for the tests themselves, where names select them too.
            is_narrow |= rest.any(|it| !it.starts_with('-'));
            break;
        }
        if let Some((_, has_value)) = selection {
            is_narrow = true;
            if *has_value && !word.contains('=') {
                // The value of the option is dropped with it.
                rest.next();
            }
            is_after_option = false;
        } else if word.starts_with('-') {
            is_after_option = !word.contains('=') && !FLAGS.contains(&word);
            arguments.push(word);
        } else if is_after_option {
            // It is the value of the option, or a test.
            return None;
        } else if Some(word) != runner.all {
            is_narrow = true;
        }
    }
    kept.extend(arguments);
    kept.extend(runner.all);
    // Quoted only where a word needs it, because the command is shown.
    let is_plain = |word: &&str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "_./=:,@%+-".contains(c))
    };
    let joined =
        if kept.iter().all(is_plain) { kept.join(" ") } else { shlex::try_join(kept).ok()? };
    is_narrow.then_some(joined)
}

/// Returns the position after the words of a runner; the first may be a path to it.
fn find_words(words: &[String], runner: &TestRunner) -> Option<usize> {
    let length = runner.words.len();
    let at = words.windows(length).position(|window| {
        window.iter().zip(runner.words).all(|(word, name)| word.rsplit('/').next() == Some(name))
    })?;
    Some(at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_of_tests_is_taken_off() {
        for (command, whole) in [
            ("pytest tests/test_a.py", "pytest"),
            (".venv/bin/pytest -q tests/test_a.py::test_b", ".venv/bin/pytest -q"),
            ("python3 -m unittest tests.test_a", "python3 -m unittest"),
            ("cargo test --test it proof", "cargo test"),
            ("cargo test -p shop", "cargo test"),
            ("cargo test --all-features -- adds", "cargo test --all-features"),
            ("npx jest src/a.test.js -t adds", "npx jest"),
            ("npx vitest run src/a.test.ts", "npx vitest run"),
            ("node --test test/a.test.js", "node --test"),
            ("go test -count=1 ./a", "go test -count=1 ./..."),
            ("bundle exec rspec spec/a_spec.rb:3", "bundle exec rspec"),
        ] {
            assert_eq!(widen_command(command).as_deref(), Some(whole), "{command}");
        }
    }

    #[test]
    fn a_command_that_runs_everything_or_is_unknown_is_not_widened() {
        for command in [
            "pytest", "pytest -q -x", "cargo test", "go test ./...", "npm test", "make test",
            "node a.js", "cd a && pytest b.py", "pytest -n 4 tests/test_a.py", "npx jest --ci",
            "python -m unittest -v", "",
        ] {
            assert_eq!(widen_command(command), None, "{command}");
        }
    }
}
