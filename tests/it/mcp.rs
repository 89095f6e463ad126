//! The MCP server over plain pipes: every tool with right and wrong parameters, and clients that misbehave.
#![expect(clippy::disallowed_methods, reason = "the tests read files and wait themselves")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Stdio};

use papayu_batch::tools::{COMPOSED, SINGLE};
use serde_json::{Value, json};

use crate::support::TestEnv;
use crate::tools::shop;

/// A session of the server in a repository.
struct Session {
    child: Child,
    answers: BufReader<ChildStdout>,
    last: u64,
}

impl Session {
    fn start(env: &TestEnv, profile: &str) -> Self {
        Self::start_with(env, &["mcp", "--profile", profile])
    }

    fn start_with(env: &TestEnv, arguments: &[&str]) -> Self {
        let mut child = env.start_with(arguments, &[], Stdio::piped());
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut session = Self { child, answers, last: 0 };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" },
        });
        let answer = session.ask("initialize", &params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "papayu-batch");
        session.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        session
    }

    fn send(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Sends a request and returns its number.
    fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message.to_string());
        id
    }

    /// Reads messages until the answer of a request.
    fn answer(&mut self, id: u64) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.answers.read_line(&mut line).unwrap(), 0, "no answer to {id}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool and returns its result.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(answer["result"].is_object(), "{tool}: {answer}");
        answer["result"].clone()
    }

    fn read_start(&mut self) {
        let result = self.call("read", &json!({ "path": "src/money.py", "start": 1, "end": 3 }));
        assert_eq!(result["isError"], false, "{result}");
    }

    /// Returns the resident memory in KiB.
    #[cfg(target_os = "linux")]
    fn memory(&self) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&status).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// A call of a tool that succeeds, wrong parameters of it, and the parts of the message about them: the
/// parameter and the expected value.
struct Row {
    tool: &'static str,
    right: Value,
    wrong: Value,
    message: [&'static str; 2],
}

fn row(tool: &'static str, right: Value, wrong: Value, message: [&'static str; 2]) -> Row {
    Row { tool, right, wrong, message }
}

/// One row for each tool, in an order in which all succeed.
fn rows() -> Vec<Row> {
    [index_rows(), other_reading_rows(), changing_rows()].into_iter().flatten().collect()
}

const MISSING_PATH: [&str; 2] = ["parameter `path`: missing", "Path of the file"];
const NO_TEXT: [&str; 2] = ["parameter `path`", "\"string\""];

fn index_rows() -> Vec<Row> {
    let money = "src/money.py";
    let file = || json!({ "path": money });
    vec![
        row(
            "get_lines",
            json!({ "path": money, "start": 13 }),
            json!({ "path": money, "start": "one" }),
            ["parameter `start`", "\"integer\""],
        ),
        row(
            "get_function",
            json!({ "path": money, "name": "total" }),
            json!({ "path": money }),
            ["parameter `name`: missing", "expected: "],
        ),
        row(
            "get_class",
            json!({ "path": money, "name": "Purse" }),
            json!({ "name": "Purse" }),
            MISSING_PATH,
        ),
        row("get_structure", json!({}), json!({ "path": 5 }), NO_TEXT),
        row(
            "find_definition",
            json!({ "symbol": "total" }),
            json!({ "name": "total" }),
            ["parameter `name`: unknown", "`symbol`"],
        ),
        row(
            "find_references",
            json!({ "symbol": "total" }),
            json!({}),
            ["parameter `symbol`: missing", "The name, or `Class.method`"],
        ),
        row("get_dependencies", file(), json!({}), MISSING_PATH),
        row("get_dependents", file(), json!({}), MISSING_PATH),
        row("get_complexity", json!({}), json!({ "path": [] }), NO_TEXT),
        row("get_todos", json!({}), json!({ "path": true }), NO_TEXT),
    ]
}

fn other_reading_rows() -> Vec<Row> {
    let money = "src/money.py";
    let file = || json!({ "path": money });
    vec![
        row("git_status", json!({}), json!({ "path": 5 }), NO_TEXT),
        row("git_diff", json!({}), json!({ "path": 5 }), NO_TEXT),
        row(
            "search_code",
            json!({ "query": "coin" }),
            json!({ "query": "" }),
            ["parameter `query`", ""],
        ),
        row(
            "symbol",
            json!({ "name": "total" }),
            json!({ "name": 1 }),
            ["parameter `name`", "\"string\""],
        ),
        row("graph", file(), json!({ "file": money }), ["parameter `file`: unknown", "`path`"]),
        row(
            "read",
            json!({ "path": money, "name": "total" }),
            json!({ "path": money, "end": 0 }),
            ["parameter `end`", "minimum of 1"],
        ),
    ]
}

fn changing_rows() -> Vec<Row> {
    let money = "src/money.py";
    vec![
        row(
            "edit_lines",
            json!({ "path": money, "start": 14, "end": 14, "content": "    return sum(coins)\n" }),
            json!({ "path": money, "start": 14, "content": "x" }),
            ["parameter `end`: missing", "expected: "],
        ),
        row("run_tests", json!({}), json!({ "filter": 7 }), ["parameter `filter`", "\"string\""]),
        row("verify", json!({}), json!({ "filter": [] }), ["parameter `filter`", "\"string\""]),
        row(
            "create_file",
            json!({ "path": "src/bank.py", "content": "BANK = 1\n" }),
            json!({ "path": "src/bank.py" }),
            ["parameter `content`: missing", "expected: "],
        ),
        row(
            "git_commit",
            json!({ "message": "Fix the total" }),
            json!({ "message": "m", "files": "src/money.py" }),
            ["parameter `files`", "\"array\""],
        ),
        row(
            "run_command",
            json!({ "command": "git log --oneline" }),
            json!({ "command": ["git", "log"] }),
            ["parameter `command`", "\"string\""],
        ),
        row("delete_file", json!({ "path": "src/bank.py" }), json!({}), MISSING_PATH),
        row(
            "failure_context",
            json!({ "log": "src/money.py:14: AssertionError" }),
            json!({ "log": 1 }),
            ["parameter `log`", "\"string\""],
        ),
        row(
            "what_changed",
            json!({ "green": "HEAD" }),
            json!({ "green": "nowhere" }),
            ["parameter `green`", "no branch, tag or commit is named `nowhere`"],
        ),
    ]
}

#[test]
fn every_tool_has_a_row() {
    let rows = rows();
    let mut names: Vec<&str> = rows.iter().map(|row| row.tool).collect();
    let mut tools: Vec<&str> = SINGLE.iter().chain(COMPOSED).map(|tool| tool.name).collect();
    tools.extend(["failure_context", "what_changed"]);
    names.sort_unstable();
    tools.sort_unstable();
    assert_eq!(names, tools);
}

#[test]
fn every_tool_answers_over_mcp_and_names_a_wrong_parameter_with_the_expected_value() {
    let env = shop();
    env.write_user_settings("[policy]\nallow_delete = true\n");
    let mut session = Session::start(&env, "all");
    for Row { tool, right, wrong, message } in rows() {
        let refused = session.call(tool, &wrong);
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert_eq!(refused["isError"], true, "{tool}: {refused}");
        assert!(text.starts_with("ERR_TOOL_PARAMETER: "), "{tool}: {text}");
        assert!(message.iter().all(|part| text.contains(part)), "{tool}: {text}");
        let result = session.call(tool, &right);
        assert_eq!(result["isError"], false, "{tool}: {result}");
    }
    session.end();
}

#[test]
fn structured_content_has_the_parts_of_a_head_and_follows_the_schema_of_the_tool() {
    let env = shop();
    env.write(
        "src/store.py",
        "class Store(Base):\n    async def load(self, key: str = '', *rest) -> bytes: ...\n",
    );
    let mut session = Session::start_with(&env, &["mcp", "--profile", "all", "--structured"]);
    let tools = session.ask("tools/list", &json!({}))["result"]["tools"].clone();
    for (tool, arguments) in [
        ("symbol", json!({ "name": "load" })),
        ("find_definition", json!({ "symbol": "load" })),
        ("get_function", json!({ "path": "src/store.py", "name": "load" })),
        ("get_structure", json!({ "path": "src/store.py" })),
    ] {
        let content = session.call(tool, &arguments)["structuredContent"].clone();
        let declared = content.to_string();
        for part in ["\"is_async\":true", "\"return_type\":\"bytes\"", "\"type\":\"str\""] {
            assert!(declared.contains(part), "{tool}: {declared}");
        }
        let row = tools.as_array().unwrap().iter().find(|row| row["name"] == tool).unwrap();
        let schema = &row["outputSchema"];
        assert!(schema.to_string().contains("is_readonly"), "{tool}: {schema}");
        jsonschema::validate(schema, &content).unwrap();
    }
    session.end();
}

#[test]
fn an_answer_is_text_or_structured_content_and_never_the_whole_of_both() {
    let env = shop();
    let lines: Vec<String> = (0..100).map(|at| format!("COIN_{at} = {at}")).collect();
    env.write("src/coins.py", &(lines.join("\n") + "\n"));
    let arguments = json!({ "query": "COIN_" });
    let mut session = Session::start(&env, "default");
    let tools = session.ask("tools/list", &json!({}))["result"]["tools"].clone();
    assert!(tools.as_array().unwrap().iter().all(|tool| tool["outputSchema"].is_null()));
    let answer = session.call("search_code", &arguments);
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("COIN_0 ") && text.contains("COIN_40 "), "{text}");
    assert!(answer["structuredContent"].is_null(), "{answer}");
    session.end();
    let mut session = Session::start_with(&env, &["mcp", "--structured"]);
    let answer = session.call("search_code", &arguments);
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("COIN_0 ") && text.ends_with("… (cut; see structuredContent)"), "{text}");
    assert!(text.chars().count() < 500, "{text}");
    assert!(answer["structuredContent"].to_string().contains("COIN_40 "), "{answer}");
    session.end();
}

#[test]
fn a_client_that_asks_for_progress_is_told_while_tests_run_and_their_time_is_limited() {
    let env = shop();
    env.write_user_settings("[run]\ncommand = \"sleep 60\"\n");
    let mut session = Session::start(&env, "default");
    let params = json!({
        "name": "verify", "arguments": { "timeout_sec": 3 }, "_meta": { "progressToken": "p" },
    });
    let id = session.request("tools/call", &params);
    let mut line = String::new();
    session.answers.read_line(&mut line).unwrap();
    let progress: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    assert_eq!(progress["params"]["progressToken"], "p");
    assert_eq!(progress["params"]["message"], "verify has been running for 2 s");
    let answer = session.answer(id)["result"].clone();
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("`sleep 60` was ended: time limit"), "{text}");
    session.end();
}

#[test]
fn every_tool_answers_in_the_shell() {
    let env = shop();
    env.write_user_settings("[policy]\nallow_delete = true\n");
    for Row { tool, right, .. } in rows() {
        let mut arguments = vec!["--format".to_owned(), "json".into(), "tool".into(), tool.into()];
        for (name, value) in right.as_object().unwrap() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            arguments.extend([format!("--{name}"), value]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = env.run(&arguments);
        assert_eq!(ran.code, 0, "{tool}: {ran:?}");
        assert!(ran.json().is_object(), "{tool}: {ran:?}");
    }
}

#[test]
fn a_search_finds_files_as_they_are_after_each_change() {
    let env = shop();
    let mut session = Session::start_with(&env, &["mcp", "--structured"]);
    let mut find = |query: &str| {
        let found = session.call("search_code", &json!({ "query": query }));
        let lines = found["structuredContent"]["lines"].as_array().unwrap().iter();
        lines.map(|line| line["path"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    let empty = Vec::<String>::new();
    assert_eq!(find("open_vault"), empty);
    assert_eq!(find("OPEN_VAULT"), empty);
    env.write("src/vault.py", "def open_vault():\n    return 1\n");
    assert_eq!(find("open_vault"), ["src/vault.py"]);
    env.write("src/money.py", "def close_vault():\n    return 1\n");
    assert_eq!(find("_vault"), ["src/money.py", "src/vault.py"]);
    assert_eq!(find("class Purse"), empty);
    std::fs::remove_file(env.repo().join("src/vault.py")).unwrap();
    assert_eq!(find("_vault"), ["src/money.py"]);
    session.end();
}

#[test]
fn invalid_messages_get_errors_and_the_session_goes_on() {
    let env = shop();
    let mut session = Session::start(&env, "default");
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
    let unknown = session.ask("tools/call", &json!({ "name": "no_tool" }));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(session.ask("no/method", &json!({}))["error"]["code"], -32601);
    session.read_start();
    session.end();
}

#[test]
fn long_requests_and_long_lines_get_answers_of_a_bounded_length() {
    let env = shop();
    env.write("long.py", &format!("x = '{}'\n", "a".repeat(400_000)));
    let mut session = Session::start(&env, "default");
    let call = |path: &str| json!({ "name": "read", "arguments": { "path": path } });
    let answer = session.ask("tools/call", &call("long.py")).to_string();
    assert!(answer.contains("aaaa") && answer.len() < 100_000, "{} bytes", answer.len());
    let answer = session.ask("tools/call", &call(&"x".repeat(17_000_000))).to_string();
    assert!(answer.contains("ERR_TOOL") && answer.len() < 100_000, "{} bytes", answer.len());
    session.end();
}

#[test]
fn no_path_leads_out_of_the_repository() {
    let env = shop();
    let mut session = Session::start(&env, "all");
    let outside = env.home().join("secret.py");
    std::fs::write(&outside, "SECRET = 1\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, env.repo().join("src/link.py")).unwrap();
    let outside = outside.to_string_lossy().into_owned();
    let paths =
        ["../../etc/passwd", "/etc/passwd", "src/../../home/secret.py", &outside, "src/link.py"];
    for path in paths {
        for (tool, more) in [
            ("get_lines", json!({})),
            ("read", json!({})),
            ("get_structure", json!({})),
            ("get_dependencies", json!({})),
            ("edit_lines", json!({ "start": 1, "end": 1, "content": "x" })),
            ("create_file", json!({ "content": "x" })),
            ("delete_file", json!({})),
            ("git_diff", json!({})),
            ("failure_context", json!({})),
        ] {
            let mut arguments = more;
            let name = if tool == "failure_context" { "log_path" } else { "path" };
            arguments[name] = path.into();
            let result = session.call(tool, &arguments);
            let text = result.to_string();
            assert!(!text.contains("SECRET") && !text.contains("root:"), "{tool} {path}: {text}");
            let is_link = path == "src/link.py";
            assert!(is_link || result["isError"] == true, "{tool} {path}: {text}");
        }
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "SECRET = 1\n");
    session.end();
}

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_calls_leave_the_memory_as_it_was() {
    let env = shop();
    let mut session = Session::start(&env, "all");
    let calls = [
        ("read", json!({ "path": "src/money.py", "name": "total" })),
        ("search_code", json!({ "query": "coins" })),
        ("find_references", json!({ "symbol": "total" })),
        ("get_lines", json!({ "path": "../../etc/passwd" })),
    ];
    let repeat = |session: &mut Session, times: usize| {
        for (tool, arguments) in calls.iter().cycle().take(times) {
            session.call(tool, arguments);
        }
        session.memory()
    };
    let before = repeat(&mut session, 1_000);
    let after = repeat(&mut session, 9_000);
    assert!(after < before + 4 * 1024, "{before} KiB, then {after} KiB");
    session.end();
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_sends_thousands_of_calls_before_it_reads_gets_every_answer() {
    let env = shop();
    let mut session = Session::start(&env, "default");
    session.read_start();
    let before = session.memory();
    let params = json!({ "name": "read", "arguments": { "path": "src/money.py" } });
    let mut input = session.child.stdin.take().unwrap();
    // The pipe of answers is full long before the last call is sent.
    let writer = std::thread::spawn(move || {
        for id in 1_000..6_000_u64 {
            let call =
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
            writeln!(input, "{call}").unwrap();
        }
        input
    });
    std::thread::sleep(std::time::Duration::from_secs(3));
    let after = session.memory();
    let mut answered: Vec<u64> = (0..5_000)
        .map(|_| {
            let mut line = String::new();
            session.answers.read_line(&mut line).unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            answer["id"].as_u64().unwrap()
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (1_000..6_000).collect::<Vec<u64>>());
    session.child.stdin = Some(writer.join().unwrap());
    assert!(after < before + 64 * 1024, "{before} KiB, then {after} KiB");
    session.end();
}

#[test]
fn a_client_that_dies_ends_the_server() {
    let env = shop();
    let mut session = Session::start(&env, "default");
    // The client asks for a long answer and is gone before it arrives.
    session.request("tools/call", &json!({ "name": "verify" }));
    let Session { mut child, answers, .. } = session;
    drop((child.stdin.take(), answers));
    let status = child.wait().unwrap();
    assert!(status.code().is_some_and(|code| code < 128), "{status:?}");
}
