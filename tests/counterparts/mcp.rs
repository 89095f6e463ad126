//! The MCP server against the client of MCP's Python SDK, on both revisions, and against clients that misbehave.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::judges::{beside, home};
use crate::project::{COMMAND, Project};

/// Calls through the SDK, which validates every message and every answer against its output schema.
fn calls(mode: &str, folder: &Path, calls: &Value) -> Value {
    let file = folder.with_file_name("calls.json");
    fs::write(&file, calls.to_string()).unwrap();
    let output = Command::new(home().join("venv/bin/python"))
        .arg(beside("mcp_client.py"))
        .args([mode, env!("CARGO_BIN_EXE_papayu-batch")])
        .args([folder, &file])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{mode}: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every tool once; the last calls are refused.
fn every_tool() -> Value {
    let parser = "settings/parser.py";
    json!([
        { "tool": "get_lines", "arguments": { "path": parser, "start": 4, "end": 4 } },
        { "tool": "get_function", "arguments": { "path": parser, "name": "parse" } },
        { "tool": "get_class", "arguments": { "path": "tests/test_parser.py", "name": "ParserTest" } },
        { "tool": "get_structure", "arguments": {} },
        { "tool": "find_definition", "arguments": { "symbol": "parse" } },
        { "tool": "find_references", "arguments": { "symbol": "parse" } },
        { "tool": "get_dependencies", "arguments": { "path": parser } },
        { "tool": "get_dependents", "arguments": { "path": parser } },
        { "tool": "get_complexity", "arguments": {} },
        { "tool": "get_todos", "arguments": {} },
        { "tool": "git_status", "arguments": {} },
        { "tool": "search_code", "arguments": { "query": "splitlines" } },
        { "tool": "symbol", "arguments": { "name": "parse" } },
        { "tool": "graph", "arguments": { "path": parser } },
        { "tool": "read", "arguments": { "path": parser, "name": "parse" } },
        { "tool": "failure_context", "arguments": { "log": "settings/parser.py:8: AttributeError" } },
        { "tool": "verify", "arguments": {} },
        { "tool": "edit_lines", "arguments": {
            "path": parser, "start": 8, "end": 8, "content": "    for line in (text or '').splitlines():\n" } },
        { "tool": "run_tests", "arguments": { "filter": "no_text" } },
        { "tool": "create_file", "arguments": { "path": "settings/new.py", "content": "NEW = 1\n" } },
        { "tool": "find_definition", "arguments": { "symbol": "NEW" } },
        { "tool": "git_diff", "arguments": {} },
        { "tool": "git_commit", "arguments": { "message": "Accept no text" } },
        { "tool": "run_command", "arguments": { "command": "git log --oneline" } },
        { "tool": "delete_file", "arguments": { "path": "settings/new.py" } },
        { "tool": "get_lines", "arguments": { "path": "../../etc/passwd" } },
        { "tool": "get_lines", "arguments": { "path": parser, "start": "one" } },
        { "tool": "get_lines", "arguments": { "file": parser } },
        { "tool": "run_command", "arguments": { "command": "curl example.org" } },
    ])
}

/// Runs the command line of the inspector, which validates schemas and answers.
fn inspect(folder: &Path, arguments: &[String]) -> Value {
    let output = Command::new(home().join("node_modules/.bin/mcp-inspector"))
        .args(["--cli", env!("CARGO_BIN_EXE_papayu-batch"), "mcp", "--profile", "all", "--repo"])
        .arg(folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_inspectors_command_line_lists_and_calls_every_tool() {
    let project = Project::new();
    let settings = format!("[run]\ncommand = \"{COMMAND}\"\n");
    fs::write(project.repo().join("papayu.toml"), settings).unwrap();
    let listed = inspect(&project.repo(), &["--method", "tools/list"].map(str::to_owned));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 24);
    for call in every_tool().as_array().unwrap() {
        let words = ["--method", "tools/call", "--tool-name", call["tool"].as_str().unwrap()];
        let mut words: Vec<String> = words.map(str::to_owned).into();
        for (name, value) in call["arguments"].as_object().unwrap() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            words.extend(["--tool-arg".to_owned(), format!("{name}={value}")]);
        }
        // The first call that is refused; its error is no answer of the inspector's own form.
        if call["tool"] == "delete_file" {
            break;
        }
        let said = inspect(&project.repo(), &words);
        assert_eq!(said["isError"], false, "{words:?}: {said}");
        assert!(said["structuredContent"].is_object(), "{words:?}: {said}");
    }
}

#[test]
fn a_client_lists_and_calls_every_tool_on_both_revisions() {
    for (mode, version) in [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")] {
        let project = Project::new();
        let settings = format!("[run]\ncommand = \"{COMMAND}\"\n");
        fs::write(project.repo().join("papayu.toml"), settings).unwrap();
        let said = calls(mode, &project.repo(), &every_tool());
        assert_eq!(said["version"], version);
        let tools = said["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 24);
        assert!(tools.iter().all(|tool| tool["outputSchema"]["type"] == "object"), "{tools:?}");
        let hint = |name: &str, hint: &str| {
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            tool["annotations"][hint].clone()
        };
        assert_eq!(hint("get_lines", "readOnlyHint"), true);
        assert_eq!(hint("edit_lines", "destructiveHint"), true);
        assert_eq!(hint("create_file", "destructiveHint"), false);
        assert_eq!(said["prompts"], json!(["fix_failure", "explain_failure"]));
        let results = said["results"].as_array().unwrap();
        let refused: Vec<_> = results.iter().filter(|it| it["is_error"] == true).collect();
        let code = |it: &&Value| it["text"].as_str().unwrap().split(':').next().unwrap().to_owned();
        let codes: Vec<String> = refused.iter().map(code).collect();
        let parameter = "ERR_TOOL_PARAMETER";
        assert_eq!(
            codes,
            ["ERR_DELETE_NOT_ALLOWED", parameter, parameter, parameter, "ERR_TOOL_COMMAND_BLOCKED"],
            "{results:?}"
        );
        let link = results[0]["links"][0].as_str().unwrap();
        assert!(link.starts_with("file:///") && link.ends_with("/settings/parser.py"), "{link}");
        assert_eq!(results[20]["data"]["definitions"][0]["path"], "settings/new.py");
        assert!(results[23]["text"].as_str().unwrap().contains("Accept no text"), "{results:?}");
    }
}

/// A session over plain pipes.
struct Session {
    child: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Session {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
            .args(["mcp", "--repo"])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut session = Self { child, answers };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" },
        });
        let answer = session.request(&json!({ "id": 0, "method": "initialize", "params": params }));
        assert_eq!(answer["result"]["serverInfo"]["name"], "papayu-batch");
        session.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        session
    }

    fn send(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn request(&mut self, message: &Value) -> Value {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        self.send(&message.to_string());
        loop {
            let mut line = String::new();
            assert_ne!(self.answers.read_line(&mut line).unwrap(), 0, "no answer to {message}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == message["id"] {
                return answer;
            }
        }
    }

    fn read(&mut self, id: u64) -> Value {
        let arguments = json!({ "path": "settings/parser.py", "start": 1, "end": 3 });
        let params = json!({ "name": "read", "arguments": arguments });
        self.request(&json!({ "id": id, "method": "tools/call", "params": params }))
    }

    /// Returns the resident memory in KiB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn invalid_messages_get_errors_and_the_session_goes_on() {
    let project = Project::new();
    let mut session = Session::start(&project.repo());
    for line in [
        "",
        "rubbish",
        "{",
        "[]",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{0}\u{1}",
        "{\"jsonrpc\":\"1.0\",\"id\":1}",
    ] {
        session.send(line);
    }
    session.send(&format!("{{\"jsonrpc\":\"2.0\",\"x\":\"{}\"}}", "y".repeat(100_000)));
    let unknown = json!({ "id": 7, "method": "tools/call", "params": { "name": "no_tool" } });
    assert_eq!(session.request(&unknown)["error"]["code"], -32602);
    let answer = session.read(8);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    session.end();
}

#[test]
fn ten_thousand_calls_leave_the_memory_as_it_was() {
    let project = Project::new();
    let mut session = Session::start(&project.repo());
    for id in 1..=1_000 {
        session.read(id);
    }
    let before = session.memory();
    for id in 1_001..=10_000 {
        session.read(id);
    }
    let after = session.memory();
    assert!(after < before + 4 * 1024, "{before} KiB, then {after} KiB");
    session.end();
}

#[test]
fn a_client_that_dies_ends_the_server() {
    let project = Project::new();
    let mut session = Session::start(&project.repo());
    // The client asks for a long answer and is gone before it arrives.
    session.send(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"verify\"}}",
    );
    session.end();
}
