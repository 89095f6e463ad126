//! Separates the tests of a change from the rest, so that the rest can be proved without them.

use std::collections::BTreeMap;

use super::basis::find_touched;
use super::{Policy, VettedChange};
use papayu_base::text::encoding;
use papayu_lang::PathClass;
use papayu_patch::Preview;
use papayu_patch::preview::Change;

/// The tests that a change brings or touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestPart {
    /// None.
    Nothing,
    /// The change without them.
    Rest(VettedChange),
    /// There is nothing else, or they are in source files.
    Inseparable,
}

/// Separates the new and changed tests of a change, with their data and settings, from the
/// rest.
///
/// Tests inside a source file cannot be separated: half a file does not compile.
// Decided by the text before the change: afterwards a test file may look like a source file.
pub fn separate_tests(change: &VettedChange, policy: &Policy) -> TestPart {
    let changes = change.whole().changes();
    let mut touched = find_touched(change.whole(), policy);
    // A change of how the product is built or shipped belongs to the rest.
    touched.retain(|it| !it.allowance.keeps_tests());
    let is_test_change = |it: &Change| !policy.is_product(it.path()) && is_test_change(it);
    if !changes.iter().any(is_test_change) && touched.is_empty() {
        return TestPart::Nothing;
    }
    let is_left_out = |it: &&Change| {
        is_test_change(it)
            || touched
                .iter()
                .any(|of| it.path().as_str() == of.path && of.class != PathClass::Source)
    };
    let rest: Vec<Change> = changes.iter().filter(|it| !is_left_out(it)).cloned().collect();
    let within = touched
        .iter()
        .any(|of| PathClass::of_path(&of.path) == PathClass::Source && of.rule != "check_file");
    let has_files =
        rest.iter().any(|it| !matches!(it, Change::CreateDir { .. } | Change::RemoveDir { .. }));
    // A change of tests alone cannot be proved without them.
    if within || !has_files {
        return TestPart::Inseparable;
    }
    let whole = Preview::new(rest);
    TestPart::Rest(VettedChange { step: whole.clone(), whole, strategies: BTreeMap::new() })
}

/// Returns `true` for a change of a test or its support; the text before the change decides.
fn is_test_change(change: &Change) -> bool {
    let (path, text) = match change {
        Change::CreateFile { path, after } => (path, after),
        Change::WriteFile { path, before, .. } | Change::RemoveFile { path, before } => {
            (path, before)
        }
        Change::CreateDir { .. } | Change::RemoveDir { .. } => return false,
    };
    let class = PathClass::of_file(path.as_str(), &encoding::shown(text));
    matches!(class, PathClass::Test | PathClass::TestSupport)
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::RepoPath;

    fn write(path: &str, before: &str, after: &str) -> Change {
        let path = RepoPath::parse(path).unwrap();
        Change::WriteFile { path, before: before.into(), after: after.into() }
    }

    fn create(path: &str, after: &str) -> Change {
        Change::CreateFile { path: RepoPath::parse(path).unwrap(), after: after.into() }
    }

    #[test]
    fn the_rest_of_a_change_is_what_is_proved_without_its_tests() {
        let source = write("shop/a.py", "a = 1\n", "a = 2\n");
        let new = create("tests/test_b.py", "assert True\n");
        let old = write("tests/test_a.py", "assert a == 1\n", "assert a == 2\n");
        let setting = write("tox.ini", "[pytest]\n", "[pytest]\na = b\n");
        let inline = write(
            "src/lib.rs",
            "#[test]\nfn a() { assert!(b()) }\n",
            "#[test]\nfn a() { assert!(c()) }\n",
        );
        let part = |changes: &[&Change]| {
            let changes = changes.iter().map(|it| (*it).clone()).collect();
            separate_tests(&VettedChange::for_test(changes), &Policy::default())
        };
        let rest = TestPart::Rest(VettedChange::for_test(vec![source.clone()]));
        assert_eq!(part(&[&source]), TestPart::Nothing);
        for test in [&new, &old, &setting] {
            assert_eq!(part(&[&source, test]), rest);
            assert_eq!(part(&[test]), TestPart::Inseparable);
        }
        let build = write("setup.py", "a = 1\n", "a = 2\n");
        assert_eq!(part(&[&source, &build]), TestPart::Nothing);
        assert_eq!(part(&[&source, &inline]), TestPart::Inseparable);
    }
}
