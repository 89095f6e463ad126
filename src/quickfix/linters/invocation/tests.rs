//! How commands and scripts name a tool, and when nobody named it.

use std::time::Duration;

use super::super::super::tool_context::ToolContext;
use super::*;
use crate::domain::{Failure, FailureReport, Location};
use crate::quickfix::tests::{Outside, config};
use crate::system::memory::{MemoryTree, Node, Nodes};

const LINTER: Known = Known {
    name: "linter",
    commands: &["check"],
    switches: &["--fix"],
    valued: &["--format", "-o"],
    homes: &[],
    on_path: true,
    endings: &["js"],
};

const MANIFEST: &str = r#"{"scripts": {
    "lint": "npm run lint:js", "lint:js": "cross-env A=1 linter check --fix src",
    "loop": "npm run loop", "test": "cd sub && linter check ."
}}"#;

/// Folder, variables and arguments of the call that is found.
fn found(run: Option<&str>, report: &FailureReport) -> Option<(String, String, Vec<String>)> {
    let files = [("package.json", MANIFEST), ("a.js", ""), ("b.py", "")];
    let file = |(path, text): (&str, &str)| (path.to_owned(), Node::File(text.into(), 0o644));
    let tree = MemoryTree::new(files.map(file).into_iter().collect::<Nodes>());
    let (outside, config) = (Outside::holding(&["a.js", "b.py"]), config(run));
    let tools = ToolContext {
        system: outside.system(),
        tree: &tree,
        config: &config,
        report,
        names: None,
        time_limit: Duration::ZERO,
    };
    let called = invocation(&DiagnosticContext::new(&tools), &LINTER)?.unwrap();
    let env: Vec<String> =
        called.program.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Some((called.program.folder, env.join(" "), called.arguments))
}

fn call(folder: &str, env: &str, arguments: &str) -> (String, String, Vec<String>) {
    let arguments = arguments.split(' ').map(str::to_owned).collect();
    (folder.to_owned(), env.to_owned(), arguments)
}

#[test]
fn what_is_no_plain_call_of_the_tool_is_none() {
    for run in [
        "make",
        "my-linter check",
        "linters check",
        "npm run loop",
        "linter format --check .",
        "cat x | grep linter ; linter format",
        "'",
    ] {
        let none = found(Some(run), &FailureReport::default());
        assert!(none.is_none(), "{run}: {none:?}");
    }
    assert_eq!(found(None, &FailureReport::default()), None);
}

#[test]
fn calls_are_found_in_commands_and_in_the_scripts_they_run() {
    for (run, expected) in [
        (
            "linter check --fix --format=x -o y src -c z 2>&1 | tee log",
            call("", "", "check src -c z"),
        ),
        ("cargo test && cd a/b && A=1 npx --no linter check .", call("a/b", "A=1", "check .")),
        ("linter format && ./node_modules/.bin/linter check", call("", "", "check")),
        ("npm run lint -- x", call("", "A=1", "check src")),
        ("yarn -s lint", call("", "A=1", "check src")),
        ("npm test", call("sub", "", "check .")),
        ("npm t", call("sub", "", "check .")),
        ("cd .. && linter check", call("", "", "check .")),
        ("linter check $FILES", call("", "", "check .")),
    ] {
        assert_eq!(found(Some(run), &FailureReport::default()), Some(expected), "{run}");
    }
}

#[test]
fn a_log_that_names_the_tool_is_asked_about_the_files_that_failed() {
    let failure = |path: &str| Failure {
        kind: FailureKind::Lint,
        locations: vec![Location { path: path.to_owned(), line: None, column: None }],
        ..Failure::default()
    };
    let report = |paths: &[&str]| FailureReport {
        failures: paths.iter().map(|path| failure(path)).collect(),
        excerpt: "linter: 2 problems".to_owned(),
        ..FailureReport::default()
    };
    assert_eq!(
        found(Some("make"), &report(&["a.js", "b.py", "a.js"])),
        Some(call("", "", "check a.js"))
    );
    assert_eq!(found(None, &report(&["../a.js", "gone.js"])), Some(call("", "", "check .")));
}
