//! The MCP server against the client of MCP's Python SDK, on both revisions, and the inspector.
//! `tests/it/mcp.rs` has the clients that misbehave.

use std::fs;
use std::path::Path;
use std::process::Command;

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
        { "tool": "what_changed", "arguments": { "green": "HEAD" } },
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
        .args([
            "--cli",
            env!("CARGO_BIN_EXE_papayu-batch"),
            "mcp",
            "--structured",
            "--profile",
            "all",
            "--repo",
        ])
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
    assert_eq!(listed["tools"].as_array().unwrap().len(), 25);
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
        assert_eq!(tools.len(), 25);
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
        assert_eq!(results[21]["data"]["definitions"][0]["path"], "settings/new.py");
        assert!(results[24]["text"].as_str().unwrap().contains("Accept no text"), "{results:?}");
    }
}
