//! Reads the JSON of RSpec, CTRF and Playwright, and the lines of JSON that Dart's runner writes.

use std::collections::HashMap;

use serde_json::Value;

use super::failed_test::FailedTest;
use super::{items_at, number_at, text_at};
use papayu_base::domain::{Failure, Location};

/// Returns the failed tests of one of these reports; `None` for other JSON.
pub(super) fn read_more_tests(report: &Value) -> Option<Vec<Failure>> {
    if let Some(examples) = report.get("examples").and_then(Value::as_array) {
        return Some(examples.iter().filter_map(read_rspec).collect());
    }
    if let Some(tests) = report.pointer("/results/tests").and_then(Value::as_array) {
        return Some(tests.iter().filter_map(read_ctrf).collect());
    }
    if report.get("config").is_some()
        && let Some(suites) = report.get("suites").and_then(Value::as_array)
    {
        let mut found = Vec::new();
        for suite in suites {
            read_playwright(suite, "", &mut found);
        }
        return Some(found);
    }
    let of_gtest = |suite: &Value| suite.get("testsuite").is_some_and(Value::is_array);
    let suites = report.get("testsuites").and_then(Value::as_array);
    if let Some(suites) = suites.filter(|suites| suites.iter().all(of_gtest)) {
        let tests = suites.iter().flat_map(|suite| items_at(suite, "/testsuite"));
        return Some(tests.filter_map(read_gtest).collect());
    }
    let features = report.as_array().filter(|features| !features.is_empty())?;
    let is_cucumber =
        features.iter().all(|it| it.get("uri").is_some() && it.get("elements").is_some());
    let scenarios = || features.iter().flat_map(|feature| items_at(feature, "/elements"));
    is_cucumber.then(|| scenarios().filter_map(read_scenario).collect())
}

/// Reads `{"name": …, "classname": …, "file": …, "line": 1, "failures": [{"failure": …}]}` of `GoogleTest`.
fn read_gtest(test: &Value) -> Option<Failure> {
    let texts = items_at(test, "/failures").iter().filter_map(|it| text_at(it, "/failure"));
    let texts: Vec<&str> = texts.collect();
    let message = texts.first()?;
    let class = text_at(test, "/classname").unwrap_or_default();
    let name = format!("{class}.{}", text_at(test, "/name")?);
    let mut failed = FailedTest::new("c", name.trim_start_matches('.'));
    failed.place = place(test, "/file", "/line");
    // The first line of a text is its place.
    let (_, message) = message.split_once('\n').unwrap_or_default();
    Some(failed.finish(message, &texts.join("\n")))
}

/// Reads a scenario of Cucumber by its failed step: `{"name": …, "result": {"status": "failed", "error_message": …}}`.
fn read_scenario(scenario: &Value) -> Option<Failure> {
    let is_failed = |step: &&Value| text_at(step, "/result/status") == Some("failed");
    let step = items_at(scenario, "/steps").iter().find(is_failed)?;
    let mut test = FailedTest::new("cucumber", text_at(scenario, "/name")?);
    let at = text_at(step, "/match/location").and_then(|at| at.rsplit_once(':'));
    test.place = at.map(|(path, line)| Location {
        path: path.to_owned(),
        line: line.parse().ok(),
        column: None,
    });
    let message = text_at(step, "/result/error_message").unwrap_or_default();
    let (message, stack) = message.split_once('\n').unwrap_or((message, ""));
    Some(test.finish(message, stack))
}

/// Reads `{"full_description": …, "status": "failed", "exception": {"message": …, "backtrace": […]}}`.
fn read_rspec(example: &Value) -> Option<Failure> {
    if text_at(example, "/status") != Some("failed") {
        return None;
    }
    let name = text_at(example, "/full_description")?;
    let mut test = FailedTest::new("ruby", name);
    test.place = place(example, "/file_path", "/line_number");
    let frames = items_at(example, "/exception/backtrace").iter().filter_map(Value::as_str);
    let frames: Vec<&str> = frames.collect();
    let message = text_at(example, "/exception/message").unwrap_or_default();
    Some(test.finish(message, &frames.join("\n")))
}

/// Reads `{"name": …, "status": "failed", "message": …, "trace": …, "filePath": …, "line": …}`.
fn read_ctrf(test: &Value) -> Option<Failure> {
    if text_at(test, "/status") != Some("failed") {
        return None;
    }
    let mut failed = FailedTest::new("ctrf", text_at(test, "/name")?);
    failed.place = place(test, "/filePath", "/line");
    let text = |pointer| text_at(test, pointer).unwrap_or_default();
    Some(failed.finish(text("/message"), text("/trace")))
}

/// Reads a suite of Playwright's JSON with the suites inside it.
fn read_playwright(suite: &Value, around: &str, found: &mut Vec<Failure>) {
    let title = text_at(suite, "/title").unwrap_or_default();
    let here = if around.is_empty() { title.to_owned() } else { format!("{around} › {title}") };
    for spec in items_at(suite, "/specs").iter().filter(|spec| spec["ok"] == false) {
        let name = format!("{here} › {}", text_at(spec, "/title").unwrap_or_default());
        let mut test = FailedTest::new("node", &name);
        test.place = place(spec, "/file", "/line");
        let results = items_at(spec, "/tests").iter().flat_map(|test| items_at(test, "/results"));
        let error = results.filter_map(|result| result.get("error")).next_back();
        let text = |pointer| error.and_then(|error| text_at(error, pointer)).unwrap_or_default();
        found.push(test.finish(text("/message"), text("/stack")));
    }
    for inner in items_at(suite, "/suites") {
        read_playwright(inner, &here, found);
    }
}

/// Returns the place that two JSON pointers name.
fn place(value: &Value, path: &str, line: &str) -> Option<Location> {
    let path = text_at(value, path)?.to_owned();
    Some(Location { path, line: number_at(value, line), column: None })
}

/// Returns the failed tests of the events of Dart's runner, one a line; `None` for other lines of JSON.
pub(super) fn read_dart(text: &str) -> Option<Vec<Failure>> {
    let mut tests: HashMap<u64, Value> = HashMap::new();
    let mut errors: Vec<(u64, Value)> = Vec::new();
    let mut found = Vec::new();
    let mut is_dart = false;
    for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok()) {
        // Flutter wraps some events in a list.
        is_dart |= event.get("protocolVersion").is_some();
        match text_at(&event, "/type") {
            Some("testStart") => {
                if let Some(id) = number_at(&event, "/test/id") {
                    tests.insert(id, event);
                }
            }
            Some("error") => errors.extend(number_at(&event, "/testID").map(|id| (id, event))),
            Some("testDone") => {
                let result = text_at(&event, "/result").unwrap_or("success");
                let Some(id) = number_at::<u64>(&event, "/testID") else { continue };
                if result != "success" {
                    found.extend(tests.get(&id).and_then(|test| read_dart_test(test, id, &errors)));
                }
                errors.retain(|(of, _)| *of != id);
            }
            _ => {}
        }
    }
    is_dart.then_some(found)
}

/// Returns the failure of a test with the errors that it had.
fn read_dart_test(start: &Value, id: u64, errors: &[(u64, Value)]) -> Option<Failure> {
    let mut test = FailedTest::new("dart", text_at(start, "/test/name")?);
    let url = if start.pointer("/test/root_url").is_some_and(Value::is_string) {
        place(start, "/test/root_url", "/test/root_line")
    } else {
        place(start, "/test/url", "/test/line")
    };
    test.place = url;
    let own = errors.iter().filter(|(of, _)| *of == id);
    let (mut message, mut stack) = (String::new(), String::new());
    for (_, error) in own {
        for (text, pointer) in [(&mut message, "/error"), (&mut stack, "/stackTrace")] {
            text.push_str(text_at(error, pointer).unwrap_or_default());
            text.push('\n');
        }
    }
    // A frame is `test/x_test.dart 6:5  main.<fn>`.
    let frames: Vec<String> = stack.lines().map(spell_frame).collect();
    Some(test.finish(&message, &frames.join("\n")))
}

/// Writes a frame of Dart as other tools do: `test/x_test.dart 6:5  main` as `test/x_test.dart:6:5`.
fn spell_frame(line: &str) -> String {
    let mut parts = line.split_whitespace();
    match (parts.next(), parts.next()) {
        (Some(path), Some(at)) if at.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{path}:{at}")
        }
        _ => line.to_owned(),
    }
}
