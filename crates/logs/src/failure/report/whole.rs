//! Reads a whole report; its content decides the format.

use serde_json::Value;

use super::fault::ReportFault;
use super::{
    Found, checkstyle, dotnet_xml, json_findings, junit, lint_json, more_tests, more_xml, sarif,
    tap, test_json, xml,
};
use papayu_base::domain::Failure;

/// Returns the failures of a whole text, and the fault at which its reading ended.
///
/// # Errors
///
/// Returns the fault of a text that is no report, or is broken before its format is known.
pub(in crate::failure) fn read_whole(text: &str) -> Result<Found, ReportFault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('<') {
        return read_xml(text);
    }
    if !text.starts_with(['{', '[']) {
        if tap::is_tap(text) {
            return Ok(Found::of(tap::read_tap(text)));
        }
        let found =
            if text.is_empty() { "it is empty" } else { "it is neither XML nor JSON nor TAP" };
        return Err(ReportFault::WrongFormat(found.to_owned()));
    }
    let wrong = || {
        let text = "it is JSON, but neither SARIF nor of tests or linters that are known";
        ReportFault::WrongFormat(text.to_owned())
    };
    match serde_json::from_str::<Value>(text) {
        Ok(report) => read_json(&report).ok_or_else(wrong),
        Err(error) => {
            let failures = more_tests::read_dart(text).or_else(|| read_values(text));
            failures.map(Found::of).ok_or_else(|| ReportFault::Broken(error.to_string()))
        }
    }
}

/// Reads XML by the name of its first element.
fn read_xml(text: &str) -> Result<Found, ReportFault> {
    let document = xml::read_document(text);
    let Some(first) = document.roots.first() else {
        let fault = document.fault.map_or_else(
            || ReportFault::WrongFormat("it is XML without an element".to_owned()),
            ReportFault::Broken,
        );
        return Err(fault);
    };
    let roots = document.roots.as_slice();
    let mut found = match first.name.as_str() {
        "testsuites" | "testsuite" => Found::of(junit::read_junit(roots)),
        "TestRun" => Found::of(dotnet_xml::read_trx(roots)),
        "test-run" | "test-results" => Found::of(dotnet_xml::read_nunit(roots)),
        "assemblies" | "assembly" => Found::of(dotnet_xml::read_xunit(roots)),
        "checkstyle" => {
            let (failures, warnings) = checkstyle::read_checkstyle(roots);
            let mut found = Found::of(failures);
            (0..warnings).for_each(|_| found.skip("below the level `error`"));
            found
        }
        "robot" => Found::of(more_xml::read_robot(roots)),
        "TestLog" => Found::of(more_xml::read_boost(roots)),
        "results" if first.child("errors").is_some() => Found::of(more_xml::read_cppcheck(first)),
        name => {
            let text =
                format!("it is XML with the root element `{name}`, which no known format has");
            return Err(ReportFault::WrongFormat(text));
        }
    };
    found.fault = document.fault;
    Ok(found)
}

/// Reads a JSON document; `None` if its format is unknown.
fn read_json(report: &Value) -> Option<Found> {
    test_json::read_tests(report)
        .or_else(|| more_tests::read_more_tests(report))
        .or_else(|| lint_json::read_lints(report))
        .map(Found::of)
        .or_else(|| sarif::read_sarif(report))
        .or_else(|| {
            let found = json_findings::read_findings(report);
            (!found.is_empty()).then(|| Found::of(found))
        })
}

/// Returns the findings of a text with one JSON value after the other; `None` for another text.
fn read_values(text: &str) -> Option<Vec<Failure>> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let values: Vec<Value> = values.collect::<Result<_, _>>().ok()?;
    let found = json_findings::read_findings(&Value::Array(values));
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), ReportFault> {
        match read_whole(text)?.fault {
            Some(fault) => Err(ReportFault::Broken(fault)),
            None => Ok(()),
        }
    }

    #[test]
    fn a_report_is_checked_for_its_format_and_its_end() {
        let broken = |text: &str| ReportFault::Broken(text.to_owned());
        let wrong = |text: &str| ReportFault::WrongFormat(text.to_owned());
        for (text, expected) in [
            ("<testsuite><testcase name='a'/></testsuite>", Ok(())),
            ("\u{feff}<?xml version='1.0'?><testsuites/>", Ok(())),
            (r#"{"version":"2.1.0","runs":[]}"#, Ok(())),
            ("TAP version 13\nok 1\n", Ok(())),
            ("", Err(wrong("it is empty"))),
            ("x = 1", Err(wrong("it is neither XML nor JSON nor TAP"))),
            ("<?xml version='1.0'?>", Err(wrong("it is XML without an element"))),
            (
                "<html/>",
                Err(wrong("it is XML with the root element `html`, which no known format has")),
            ),
            (
                r#"{"a":1}"#,
                Err(wrong("it is JSON, but neither SARIF nor of tests or linters that are known")),
            ),
            ("<testsuite><testcase name='a'>", Err(broken("it ends inside `testcase`"))),
        ] {
            assert_eq!(check(text), expected, "{text}");
        }
        for text in ["<testsuite><a></b></testsuite>", "<testsuite", r#"{"runs":[{"#, "[1"] {
            assert!(matches!(check(text), Err(ReportFault::Broken(_))), "{text}");
        }
    }
}
