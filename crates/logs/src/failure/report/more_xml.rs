//! Reads the XML of Robot Framework, Boost.Test and Cppcheck.

use papayu_base::domain::{Failure, FailureKind, Location};

use super::failed_test::FailedTest;
use super::xml::Element;
use crate::failure::draft::FailureDraft;

/// Returns the failed tests of Robot Framework: `<test name line><status status="FAIL">text</status></test>`.
pub(super) fn read_robot(roots: &[Element]) -> Vec<Failure> {
    let mut found = Vec::new();
    walk_tests(roots, "test", &mut |test, around| {
        let Some(status) = test.child("status") else { return };
        if status.attribute("status") != Some("FAIL") {
            return;
        }
        let mut failed = FailedTest::new("python", test.attribute("name").unwrap_or_default());
        let source = around.iter().rev().find_map(|suite| suite.attribute("source"));
        failed.place = source.map(|path| Location {
            path: path.to_owned(),
            line: test.number("line"),
            column: None,
        });
        found.push(failed.finish(&status.text, ""));
    });
    found
}

/// Returns the failed tests of Boost.Test: `<TestCase name><Error file line>text</Error></TestCase>`.
pub(super) fn read_boost(roots: &[Element]) -> Vec<Failure> {
    let mut found = Vec::new();
    walk_tests(roots, "TestCase", &mut |test, around| {
        let is_fault =
            |child: &&Element| matches!(child.name.as_str(), "Error" | "FatalError" | "Exception");
        let Some(fault) = test.children.iter().find(is_fault) else { return };
        let suites = around.iter().filter(|outer| outer.name == "TestSuite");
        let names = suites.chain([&test]).filter_map(|outer| outer.attribute("name"));
        let name = names.collect::<Vec<_>>().join("/");
        let mut failed = FailedTest::new("c", &name);
        let place = if fault.attribute("file").is_some() { fault } else { test };
        failed.place = place_of(place);
        found.push(failed.finish(&fault.text, ""));
    });
    found
}

/// Returns the findings of Cppcheck with a place: `<error id severity msg><location file line column/></error>`.
pub(super) fn read_cppcheck(results: &Element) -> Vec<Failure> {
    let errors = results.child("errors").map_or(&[][..], |errors| &errors.children);
    let placed = errors.iter().filter_map(|error| Some((error, error.child("location")?)));
    let found = placed.map(|(error, place)| {
        let message = error.attribute("msg").unwrap_or_default();
        let mut draft = FailureDraft::new("c", FailureKind::Lint, message);
        draft = draft.with_code(error.attribute("id"));
        draft.add_locations(place_of(place));
        draft.finish()
    });
    found.collect()
}

/// Calls `visit` with each element of a name, and the elements around it.
fn walk_tests<'e>(
    roots: &'e [Element],
    name: &str,
    visit: &mut dyn FnMut(&'e Element, &[&'e Element]),
) {
    for root in roots {
        root.walk(&mut Vec::new(), &mut |element, around| {
            if element.name == name {
                visit(element, around);
            }
        });
    }
}

/// Returns the place in the attributes of an element; `None` without a file.
fn place_of(element: &Element) -> Option<Location> {
    let path = element.attribute("file")?.to_owned();
    Some(Location { path, line: element.number("line"), column: element.number("column") })
}

#[cfg(test)]
mod tests {
    use super::super::xml::read_document;
    use super::*;

    #[test]
    fn failed_tests_and_findings_have_their_message_and_place() {
        let robot = "<robot><suite name='s' source='t.robot'><test name='Lifts' line='4'><status status='FAIL'>4 != 5</status></test>\
            <test name='Drops' line='8'><status status='PASS'/></test></suite></robot>";
        let boost = "<TestLog><TestSuite name='s'><TestCase name='lifts' file='t.cc' line='8'><Error file='t.cc' line='4'>4 != 5</Error></TestCase>\
            <TestCase name='drops'/></TestSuite></TestLog>";
        let cppcheck = "<results><errors><error id='x' severity='error' msg='4 != 5'><location file='t.c' line='4'/></error>\
            <error id='y' msg='no place'/></errors></results>";
        let roots = |text| read_document(text).roots;
        for (found, name, path) in [
            (read_robot(&roots(robot)), Some("Lifts"), "t.robot"),
            (read_boost(&roots(boost)), Some("s/lifts"), "t.cc"),
            (read_cppcheck(&roots(cppcheck)[0]), None, "t.c"),
        ] {
            let [failure] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!((failure.test.as_deref(), failure.message.as_str()), (name, "4 != 5"));
            let place = Location { path: path.to_owned(), line: Some(4), column: None };
            assert_eq!(failure.locations, [place]);
        }
    }
}
