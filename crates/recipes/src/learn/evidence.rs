//! Chooses the signatures of a recipe from the failures that explain its rules.

use std::collections::BTreeSet;

use papayu_base::domain::Failure;

use super::rule_evidence::names_word;
use super::taught_fix::{LearnedStep, TaughtFix};
use crate::signature::Signature;

/// Most signatures of a recipe.
const MAX_SIGNATURES: usize = 5;

/// Returns the signatures of the failures that a fix repairs.
///
/// # Errors
///
/// The reason why the failures do not explain one of the rules.
pub(super) fn choose_signatures(
    learned: &[LearnedStep],
    fix: TaughtFix<'_>,
) -> Result<Vec<Signature>, String> {
    let report = fix.report;
    let mut explaining: Vec<&Failure> = Vec::new();
    // A compiler reports it only once the first fault is fixed.
    let mut later = BTreeSet::new();
    let mut modules = BTreeSet::new();
    for step in learned {
        let found: Vec<&Failure> =
            report.failures.iter().filter(|it| step.evidence.explains(it)).collect();
        let has_required =
            |word: &String| report.failures.iter().any(|it| names_word(&it.message, word));
        if let Some(word) = step.evidence.required.iter().find(|word| !has_required(word)) {
            return Err(format!("the failure does not name `{word}`"));
        }
        if found.is_empty() {
            later.extend(step.evidence.names.iter().map(String::as_str));
        } else {
            modules.extend(step.evidence.modules.iter().cloned());
        }
        explaining.extend(found);
    }
    if explaining.is_empty() {
        return Err("the failure names nothing of the change".to_owned());
    }
    // A second rule of the same dependency belongs to the first.
    let belongs = |step: &LearnedStep| {
        step.evidence.modules.is_empty()
            || step.evidence.modules.iter().any(|it| modules.contains(it))
    };
    if let Some(other) = learned
        .iter()
        .find(|step| !belongs(step) && !report.failures.iter().any(|it| step.evidence.explains(it)))
    {
        return Err(format!("the failure does not explain that {}", other.step.title()));
    }
    let names: BTreeSet<&str> = learned
        .iter()
        .flat_map(|step| step.evidence.names.iter().chain(&step.evidence.required))
        .map(String::as_str)
        .collect();
    let required: BTreeSet<&str> =
        learned.iter().flat_map(|step| &step.evidence.required).map(String::as_str).collect();
    let mut signatures = BTreeSet::new();
    if let Some(failure) = explaining.first() {
        let dependency = modules.iter().next().cloned();
        signatures.extend(later.iter().filter(|name| !required.contains(*name)).map(|name| {
            Signature { dependency: dependency.clone(), ..Signature::of_name(failure, name) }
        }));
    }
    for failure in explaining {
        let named = |word: &&&str| names_word(&failure.message, word);
        let name = required.iter().find(named).or_else(|| names.iter().find(named));
        let by_name = name.map(|name| Signature::of_name(failure, name));
        let signature = by_name
            .filter(|it| it.check().is_ok())
            .unwrap_or_else(|| Signature::of_failure(failure, &|word| names.contains(word)));
        let dependency = modules.iter().next().cloned();
        signatures.insert(Signature { dependency, ..signature });
    }
    let useful = signatures.into_iter().filter(|it| it.check().is_ok()).take(MAX_SIGNATURES);
    let all: Vec<Signature> = useful.map(|it| it.with_version_of(fix.files)).collect();
    if all.is_empty() { Err("the failure has no words of its own".to_owned()) } else { Ok(all) }
}
