//! Logs and reports of many tools and CI systems, each with the answer that a reader gives.

use serde::Deserialize;

use crate::failure::{LogReader, ReportLimits, read_report};
use crate::triage::{CommandEnd, SignalCollector, classify};
use papayu_base::domain::{FailureClass, FailureReport};

const FILES: [&str; 10] = [
    include_str!("../../../../../tests/red_builds/linters.toml"),
    include_str!("../../../../../tests/red_builds/runners.toml"),
    include_str!("../../../../../tests/red_builds/prefixes.toml"),
    include_str!("../../../../../tests/red_builds/endings.toml"),
    include_str!("../../../../../tests/red_builds/reports.toml"),
    include_str!("../../../../../tests/red_builds/others.toml"),
    include_str!("../../../../../tests/red_builds/unlisted.toml"),
    include_str!("../../../../../tests/red_builds/more.toml"),
    include_str!("../../../../../tests/red_builds/structures.toml"),
    include_str!("../../../../../tests/red_builds/forms.toml"),
];

/// One file of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    case: Vec<Case>,
}

/// A log or report, and what must be read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The option of the command line that names the file; `--log` if there is none.
    option: Option<String>,
    /// The classes that are right; empty if none is asked for.
    #[serde(default)]
    class: Vec<FailureClass>,
    /// Tests that must be named.
    #[serde(default)]
    tests: Vec<String>,
    /// No other test may be named.
    #[serde(default)]
    only_tests: bool,
    /// Paths and lines that must be among the locations; 0 for no line.
    #[serde(default)]
    places: Vec<(String, u32)>,
    /// A part of a message.
    message: Option<String>,
    /// The number of failures; any if there is none.
    failures: Option<usize>,
    /// Nothing may be read.
    #[serde(default)]
    none: bool,
    log: String,
}

/// Reads a case as the command line does.
fn read(case: &Case) -> (FailureReport, FailureClass) {
    let mut collector = SignalCollector::default();
    let report = if case.option.is_some() {
        read_report(case.log.as_bytes(), ReportLimits::default()).unwrap().report
    } else {
        let mut hear = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
        let mut reader = LogReader::new(ReportLimits::default()).with_listener(&mut hear);
        reader.push(case.log.as_bytes());
        reader.finish()
    };
    let class = classify(&collector.finish(), &report, CommandEnd::Unknown).class;
    (report, class)
}

/// Returns what is wrong about the reading of a case.
fn judge(case: &Case) -> Vec<String> {
    let (report, class) = read(case);
    let mut wrong = Vec::new();
    if !case.class.is_empty() && !case.class.contains(&class) {
        wrong.push(format!("class {}", class.name()));
    }
    let names: Vec<&str> = report.failures.iter().filter_map(|it| it.test.as_deref()).collect();
    let is_named =
        |test: &str| names.iter().any(|name| name.ends_with(test) || test.ends_with(name));
    wrong.extend(case.tests.iter().filter(|test| !is_named(test)).map(|test| format!("no {test}")));
    if case.only_tests && names.len() > case.tests.len() {
        wrong.push(format!("tests {names:?}"));
    }
    let places = || report.failures.iter().flat_map(|failure| &failure.locations);
    for (path, line) in &case.places {
        let line = Some(*line).filter(|line| *line > 0);
        let end = format!("/{path}");
        if !places().any(|at| (at.path == *path || at.path.ends_with(&end)) && at.line == line) {
            wrong.push(format!("no {path}:{line:?} in {:?}", places().collect::<Vec<_>>()));
        }
    }
    let message = case.message.as_deref().unwrap_or_default();
    let messages: Vec<&str> = report.failures.iter().map(|it| it.message.as_str()).collect();
    if !message.is_empty() && !messages.iter().any(|known| known.contains(message)) {
        wrong.push(format!("messages {messages:?}"));
    }
    if case.failures.is_some_and(|count| count != messages.len()) {
        wrong.push(format!("failures {messages:?}"));
    }
    if case.none && !report.failures.is_empty() {
        wrong.push(format!("failures {messages:?}"));
    }
    wrong
}

#[test]
fn red_builds_of_many_tools_are_read_right() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for text in FILES {
        for case in toml::from_str::<CaseFile>(text).unwrap().case {
            count += 1;
            let faults = judge(&case);
            if !faults.is_empty() {
                wrong.push(format!("{}: {}", case.name, faults.join("; ")));
            }
        }
    }
    assert!(count >= 60, "{count}");
    assert_eq!(wrong, Vec::<String>::new());
}
