//! Checks that a file named as a report is one, and is whole.

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use super::read_report;

/// Why a report cannot be used as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportFault {
    /// The file has another format.
    #[error("it is no report: {0}")]
    WrongFormat(String),
    /// The file is a report that ends early or cannot be parsed to its end.
    #[error("the report is broken: {0}")]
    Broken(String),
}

/// Checks the whole text of a report: JUnit XML, SARIF, or the JSON of a test runner or linter.
///
/// # Errors
///
/// Returns the fault if the text has another format or is not well-formed.
pub fn check_report(text: &str) -> Result<(), ReportFault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('<') {
        return check_junit(text);
    }
    if !text.starts_with(['{', '[']) {
        let found = if text.is_empty() { "it is empty" } else { "it is neither XML nor JSON" };
        return Err(ReportFault::WrongFormat(found.to_owned()));
    }
    serde_json::from_str::<Value>(text).map_err(|error| ReportFault::Broken(error.to_string()))?;
    match read_report(text) {
        Some(_) => Ok(()),
        None => Err(ReportFault::WrongFormat("it is JSON, but neither SARIF nor of tests".into())),
    }
}

/// Checks that XML is well-formed and has a root element of JUnit.
fn check_junit(text: &str) -> Result<(), ReportFault> {
    let mut reader = Reader::from_str(text);
    let mut open = Vec::new();
    let mut has_root = false;
    loop {
        let event = reader.read_event().map_err(|error| ReportFault::Broken(error.to_string()))?;
        if let Event::Start(tag) | Event::Empty(tag) = &event {
            let name = tag.local_name().as_ref().to_owned();
            if !has_root && name != "testsuites" && name != "testsuite" {
                let found = format!("it is XML with the root element `{name}`, not JUnit's");
                return Err(ReportFault::WrongFormat(found));
            }
            has_root = true;
            open.extend(matches!(event, Event::Start(_)).then_some(name));
        } else if matches!(event, Event::End(_)) {
            open.pop();
        } else if matches!(event, Event::Eof) {
            break;
        }
    }
    match open.pop() {
        Some(name) => Err(ReportFault::Broken(format!("it ends inside `{name}`"))),
        None if has_root => Ok(()),
        None => Err(ReportFault::WrongFormat("it is XML without an element".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_checked_for_its_format_and_its_end() {
        let broken = |text: &str| ReportFault::Broken(text.to_owned());
        let wrong = |text: &str| ReportFault::WrongFormat(text.to_owned());
        for (text, expected) in [
            ("<testsuite><testcase name='a'/></testsuite>", Ok(())),
            ("\u{feff}<?xml version='1.0'?><testsuites/>", Ok(())),
            (r#"{"version":"2.1.0","runs":[]}"#, Ok(())),
            ("", Err(wrong("it is empty"))),
            ("x = 1", Err(wrong("it is neither XML nor JSON"))),
            ("<?xml version='1.0'?>", Err(wrong("it is XML without an element"))),
            ("<html/>", Err(wrong("it is XML with the root element `html`, not JUnit's"))),
            (r#"{"a":1}"#, Err(wrong("it is JSON, but neither SARIF nor of tests"))),
            ("<testsuite><testcase name='a'>", Err(broken("it ends inside `testcase`"))),
        ] {
            assert_eq!(check_report(text), expected, "{text}");
        }
        for text in ["<testsuite><a></b></testsuite>", "<testsuite", r#"{"runs":[{"#, "[1"] {
            assert!(matches!(check_report(text), Err(ReportFault::Broken(_))), "{text}");
        }
    }
}
