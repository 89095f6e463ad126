//! What a failure says about a rule: without it, a change is a matter of its repository.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use papayu_base::domain::{Failure, FailureKind, FailureReport};
use papayu_lang::Language;

use super::LearnedStep;
use crate::signature::Signature;

/// Most signatures of a recipe.
const MAX_SIGNATURES: usize = 5;

/// The words and places by which a failure can explain a rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Names of APIs, any of which is enough.
    pub(crate) names: BTreeSet<String>,
    /// Words that a failure has to name, each of them.
    pub(crate) required: BTreeSet<String>,
    /// The changed lines before the fix, from 1, by file.
    pub(crate) places: Vec<(String, RangeInclusive<u32>)>,
    /// The packages of the APIs.
    pub(crate) modules: BTreeSet<String>,
}

impl Evidence {
    /// Adds the places of the same rule elsewhere.
    pub(crate) fn join(&mut self, other: Self) {
        self.names.extend(other.names);
        self.required.extend(other.required);
        self.places.extend(other.places);
        self.modules.extend(other.modules);
    }

    /// Returns whether a failure is about the rule: it names an API, or a tool that reads the code reports one of the lines.
    fn explains(&self, failure: &Failure) -> bool {
        let text = full_text(failure);
        let is_static =
            matches!(failure.kind, FailureKind::Compile | FailureKind::Lint | FailureKind::Import);
        let is_there = || {
            self.places.iter().any(|(path, lines)| {
                let same = |place: &&papayu_base::domain::Location| {
                    place.path.trim_start_matches("./").ends_with(path.as_str())
                };
                let mut at = failure.locations.iter().filter(same);
                at.any(|place| place.line.is_some_and(|line| lines.contains(&line)))
            })
        };
        self.names.iter().any(|name| has_word(&text, name)) || is_static && is_there()
    }
}

/// Returns the signatures of the failures that a fix repairs.
///
/// # Errors
///
/// The reason why the failures do not explain one of the rules.
pub(super) fn choose_signatures(
    learned: &[LearnedStep],
    report: &FailureReport,
) -> Result<Vec<Signature>, String> {
    let mut explaining: Vec<&Failure> = Vec::new();
    let mut modules = BTreeSet::new();
    for step in learned {
        let found: Vec<&Failure> =
            report.failures.iter().filter(|it| step.evidence.explains(it)).collect();
        let has_required =
            |word: &String| report.failures.iter().any(|it| has_word(&full_text(it), word));
        if let Some(word) = step.evidence.required.iter().find(|word| !has_required(word)) {
            return Err(format!("the failure does not name `{word}`"));
        }
        if !found.is_empty() {
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
    for failure in explaining {
        let named = |word: &&&str| has_word(&failure.message, word);
        let name = required.iter().find(named).or_else(|| names.iter().find(named));
        let by_name = name.map(|name| Signature::of_name(failure, name));
        let signature = by_name
            .filter(|it| it.check().is_ok())
            .unwrap_or_else(|| Signature::of_failure(failure, &|word| names.contains(word)));
        let dependency = modules.iter().next().cloned();
        signatures.insert(Signature { dependency, ..signature });
    }
    let all: Vec<Signature> =
        signatures.into_iter().filter(|it| it.check().is_ok()).take(MAX_SIGNATURES).collect();
    if all.is_empty() { Err("the failure has no words of its own".to_owned()) } else { Ok(all) }
}

/// Returns everything that a tool said.
fn full_text(failure: &Failure) -> String {
    let parts = [failure.expected.as_deref(), failure.actual.as_deref(), failure.test.as_deref()];
    let parts = parts.into_iter().flatten().skip(3);
    [failure.message.as_str()].into_iter().chain(parts).collect::<Vec<_>>().join("\n")
}

/// Returns whether a text has a word that stands alone.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).and_then(|it| it.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|it| it.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

/// Returns the package of a module, as a manifest names it.
pub(super) fn package_of(language: Language, module: &str) -> String {
    let parts = match language {
        Language::Python => module.split('.').take(1).collect::<Vec<_>>().join("."),
        Language::Rust => module.split("::").take(1).collect::<Vec<_>>().join("::"),
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            let count = if module.starts_with('@') { 2 } else { 1 };
            module.split('/').take(count).collect::<Vec<_>>().join("/")
        }
        _ => module.to_owned(),
    };
    if parts.is_empty() { module.to_owned() } else { parts }
}
