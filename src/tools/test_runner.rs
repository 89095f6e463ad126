//! Finds the test runner that a command line runs, also inside scripts of `package.json`, and limits it to one path or name.

use papayu_base::domain::RepoPath;
use papayu_lang::Language;
use papayu_system::Tree;
use serde_json::{Map, Value};

use crate::verify::list_commands;

/// Most commands that are looked at: scripts may call each other in a cycle.
const MAX_COMMANDS: usize = 100;

/// Longest manifest, in bytes.
const MAX_MANIFEST_BYTES: u64 = 1024 * 1024;

/// Programs that run the command in their arguments, some with options before it.
const WRAPPERS: &[&str] = &[
    "npx", "pnpx", "bunx", "npm", "pnpm", "yarn", "bun", "cross-env", "env", "dotenv", "c8", "nyc",
    "poetry", "uv", "pipenv", "python", "python3", "bundle",
];

/// Programs that run several scripts by their names.
const SCRIPT_LISTS: &[&str] = &["npm-run-all", "npm-run-all2", "run-s", "run-p"];

/// The first words of each test runner, and its option before a part of the names of tests. `node` is one with `--test`.
const RUNNERS: &[(&[&str], &str)] = &[
    (&["pytest"], "-k"),
    (&["unittest"], "-k"),
    (&["vitest", "run"], "-t"),
    (&["vitest"], "-t"),
    (&["jest"], "-t"),
    (&["react-scripts", "test"], "-t"),
    (&["mocha"], "-g"),
    (&["playwright", "test"], "-g"),
    (&["node"], "--test-name-pattern"),
    (&["bun", "test"], "-t"),
    (&["rspec"], "-e"),
    (&["go", "test"], "-run"),
    (&["cargo", "test"], "--"),
];

/// Options of runners with a value in the next word.
const VALUED: &str = "-c -k -m -n -o -p -r -t -u -R -W --config --env --environment --import --loader --pool --project --reporter \
    --require --retries --root --rootdir --shard --test-reporter --timeout --ui --workers";

/// A command that runs tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RunnerCommand {
    /// `env` with the variables that a script sets for the command, or nothing.
    pub(super) variables: Vec<String>,
    /// The words of the command.
    pub(super) words: Vec<String>,
    /// The position of its options.
    options: usize,
    /// The option before a part of the names of tests.
    name_option: &'static str,
    /// A shell replaces a word of it by the names of files.
    has_glob: bool,
}

/// Returns the command that runs the tests of a path, or those with a part of a name, out of a command line: a part of it, or of
/// the scripts of `package.json` that it calls. `None` if no part of it can be limited so.
pub(super) fn limit_command(
    tree: &dyn Tree,
    command: &str,
    path: Option<&str>,
    name: Option<&str>,
) -> Option<RunnerCommand> {
    let (found, others) = find_runners(tree, command);
    let fitness = |it: &RunnerCommand| path.map_or(0, |path| it.fitness(path));
    let most = found.iter().map(fitness).max().unwrap_or_default();
    let mut fitting: Vec<_> = found.into_iter().filter(|it| fitness(it) == most).collect();
    // The test may be one of another runner, and some pass if they find no test.
    if fitting.len() > 1 {
        return None;
    }
    let Some(mut best) = fitting.pop() else {
        // A script of one unknown command gets the words as most runners take them.
        let mut words = shlex::split(command)?;
        let is_script = matches!(words.first()?.as_str(), "npm" | "pnpm" | "yarn");
        words.push("--".to_owned());
        words.extend(path.map(str::to_owned));
        words.extend(name.into_iter().flat_map(|name| ["-t".to_owned(), name.to_owned()]));
        return (is_script && others == 1).then(|| RunnerCommand { words, ..Default::default() });
    };
    if let Some(path) = path {
        let options = best.words.split_off(best.options);
        best.words.extend(without_operands(&options));
        best.words.push(match best.words.first()?.as_str() {
            "cargo" => return None,
            "go" => package_of(path),
            _ => path.to_owned(),
        });
    }
    if path.is_none() && best.has_glob {
        return None;
    }
    let Some(name) = name.map(str::to_owned) else { return Some(best) };
    if best.name_option == "--" {
        best.words.push(name);
    } else {
        // `node` takes no options behind files.
        best.words.splice(best.options..best.options, [best.name_option.to_owned(), name]);
    }
    Some(best)
}

impl RunnerCommand {
    /// Returns how well it fits a path: the ending comes first, then the longest start of the path that it names.
    fn fitness(&self, path: &str) -> usize {
        let shared = |word: &String| {
            let fixed = word.split('*').next().unwrap_or_default().trim_start_matches("./");
            if path.starts_with(fixed) { fixed.len() } else { 0 }
        };
        let named = self.words.iter().map(shared).max().unwrap_or_default();
        let is_python = self.name_option == "-k";
        named
            + if is_python == (Language::of_path(path) == Some(Language::Python)) {
                1_000
            } else {
                0
            }
    }
}

/// Returns the commands with a test runner in a command line and in the scripts that it calls, in order, and the number of
/// other commands.
fn find_runners(tree: &dyn Tree, command: &str) -> (Vec<RunnerCommand>, usize) {
    let manifest = RepoPath::parse("package.json").ok();
    let manifest = manifest.and_then(|path| tree.read(&path, MAX_MANIFEST_BYTES).ok());
    // A manifest that is no JSON has no scripts.
    let manifest: Value = serde_json::from_slice(&manifest.unwrap_or_default()).unwrap_or_default();
    let scripts = manifest.get("scripts").and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut found, mut others) = (Vec::new(), 0);
    let mut pending = vec![(command.to_owned(), String::new())];
    for _ in 0..MAX_COMMANDS {
        let Some((text, manager)) = pending.pop() else { break };
        // The last one is on top, so that the parts of a line are read in order.
        let parts = list_commands(&text);
        if parts.len() > 1 {
            pending.extend(parts.into_iter().rev().map(|part| (part, manager.clone())));
            continue;
        }
        let words = shlex::split(&text).unwrap_or_default();
        // A script may have the name of a runner, and a shell would expand some characters.
        let called = called_scripts(&words, &scripts, &manager);
        let runner = read_runner(words, &manager).filter(|_| !text.contains(['$', '`', '<', '>']));
        match runner {
            _ if !called.is_empty() => pending.extend(called.into_iter().rev()),
            Some(runner) => {
                let is_glob = |word: &str| word.contains('*') && !word.contains(['"', '\'']);
                let has_glob = text.split_whitespace().any(is_glob);
                found.push(RunnerCommand { has_glob, ..runner });
            }
            None => others += 1,
        }
    }
    (found, others)
}

/// Returns the runner that a command starts. One of a script is installed with the package, so that the package manager starts
/// it, without the wrappers that measure coverage.
fn read_runner(mut words: Vec<String>, manager: &str) -> Option<RunnerCommand> {
    words.drain(..usize::from(words.first().is_some_and(|it| it == "cross-env" || it == "env")));
    let is_assignment = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains(['-', '/']))
    };
    let count = words.iter().take_while(is_assignment).count();
    let mut variables: Vec<String> = words.drain(..count).collect();
    variables.splice(..0, (count > 0).then(|| "env".to_owned()));
    let most = if WRAPPERS.contains(&words.first()?.as_str()) { words.len() } else { 1 };
    let (at, (own, name_option)) = (0..most).find_map(|at| {
        let rest = words.get(at..)?;
        Some((at, RUNNERS.iter().find(|(own, _)| begins(rest, own))?))
    })?;
    let program = *own.first()?;
    // These are no packages, and what a user wrote stays as it is.
    let is_installed = !["pytest", "unittest", "node", "bun", "go", "cargo"].contains(&program);
    let mut options = at + own.len();
    if is_installed && !manager.is_empty() {
        let launcher: &[&str] = match manager {
            "pnpm" => &["pnpm", "exec", program],
            "yarn" => &["yarn", "run", program],
            _ => &["npx", program],
        };
        words.splice(..=at, launcher.iter().map(|word| (*word).to_owned()));
        options = launcher.len() + own.len() - 1;
    }
    Some(RunnerCommand { variables, words, options, name_option, has_glob: false })
}

/// Returns `true` if the words start a runner, by its name or by its path in `node_modules/.bin`.
fn begins(words: &[String], runner: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let mut own = runner.iter();
    own.next().is_some_and(|name| program.rsplit('/').next() == Some(*name))
        && own.eq(rest.iter().take(runner.len() - 1))
        && (runner != ["node"] || rest.iter().any(|word| word == "--test"))
}

/// Returns the scripts that a command calls, each with the package manager that runs it.
fn called_scripts(
    words: &[String],
    scripts: &Map<String, Value>,
    manager: &str,
) -> Vec<(String, String)> {
    let plain: Vec<&str> = words.iter().map(String::as_str).take_while(|it| *it != "--").collect();
    let plain: Vec<&str> = plain.into_iter().filter(|it| !it.starts_with('-')).collect();
    let (manager, names): (&str, &[&str]) = match plain.as_slice() {
        [program, names @ ..] if SCRIPT_LISTS.contains(program) => (manager, names),
        [program @ ("npm" | "pnpm" | "yarn" | "bun"), "run" | "run-script", name, ..] => {
            (program, std::slice::from_ref(name))
        }
        [program @ "npm", "t" | "tst", ..] => (program, &["test"]),
        [program @ ("npm" | "pnpm" | "yarn"), name, ..] => (program, std::slice::from_ref(name)),
        _ => return Vec::new(),
    };
    let manager = if manager.is_empty() { "npm" } else { manager };
    let mut called = Vec::new();
    for name in names {
        // `test:*` means all scripts that begin with `test:`.
        let start = name.strip_suffix('*');
        let is_meant = |it: &str| start.map_or(it == *name, |start| it.starts_with(start));
        let texts = scripts.iter().filter(|(it, _)| is_meant(it)).filter_map(|(_, it)| it.as_str());
        called.extend(texts.map(|it| (it.to_owned(), manager.to_owned())));
    }
    called
}

/// Returns the options with their values, without the words that name files.
fn without_operands(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut is_value = false;
    for word in words.iter().take_while(|it| *it != "--") {
        let is_option = word.starts_with('-');
        if is_option || is_value {
            kept.push(word.clone());
        }
        is_value = is_option && VALUED.split_whitespace().any(|it| it == word);
    }
    kept
}

/// Returns the package of Go in a folder, or in that of a file.
fn package_of(path: &str) -> String {
    let is_file = Language::of_path(path) == Some(Language::Go);
    let folder = if is_file { path.rsplit_once('/').map_or("", |(it, _)| it) } else { path };
    if folder.is_empty() { ".".to_owned() } else { format!("./{folder}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

    fn limit(scripts: &str, command: &str, path: Option<&str>, name: Option<&str>) -> String {
        let manifest = format!("{{\"scripts\": {{{scripts}}}}}").into_bytes();
        let nodes = Nodes::from([
            (String::new(), MemoryNode::Dir),
            ("package.json".to_owned(), MemoryNode::File(manifest, 0o644)),
        ]);
        let limited = limit_command(&MemoryTree::new(nodes), command, path, name);
        let words = limited.map(|it| [it.variables, it.words].concat().join(" "));
        words.unwrap_or_default()
    }

    #[test]
    fn each_runner_is_limited_by_its_own_arguments() {
        for (command, path, name, expected) in [
            (
                "python3 -m pytest -q tests",
                Some("tests/a.py"),
                Some("sum"),
                "python3 -m pytest -k sum -q tests/a.py",
            ),
            ("cargo test --workspace", None, Some("sum"), "cargo test --workspace sum"),
            ("cargo test", Some("src/a.rs"), None, ""),
            (
                "go vet ./... && go test ./...",
                Some("a/b_test.go"),
                Some("Sum"),
                "go test -run Sum ./a",
            ),
            ("go test ./...", None, Some("Sum"), "go test -run Sum ./..."),
            ("python3 -m unittest", None, Some("sum"), "python3 -m unittest -k sum"),
            ("make lint && make test", Some("a"), None, ""),
        ] {
            assert_eq!(limit("", command, path, name), expected, "{command}");
        }
    }

    #[test]
    fn the_runner_inside_compound_scripts_is_run_alone() {
        let unit = r#""test": "npm run lint && npm run unit && npm run e2e", "lint": "eslint .", "#
            .to_owned()
            + r#""unit": "cross-env NODE_ENV=test c8 mocha -r ./setup.js --exit 'test/**/*.js'", "#
            + r#""e2e": "playwright test e2e", "pytest": "pytest -q py", "all": "run-s lint test:*", "#
            + r#""test:node": "node --import tsx --test src/*.test.ts", "cycle": "npm run cycle && tsc", "#
            + r#""own": "node check.js", "two": "tsc && node check.js""#;
        for (command, path, name, expected) in [
            (
                "npm test",
                Some("test/a.js"),
                Some("sum"),
                "env NODE_ENV=test npx mocha -g sum -r ./setup.js --exit test/a.js",
            ),
            ("npm test", Some("e2e/a.js"), None, "npx playwright test e2e/a.js"),
            // It may be a test of either.
            ("npm test", None, Some("sum"), ""),
            (
                "npm run unit",
                None,
                Some("sum"),
                "env NODE_ENV=test npx mocha -g sum -r ./setup.js --exit test/**/*.js",
            ),
            ("npm run test:node", None, Some("sum"), ""),
            ("A=1 node --test && A=2 node --test", Some("test/a.js"), None, ""),
            (
                "pnpm run lint; pnpm e2e",
                Some("e2e/a.js"),
                None,
                "pnpm exec playwright test e2e/a.js",
            ),
            ("npm test && npm run pytest", Some("py/a.py"), None, "pytest -q py/a.py"),
            (
                "yarn all",
                Some("src/a.test.ts"),
                Some("sum"),
                "node --test-name-pattern sum --import tsx --test src/a.test.ts",
            ),
            // One unknown command takes the words of most runners, one of several does not.
            ("npm run own", Some("a.js"), Some("sum"), "npm run own -- a.js -t sum"),
            ("npm run two", Some("a.js"), None, ""),
            ("npm run cycle", Some("a.js"), None, ""),
        ] {
            assert_eq!(limit(&unit, command, path, name), expected, "{command}");
        }
    }
}
