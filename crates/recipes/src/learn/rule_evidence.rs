//! The words and places by which a failure explains a rule: without them, a change is a matter of its repository.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use papayu_base::domain::{Failure, FailureKind};
use papayu_base::text::has_word;
use papayu_lang::Language;

/// The words and places by which a failure can explain a rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleEvidence {
    /// Names of APIs, any of which is enough.
    pub(crate) names: BTreeSet<String>,
    /// Words that a failure has to name, each of them.
    pub(crate) required: BTreeSet<String>,
    /// The changed lines before the fix, from 1, by file.
    pub(crate) places: Vec<(String, RangeInclusive<u32>)>,
    /// The packages of the APIs.
    pub(crate) modules: BTreeSet<String>,
}

impl RuleEvidence {
    /// Adds the places of the same rule elsewhere.
    pub(crate) fn join(&mut self, other: Self) {
        self.names.extend(other.names);
        self.required.extend(other.required);
        self.places.extend(other.places);
        self.modules.extend(other.modules);
    }

    /// Returns whether a failure is about the rule: it names an API, or a tool that reads the code reports one of the lines.
    pub(super) fn explains(&self, failure: &Failure) -> bool {
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
        self.names.iter().any(|name| names_word(&failure.message, name)) || is_static && is_there()
    }
}

/// Returns whether a text has a word that is not a part of another; the empty word is in none.
pub(super) fn names_word(text: &str, word: &str) -> bool {
    !word.is_empty() && has_word(text, word)
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
