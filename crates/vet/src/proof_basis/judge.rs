//! Judges the files of a change by their classes.

use super::allowances::allowance_of;
use super::inline_items::find_items;
use super::{dependency_lines, ignored_paths, keys, layout};
use papayu_base::domain::Allowance;
use papayu_lang::{PathClass, is_loaded_by_name};

/// One file of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasisFile<'a> {
    /// Its path in the repository.
    pub path: &'a str,
    /// Its text before; `None` for a new file.
    pub before: Option<&'a str>,
    /// Its text after; `None` for a removed file.
    pub after: Option<&'a str>,
}

/// A part of a change that touches what a proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasisChange {
    /// The file.
    pub path: String,
    /// The class of the file.
    pub class: PathClass,
    /// The rule in the table of grades.
    pub rule: &'static str,
    /// The kind of files that a run must allow for it.
    pub allowance: Allowance,
    /// A predicate of the file: "is an existing test".
    pub reason: String,
}

/// Returns every part that touches what a proof rests on, files in the order given.
///
/// ```
/// use papayu_vet::proof_basis::{BasisFile, find_basis_changes};
///
/// let edited = BasisFile { path: "tests/test_a.py", before: Some("assert a()\n"), after: Some("\n") };
/// assert_eq!(find_basis_changes(&[edited])[0].reason, "is an existing test");
/// let source = BasisFile { path: "shop/a.py", before: Some("a = 1\n"), after: Some("a = 2\n") };
/// assert!(find_basis_changes(&[source]).is_empty());
/// ```
pub fn find_basis_changes(files: &[BasisFile<'_>]) -> Vec<BasisChange> {
    let mut found = Vec::new();
    for file in files {
        let class = PathClass::of_file(file.path, file.before.or(file.after).unwrap_or_default());
        let reasons = match (file.before, file.after) {
            (None, Some(after)) => judge_new(file.path, class, after),
            (Some(before), after) if before != after.unwrap_or_default() || after.is_none() => {
                judge_existing(file.path, class, before, after)
            }
            _ => Vec::new(),
        };
        found.extend(reasons.into_iter().map(|it| BasisChange {
            path: file.path.to_owned(),
            class,
            rule: it.rule,
            allowance: it.allowance,
            reason: it.reason,
        }));
    }
    found.extend(find_lost_items(files));
    found
}

/// A reason why a change of one file touches the basis of the proof.
struct BasisReason {
    rule: &'static str,
    allowance: Allowance,
    /// The end of a sentence that begins with the file.
    reason: String,
}

/// Returns the reasons why a new file changes the basis of the proof.
fn judge_new(path: &str, class: PathClass, after: &str) -> Vec<BasisReason> {
    if class == PathClass::Manifest {
        return judge_keys(path, class, "", after);
    }
    // An ignore file that leaves out built files only is one that a person would write too.
    if !is_loaded_by_name(path) || ignored_paths::are_generated(path, "", after) {
        return Vec::new();
    }
    let reason = "is new, and would be loaded because of its name or place".to_owned();
    vec![BasisReason { rule: "loaded_by_name", allowance: allowance_of(path, class), reason }]
}

/// Returns the reasons that the keys of a manifest or a configuration give.
fn judge_keys(path: &str, class: PathClass, before: &str, after: &str) -> Vec<BasisReason> {
    let changes = keys::find_changes(path, before, after, allowance_of(path, class));
    let reason = |(allowance, reason)| BasisReason { rule: "changed_key", allowance, reason };
    changes.into_iter().map(reason).collect()
}

/// Returns the same as [`judge_new`] for a file that existed before.
fn judge_existing(
    path: &str,
    class: PathClass,
    before: &str,
    after: Option<&str>,
) -> Vec<BasisReason> {
    // Source code is what a fix changes, and CI files have a gate of their own.
    if matches!(class, PathClass::Source | PathClass::Ci | PathClass::Generated) {
        return Vec::new();
    }
    let rule = if after.is_some() { "existing_file" } else { "removed_file" };
    let reason = format!("is an existing {}", class.name());
    let existing = BasisReason { rule, allowance: allowance_of(path, class), reason };
    let Some(after) = after else { return vec![existing] };
    let is_of_tests = matches!(class, PathClass::Test | PathClass::TestSupport);
    if layout::differs_only_in_layout(path, before, after)
        || !is_of_tests
            && (ignored_paths::are_generated(path, before, after)
                || dependency_lines::are_all(path, before, after))
    {
        return Vec::new();
    }
    if !is_of_tests && keys::has_keys(path, before) {
        return judge_keys(path, class, before, after);
    }
    vec![existing]
}

/// Returns the tests inside source files that are removed or changed. A test that moved to
/// another file is neither.
fn find_lost_items(files: &[BasisFile<'_>]) -> Vec<BasisChange> {
    let is_source = |file: &&BasisFile<'_>| {
        PathClass::of_file(file.path, file.before.or(file.after).unwrap_or_default())
            == PathClass::Source
    };
    let mut kept: Vec<_> = files
        .iter()
        .filter(is_source)
        .flat_map(|file| find_items(file.path, file.after.unwrap_or_default()))
        .collect();
    let mut found = Vec::new();
    for file in files.iter().filter(is_source) {
        for item in find_items(file.path, file.before.unwrap_or_default()) {
            // Each item after the change accounts for one item before it.
            if let Some(at) = kept.iter().position(|other| other.tokens == item.tokens) {
                kept.swap_remove(at);
            } else {
                let reason =
                    format!("has {} in line {} that is changed or removed", item.name, item.line);
                found.push(BasisChange {
                    path: file.path.to_owned(),
                    class: PathClass::Test,
                    rule: "inline_test",
                    allowance: Allowance::Tests,
                    reason,
                });
            }
        }
    }
    // A new helper or import among existing tests can replace what they call.
    for item in kept.iter().filter(|item| item.is_helper) {
        let path = item.path.clone();
        // All of a new module of tests is new, and no older test can see it.
        let had = files.iter().any(|file| {
            file.path == path
                && find_items(file.path, file.before.unwrap_or_default())
                    .iter()
                    .any(|old| old.module == item.module)
        });
        if had {
            let reason = format!("gains {} in line {} among its tests", item.name, item.line);
            let (class, rule) = (PathClass::Test, "inline_test");
            let allowance = Allowance::Tests;
            found.push(BasisChange { path, class, rule, allowance, reason });
        }
    }
    found
}
