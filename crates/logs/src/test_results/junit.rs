//! Reports in the XML of JUnit that a runner wrote during the run: Surefire, Gradle, jest-junit, PHPUnit and others.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::results::{TestResults, TestStatus};

/// Returns the tests of reports by name; `None` if one is not well-formed or there is no test.
///
/// ```
/// use papayu_logs::test_results::read_junit_results;
///
/// let report = r#"<testsuite><testcase classname="A" name="adds"/><testcase name="b"><failure/></testcase></testsuite>"#;
/// let results = read_junit_results(&[report.to_owned()]).unwrap();
/// assert_eq!(results.tests.len(), 2);
/// assert_eq!(results.totals.unwrap().failed, 1);
/// ```
pub fn read_junit_results(reports: &[String]) -> Option<TestResults> {
    let mut results = TestResults::default();
    for report in reports {
        read_report(report, &mut results)?;
    }
    results.totals.is_some().then_some(results)
}

/// Adds the test cases of one report; `None` if the XML is not well-formed.
fn read_report(text: &str, results: &mut TestResults) -> Option<()> {
    let mut reader = Reader::from_str(text);
    let mut open: Option<(String, TestStatus)> = None;
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => read_tag(&tag, &mut open),
            Event::Empty(tag) => {
                read_tag(&tag, &mut open);
                if tag.local_name().as_ref() == "testcase" {
                    close_case(&mut open, results);
                }
            }
            Event::End(tag) if tag.local_name().as_ref() == "testcase" => {
                close_case(&mut open, results);
            }
            Event::Eof => return Some(()),
            _ => {}
        }
    }
}

/// Starts a test case, or sets the result of the open one from an element inside it.
fn read_tag(tag: &BytesStart<'_>, open: &mut Option<(String, TestStatus)>) {
    let attribute = |name: &str| {
        let attribute = tag.try_get_attribute(name).ok().flatten();
        let value = attribute.and_then(|it| it.normalized_value(XmlVersion::Implicit1_0).ok());
        value.map(std::borrow::Cow::into_owned).unwrap_or_default()
    };
    match tag.local_name().as_ref() {
        "testcase" => {
            let name = format!("{} {}", attribute("classname"), attribute("name"));
            *open = Some((name.trim().to_owned(), TestStatus::Passed));
        }
        "failure" | "error" => {
            if let Some((_, status)) = open {
                *status = TestStatus::Failed;
            }
        }
        "skipped" => {
            if let Some((_, status)) = open {
                *status = TestStatus::Skipped;
            }
        }
        _ => {}
    }
}

/// Adds the open test case, which is complete.
fn close_case(open: &mut Option<(String, TestStatus)>, results: &mut TestResults) {
    if let Some((name, status)) = open.take() {
        results.add_counted(&name, status);
    }
}
