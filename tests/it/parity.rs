//! The page of features: every command and every test that it names exists.

use clap::Parser as _;
use papayu_batch::cli::args::Cli;
use pulldown_cmark::{Event, Options, Tag, TagEnd};

use crate::support::{project_file, project_path};

/// Returns the code spans of each cell of each row of the page.
fn rows() -> Vec<Vec<Vec<String>>> {
    let page = project_file("docs/parity.md");
    let mut rows: Vec<Vec<Vec<String>>> = Vec::new();
    for event in pulldown_cmark::Parser::new_ext(&page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::TableRow | Tag::TableHead) => rows.push(Vec::new()),
            Event::End(TagEnd::TableHead) => drop(rows.pop()),
            Event::Start(Tag::TableCell) => {
                if let Some(row) = rows.last_mut() {
                    row.push(Vec::new());
                }
            }
            Event::Code(code) => {
                if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                    cell.push(code.to_string());
                }
            }
            _ => {}
        }
    }
    rows
}

/// Returns what is wrong with a command line.
fn fault_of_command(line: &str) -> Option<String> {
    let parsed = Cli::try_parse_from(line.split(' '));
    parsed.err().map(|error| format!("`{line}`: {error}"))
}

/// Returns what is wrong with the name of a test.
fn fault_of_test(name: &str) -> Option<String> {
    let (path, function) = name.split_once("::")?;
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

#[test]
fn every_feature_has_a_command_and_a_test_that_exist() {
    let rows = rows();
    assert!(rows.len() >= 40, "{}", rows.len());
    let mut faults = Vec::new();
    for row in &rows {
        let [_, commands, tests] = row.as_slice() else { panic!("{row:?}") };
        assert!(!commands.is_empty() && !tests.is_empty(), "{row:?}");
        faults.extend(commands.iter().filter_map(|line| fault_of_command(line)));
        faults.extend(tests.iter().filter_map(|name| fault_of_test(name)));
        faults.extend(tests.iter().filter(|name| !name.contains("::")).cloned());
    }
    assert_eq!(faults, Vec::<String>::new());
    assert!(fault_of_command("papayu-batch fix --no-such-flag").is_some());
    assert!(fault_of_command("papayu-batch no-such-command").is_some());
    assert!(fault_of_test("tests/it/parity.rs::no_such_test").is_some());
}
