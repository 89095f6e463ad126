//! Reads the XML of .NET's test runners: TRX of Visual Studio, `NUnit` 2 and 3, xUnit.net.

use super::failed_test::FailedTest;
use super::xml::Element;
use papayu_base::domain::Failure;

const NAME: &str = "dotnet";

/// Returns the failed tests of a TRX file.
pub(super) fn read_trx(roots: &[Element]) -> Vec<Failure> {
    read_tests(roots, "UnitTestResult", |test| {
        let is_failed = ["Failed", "Error", "Timeout", "Aborted"];
        if !is_failed.contains(&test.attribute("outcome")?) {
            return None;
        }
        let info = |part| test.text_at(&["Output", "ErrorInfo", part]);
        Some(finish(test.attribute("testName")?, info("Message"), info("StackTrace")))
    })
}

/// Returns the failed tests of a file of `NUnit` 2 or 3.
pub(super) fn read_nunit(roots: &[Element]) -> Vec<Failure> {
    read_tests(roots, "test-case", |test| {
        let result = test.attribute("result").unwrap_or_default();
        let is_failed = matches!(result, "Failed" | "Failure" | "Error")
            || test.attribute("success") == Some("False");
        if !is_failed {
            return None;
        }
        let name = test.attribute("fullname").or_else(|| test.attribute("name"))?;
        let part = |part| test.text_at(&["failure", part]);
        Some(finish(name, part("message"), part("stack-trace")))
    })
}

/// Returns the failed tests of a file of xUnit.net.
pub(super) fn read_xunit(roots: &[Element]) -> Vec<Failure> {
    read_tests(roots, "test", |test| {
        if test.attribute("result") != Some("Fail") {
            return None;
        }
        let part = |part| test.text_at(&["failure", part]);
        Some(finish(test.attribute("name")?, part("message"), part("stack-trace")))
    })
}

/// Returns the failures of the elements of a name.
fn read_tests(
    roots: &[Element],
    name: &str,
    read: impl Fn(&Element) -> Option<Failure>,
) -> Vec<Failure> {
    let mut found = Vec::new();
    for root in roots {
        root.walk(&mut Vec::new(), &mut |element, _| {
            if element.name == name {
                found.extend(read(element));
            }
        });
    }
    found
}

/// Returns the failure of a test.
fn finish(name: &str, message: &str, stack: &str) -> Failure {
    FailedTest::new(NAME, name).finish(message, stack)
}
