//! The page of features: every command on it runs, and every test that it names exists.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Options, Tag, TagEnd};
use serde_json::{Value, json};

use crate::examples::FIXED_LOOP;
use crate::model::{Model, edit, patch, plan};
use crate::research::Engine;
use crate::support::{TestEnv, project_file, project_path};

/// Features of papa-yu and ipuaro, each with a number on the page.
const FEATURES: usize = 52;

/// A row: its first cell, its commands with their exit codes, its tests.
#[derive(Default)]
struct PageRow {
    number: String,
    commands: Vec<(String, i32)>,
    tests: Vec<String>,
}

/// Returns the rows of the tables of the page.
fn rows() -> Vec<PageRow> {
    let page = project_file("docs/parity.md");
    let mut rows: Vec<PageRow> = Vec::new();
    let (mut cells, mut columns) = (0_usize, 0_usize);
    for event in pulldown_cmark::Parser::new_ext(&page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Table(alignments)) => columns = alignments.len(),
            Event::End(TagEnd::Table) => columns = 0,
            Event::Start(Tag::TableRow) => {
                rows.push(PageRow::default());
                cells = 0;
            }
            Event::End(TagEnd::TableCell) => cells += 1,
            // Columns are counted from the right: the first table has a number before them.
            Event::Code(code) => match (rows.last_mut(), columns.saturating_sub(cells)) {
                (Some(row), 2) => row.commands.push((code.to_string(), 0)),
                (Some(row), 1) => row.tests.push(code.to_string()),
                _ => {}
            },
            Event::Text(text) => match (rows.last_mut(), columns.saturating_sub(cells)) {
                (Some(row), 4) => row.number.push_str(&text),
                (Some(row), 2) => {
                    let code = text.trim().trim_end_matches(',').strip_prefix("ends with ");
                    if let (Some((_, expected)), Some(code)) = (row.commands.last_mut(), code) {
                        *expected = code.parse().unwrap();
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    rows
}

/// Returns the lines that prepare the folder of a row.
fn setup() -> String {
    let page = project_file("docs/parity.md");
    let (_, rest) = page.split_once("<!-- setup:\n").unwrap();
    rest.split_once("-->").unwrap().0.to_owned()
}

/// Returns what is wrong with the name of a test.
fn fault_of_test(name: &str) -> Option<String> {
    let Some((path, function)) = name.split_once("::") else {
        return Some(format!("`{name}`: no test"));
    };
    if !project_path(path).is_file() {
        return Some(format!("`{name}`: there is no such file"));
    }
    let text = project_file(path);
    let at = text.find(&format!("fn {function}("));
    let is_test = at.is_some_and(|at| {
        let before = text.split_at(at).0.trim_end();
        before.ends_with("#[test]")
            || before.lines().rev().take(4).any(|line| line.trim() == "#[test]")
    });
    (!is_test).then(|| format!("`{name}`: there is no such test"))
}

/// Returns the replies of a model to a command.
fn replies(env: &TestEnv, line: &str) -> Vec<Value> {
    let change = if line.contains("--protocol 1") || line.contains("PROTOCOL_VERSION=1") {
        let text =
            env.read("src/parser.py").replace("text.splitlines", "(text or \"\").splitlines");
        let action = json!({"kind": "UPDATE_FILE", "path": "src/parser.py", "content": text});
        json!({"actions": [action], "summary": "accepts None"})
    } else if line.contains("--protocol 3") {
        let [before, after] = ["text.splitlines()", "(text or \"\").splitlines()"];
        edit("src/parser.py", &[["replace", before, before, after]])
    } else {
        patch("src/parser.py", FIXED_LOOP)
    };
    let plan = plan("1) accept None");
    match line {
        _ if line.contains("review:") => vec![plan, json!({"summary": "fine", "remarks": []})],
        _ if line.contains("PROVIDERS=") => vec![plan.clone(), plan, change.clone(), change],
        _ if line.contains("--self-check") => vec![plan, change, json!({"claims": []})],
        _ if line.contains("batch apply") => vec![change],
        _ => vec![plan, change],
    }
}

/// Runs a command of a row, and returns its exit code with what it printed.
fn run(env: &TestEnv, line: &str, more: &[(&str, String)]) -> (i32, String) {
    let asks = [" fix", " plan", " apply", " runs continue"]
        .iter()
        .any(|word| line.contains(&format!("batch{word}")));
    let model = Model::serve(if asks { replies(env, line) } else { Vec::new() });
    let mut script = String::from("exec 2>&1\n");
    let variables = if asks { model.variables() } else { Vec::new() };
    let more = more.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in variables.into_iter().chain(more) {
        let _ = writeln!(script, "export {name}='{value}'");
    }
    let _ = writeln!(script, "PROJECT='{}'", project_path("").display());
    script.push_str("PATH=\"$(dirname \"$BIN\"):$PATH\"\nexport PATH PYTHONDONTWRITEBYTECODE=1\n");
    let ran = env.shell(&(script + line));
    (ran.code, ran.stdout)
}

/// Runs the commands of a row one after the other in a folder of its own, and returns what is wrong. Without the address
/// of a `store`, commands that need one are left out.
fn faults_of_commands(row: &PageRow, store: Option<&str>) -> Vec<String> {
    let env = TestEnv::new();
    assert_eq!(run(&env, &setup(), &[]), (0, String::new()));
    let mut faults = Vec::new();
    let engine = Engine::start();
    for (line, expected) in &row.commands {
        let mut more = Vec::new();
        if line.contains("research") {
            more.push(("PAPAYU_ONLINE_SEARXNG_URL", engine.url().to_owned()));
            more.push(("PAPAYU_ONLINE_MAX_PAGES", "0".to_owned()));
        }
        more.extend(store.map(|url| ("PAPAYU_STORE", url.to_owned())));
        if line.contains("--shared") && store.is_none() {
            continue;
        }
        let (code, printed) = run(&env, line, &more);
        if code != *expected {
            faults.push(format!("`{line}` ended with {code}, not with {expected}:\n{printed}"));
        }
    }
    faults
}

#[test]
fn every_feature_has_a_number_and_tests_that_exist() {
    let rows = rows();
    let numbers = rows.iter().filter_map(|row| row.number.parse().ok());
    assert_eq!(numbers.collect::<Vec<usize>>(), (1..=FEATURES).collect::<Vec<_>>());
    for row in &rows {
        assert!(!row.commands.is_empty() && !row.tests.is_empty(), "{:?}", row.commands);
    }
    let faults = rows.iter().flat_map(|row| &row.tests).filter_map(|name| fault_of_test(name));
    assert_eq!(faults.collect::<Vec<_>>(), Vec::<String>::new());
    assert!(fault_of_test("tests/it/parity.rs::no_such_test").is_some());
}

/// Runs all rows, and fails with what is wrong.
fn run_page(faults_of_rows: fn(&[PageRow]) -> Vec<String>) {
    let rows = rows();
    // A row is slow because it waits for commands, so a few run at once.
    let workers = rows.len().div_ceil(4);
    let faults = std::thread::scope(|scope| {
        let started: Vec<_> =
            rows.chunks(workers).map(|some| scope.spawn(move || faults_of_rows(some))).collect();
        started.into_iter().flat_map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_command_of_the_page_runs() {
    run_page(|rows| rows.iter().flat_map(|row| faults_of_commands(row, None)).collect());
}

#[cfg(feature = "redis")]
#[test]
fn every_command_of_the_page_runs_with_a_redis_that_is_killed_and_started_again() {
    run_page(|rows| {
        let mut redis = crate::redis_rig::Redis::new();
        let faults = rows.iter().map(|row| {
            redis.kill();
            redis.start();
            faults_of_commands(row, Some(&redis.url()))
        });
        faults.collect::<Vec<_>>().concat()
    });
}
