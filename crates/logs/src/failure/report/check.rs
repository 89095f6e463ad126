//! Checks that a file named as a report is one, and is whole.

use super::fault::ReportFault;
use super::whole::read_whole;

/// Checks the whole text of a report: the formats of [`read_report`](super::read_report).
///
/// # Errors
///
/// Returns the fault if the text has another format or is not well-formed.
pub fn check_report(text: &str) -> Result<(), ReportFault> {
    match read_whole(text)?.fault {
        Some(fault) => Err(ReportFault::Broken(fault)),
        None => Ok(()),
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
                Err(wrong(
                    "it is JSON, but neither SARIF nor of a test runner or linter that is known",
                )),
            ),
            ("<testsuite><testcase name='a'>", Err(broken("it ends inside `testcase`"))),
        ] {
            assert_eq!(check_report(text), expected, "{text}");
        }
        for text in ["<testsuite><a></b></testsuite>", "<testsuite", r#"{"runs":[{"#, "[1"] {
            assert!(matches!(check_report(text), Err(ReportFault::Broken(_))), "{text}");
        }
    }
}
