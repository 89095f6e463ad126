//! How commands and scripts name a tool, and when nobody named it.

use super::super::super::tool_table::GO;
use super::*;
use crate::tests::{Outside, config, tools};
use papayu_base::domain::{Failure, FailureReport, Location};
use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

const LINTER: ToolRow = ToolRow {
    name: "linter",
    commands: &["check"],
    plain: "--strict",
    words: "-c",
    inside: "--config",
    own: "",
    switches: "--fix",
    valued: "--format -o --plugin",
    variables: &["A"],
    homes: &[],
    on_path: true,
    endings: &["js"],
    subject: ToolSubject::FailedFiles,
};

const MANIFEST: &str = r#"{"scripts": {
    "lint": "npm run lint:js", "lint:js": "cross-env A=1 linter check --fix src",
    "loop": "npm run loop", "test": "cd sub && linter check .",
    "env": "A='x y' NODE_OPTIONS=--require=./a.js linter check --config a.js src",
    "plugin": "linter check --plugin ./a.js src", "unknown": "linter check --load ./a.js src"
}}"#;

/// Folder, variables and arguments of the call that is found.
fn found(run: Option<&str>, report: &FailureReport) -> Option<(String, String, Vec<String>)> {
    let files = [("package.json", MANIFEST), ("a.js", ""), ("b.py", "")];
    let file = |(path, text): (&str, &str)| (path.to_owned(), MemoryNode::File(text.into(), 0o644));
    let tree = MemoryTree::new(files.map(file).into_iter().collect::<Nodes>());
    let (outside, config) = (Outside::holding(&["a.js", "b.py"]), config(run));
    let tools = tools(&outside, &tree, &config, report);
    let tool = invocation(&DiagnosticContext::new(&tools), &LINTER).ok()?.tool;
    let env: Vec<String> =
        tool.env().iter().map(|(name, value)| format!("{name}={value}")).collect();
    Some((tool.folder().to_owned(), env.join(" "), tool.arguments().to_vec()))
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
        ("npm run env", call("", "", "check --config a.js src")),
        ("npm run plugin", call("", "", "check src")),
        ("npm run unknown", call("", "", "check .")),
        (
            "A='x y' linter check --config /any/where src",
            call("", "A=x y", "check --config /any/where src"),
        ),
        ("linter check --load ./a.js src", call("", "", "check .")),
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

#[test]
fn a_log_chooses_options_of_the_table_and_files_of_the_repository_only() {
    let finding = |command: &str| FailureReport {
        command: Some(command.to_owned()),
        ..FailureReport::default()
    };
    for (command, expected) in [
        ("linter check --strict -c 3 src", "check --strict -c 3 src"),
        ("linter check --plugin ./a.js -o ~/.bashrc src", "check src"),
        ("/tmp/linter check src", "check src"),
        // Anything else is replaced by the plain form.
        ("linter check --config a.js src", "check ."),
        ("linter check --load=./a.js src", "check ."),
        ("linter check ../elsewhere", "check ."),
        ("linter check /etc", "check ."),
        ("linter check src/../../elsewhere", "check ."),
        ("linter check -c --load src", "check ."),
        ("linter check --strict=./a.js src", "check ."),
        ("linter check `id`", "check ."),
    ] {
        assert_eq!(found(None, &finding(command)), Some(call("", "", expected)), "{command}");
    }
    for command in ["A=1 linter check src", "NODE_OPTIONS=--require=./a.js linter check src"] {
        assert_eq!(found(None, &finding(command)), Some(call("", "", "check src")), "{command}");
    }
}

#[test]
fn go_is_never_started_with_a_program_that_a_log_names() {
    let (outside, config) = (Outside::holding(&["go.mod"]), config(None));
    let tree = MemoryTree::new(Nodes::default());
    for words in [
        "-toolexec ./evil ./...",
        "-toolexec=./evil ./...",
        "--toolexec=./evil ./...",
        "-vettool=./evil ./...",
        "-exec ./evil ./...",
        "-overlay o.json -modfile=m ./...",
        "-C .. ./...",
        "-unknown ./evil",
    ] {
        let command = Some(format!("GOFLAGS=-toolexec=./evil go vet {words}"));
        let report = FailureReport { command, ..FailureReport::default() };
        let tools = tools(&outside, &tree, &config, &report);
        let tool = invocation(&DiagnosticContext::new(&tools), &GO).unwrap().tool;
        assert_eq!((tool.env(), tool.arguments().join(" ")), (&[][..], "vet ./...".to_owned()));
    }
}
