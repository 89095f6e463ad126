//! Tells packages that are not installed from modules of the repository that are not found.

use std::sync::LazyLock;

use super::signals::cut_line;
use crate::domain::{Evidence, Failure, FailureClass, Triage};
use crate::text::{Pattern, group};

/// The name of the rule in the evidence.
pub(super) const MISSING_PACKAGE: &str = "missing-package";
/// Lines of evidence at the most.
const MAX_EVIDENCE: usize = 5;
const NEXT_STEP: &str =
    "declare the package in the project's manifest, and install the packages before the command";

/// A package of Python or npm has a name and no path.
static FORMS: LazyLock<[Pattern; 2]> = LazyLock::new(|| {
    [
        Pattern::new(r"ModuleNotFoundError: No module named '(?P<python>\w+)(?:\.[\w.]+)?'"),
        Pattern::new(
            r"Cannot find (?:package|module) '(?P<npm>(?:@[\w.-]+/)?[A-Za-z0-9_][\w.-]*)'(?: imported from|$)",
        ),
    ]
});

/// Returns the class `dependency` if every failure is a package that is not there.
pub(super) fn triage_packages(failures: &[&Failure]) -> Option<Triage> {
    let mut evidence = Vec::new();
    for failure in failures {
        let line = failure.message.lines().find(|line| FORMS.iter().any(|it| it.is_match(line)))?;
        let line = cut_line(line.trim_start_matches("E ").trim());
        evidence.push(Evidence { rule: MISSING_PACKAGE.to_owned(), line, number: None });
    }
    evidence.dedup_by(|one, other| one.line == other.line);
    evidence.truncate(MAX_EVIDENCE);
    (!evidence.is_empty()).then_some(Triage {
        class: FailureClass::Dependency,
        evidence,
        next_step: Some(NEXT_STEP),
    })
}

/// Returns the Python package that a line of evidence names. Its name can also be that of a module of the
/// repository.
pub fn missing_python_package(evidence: &Evidence) -> Option<&str> {
    let [python, _] = &*FORMS;
    let found = python.captures(&evidence.line).filter(|_| evidence.rule == MISSING_PACKAGE)?;
    group(&found, "python")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FailureKind;

    fn class(messages: &[&str]) -> Option<FailureClass> {
        let failures: Vec<Failure> = messages
            .iter()
            .map(|message| Failure {
                kind: FailureKind::Import,
                message: (*message).to_owned(),
                ..Failure::default()
            })
            .collect();
        triage_packages(&failures.iter().collect::<Vec<_>>()).map(|triage| triage.class)
    }

    #[test]
    fn a_package_is_told_from_a_path() {
        assert!(FORMS.iter().all(Pattern::is_valid));
        for message in [
            "ModuleNotFoundError: No module named 'requests'",
            "ImportError while importing test module\nE   ModuleNotFoundError: No module named 'yaml.nodes'",
            "Error: Cannot find module 'leftpad'",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@acme/core' imported from /r/a.mjs",
        ] {
            assert_eq!(class(&[message]), Some(FailureClass::Dependency), "{message}");
        }
        for message in [
            "",
            "Error: Cannot find module './slug'",
            "Error: Cannot find module '@/lib/slug'",
            "Cannot find module '/r/slug.mjs' imported from /r/a.mjs",
            "AssertionError: 1 != 2",
        ] {
            assert_eq!(class(&[message]), None, "{message}");
        }
        assert_eq!(class(&["Error: Cannot find module 'leftpad'", "AssertionError: 1 != 2"]), None);
        assert_eq!(class(&[]), None);
    }
}
