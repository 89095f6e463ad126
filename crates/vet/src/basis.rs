//! Refuses a change of the tests that are to prove it, of what they read and of the settings they run with.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Policy;
use super::decoded::{MAX_LISTED, decode_files, refuse_test_edit};
use super::rules::{RuleGrade, grade_of};
use crate::proof_basis::{BasisChange, BasisFile, find_basis_changes};
use papayu_base::domain::{Allowance, join_allowances};
use papayu_lang::PathClass;
use papayu_patch::preview::Preview;
use papayu_patch::protocol::Refusal;

/// Refuses a change of the files that the proof depends on, unless the run allows its kind.
/// Whole files are compared before and after, so a test that moves with its module counts as
/// kept.
///
/// # Errors
///
/// Returns `ERR_TEST_EDIT_NOT_ALLOWED` with the first such file and up to five others.
pub(super) fn check(preview: &Preview, policy: &Policy) -> Result<(), Refusal> {
    let mut found = find_touched(preview, policy);
    found.retain(|it| {
        !policy.allowances.contains(&it.allowance) && grade_of(it.rule) == RuleGrade::Refused
    });
    // The refusal names the first file; the others are only listed, to keep the message short.
    let Some(first) = found.first() else { return Ok(()) };
    let mut others = String::new();
    for it in found.iter().skip(1).take(MAX_LISTED) {
        let _ = write!(others, "; `{}` {}", it.path, it.reason);
    }
    let kinds: BTreeSet<Allowance> = found.iter().map(|it| it.allowance).collect();
    let kinds = join_allowances(&kinds);
    let reason = format!(
        "{}{}; fix the source instead: the proof runs with tests and settings as they were, and only \
         `--allow {kinds}` allows such a change, also where the goal asks for it",
        first.reason, others
    );
    Err(refuse_test_edit(&first.path, reason))
}

/// Returns the parts of a change that touch the tests, their data or their settings, or what the command reads as its check.
pub(super) fn find_touched(preview: &Preview, policy: &Policy) -> Vec<BasisChange> {
    let decoded = decode_files(preview);
    let files: Vec<BasisFile<'_>> = decoded
        .iter()
        .filter(|file| !policy.is_product(file.path))
        .map(|file| BasisFile {
            path: file.path.as_str(),
            before: file.before.as_deref(),
            after: file.after.as_deref(),
        })
        .collect();
    let mut found = find_basis_changes(&files);
    for change in
        preview.changes().iter().filter(|it| policy.checks.contains(&it.path().identity()))
    {
        let path = change.path().to_string();
        let is_known = found.iter().any(|it| it.path == path);
        // Whatever else the file is: its change may alter what proves the fix.
        found
            .iter_mut()
            .filter(|it| it.path == path)
            .for_each(|it| it.allowance = Allowance::Tests);
        if !is_known {
            found.push(BasisChange {
                path,
                class: PathClass::TestSupport,
                rule: "check_file",
                allowance: Allowance::Tests,
                reason: "is part of the check that the command runs".to_owned(),
            });
        }
    }
    found
}
