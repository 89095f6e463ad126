//! Separates packages that are not installed from modules of the repository that are not found.

use std::sync::LazyLock;

use super::signals::cut_line;
use papayu_base::domain::{Evidence, Failure, FailureClass, Triage};
use papayu_base::text::{Pattern, group};

/// The name of the rule in the evidence.
pub(super) const MISSING_PACKAGE: &str = "missing-package";
/// Lines of evidence at the most.
const MAX_EVIDENCE: usize = 5;

/// The form of a message about a package, and the next step; `NAME` in it is the package.
///
/// A package has a name and no path, except for Go, where packages begin with a domain.
const ROWS: [(&str, &str); 5] = [
    (
        r"ModuleNotFoundError: No module named '(?P<name>\w+)(?:\.[\w.]+)?'",
        "check the name; the package of `NAME`, which may be called otherwise, must be in requirements.txt or pyproject.toml and be installed before the command",
    ),
    (
        r"Cannot find (?:package|module) '(?P<name>(?:@[\w.-]+/)?[A-Za-z0-9_][\w.-]*)'(?: imported from|$)",
        "install the packages of package.json before the command (`npm install`); if `NAME` is not one of them, check the name and add it",
    ),
    (
        r"cannot load such file -- (?P<name>[\w.-]+)(?: \(LoadError\))?$",
        "add `NAME` to the Gemfile, and install the gems before the command (`bundle install`)",
    ),
    (
        r"(?:no required module provides|cannot find module providing) package (?P<name>[\w-]+\.[\w./-]+)",
        "add the module to go.mod (`go get NAME`)",
    ),
    (
        r"^package (?P<name>(?:com|io|net|org)\.[\w.]+) does not exist",
        "add the library that has the package `NAME` to pom.xml or build.gradle",
    ),
];

static FORMS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| ROWS.iter().map(|(form, _)| Pattern::new(form)).collect());

/// Returns the class `dependency` if every failure is a package that is not there.
pub(super) fn triage_packages(failures: &[&Failure]) -> Option<Triage> {
    let mut evidence = Vec::new();
    // A single other failure means that the code is to be repaired.
    for failure in failures {
        let line = failure.message.lines().find(|line| FORMS.iter().any(|it| it.is_match(line)))?;
        // pytest marks the lines of an error by `E`.
        let line = cut_line(line.trim_start_matches("E ").trim());
        evidence.push(Evidence { rule: MISSING_PACKAGE.to_owned(), line, number: None });
    }
    // The same package is missing in many files.
    evidence.dedup_by(|one, other| one.line == other.line);
    evidence.truncate(MAX_EVIDENCE);
    let first = evidence.first().map(|it| it.line.clone())?;
    let next_step = evidence_step(&first).map(Into::into);
    Some(Triage { class: FailureClass::Dependency, evidence, next_step })
}

/// Returns the next step for the package of a line.
fn evidence_step(line: &str) -> Option<&'static str> {
    let row = FORMS.iter().position(|form| form.is_match(line))?;
    ROWS.get(row).map(|(_, step)| *step)
}

/// Returns the package that a line of evidence names.
/// `None` for evidence of another rule.
pub fn missing_package(evidence: &Evidence) -> Option<String> {
    let line = Some(&evidence.line).filter(|_| evidence.rule == MISSING_PACKAGE)?;
    let found = FORMS.iter().find_map(|form| form.captures(line))?;
    group(&found, "name").map(str::to_owned)
}

/// Returns the Python package that a line of evidence names. Its name can also be that of a module of the
/// repository. `None` for any other evidence.
pub fn missing_python_package(evidence: &Evidence) -> Option<&str> {
    // The first row is Python's.
    let python = FORMS.first()?;
    let found = python.captures(&evidence.line).filter(|_| evidence.rule == MISSING_PACKAGE)?;
    group(&found, "name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::FailureKind;

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
            "cannot load such file -- money (LoadError)",
            "no required module provides package github.com/acme/core; to add it:",
            "package com.google.common.collect does not exist",
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
            "cannot load such file -- /r/lib/money (LoadError)",
            "no required module provides package shop/money; to add it:",
            "package shop.utl does not exist",
        ] {
            assert_eq!(class(&[message]), None, "{message}");
        }
        assert_eq!(class(&["Error: Cannot find module 'leftpad'", "AssertionError: 1 != 2"]), None);
        assert_eq!(class(&[]), None);
    }
}
