//! The user's goal in words, and the mode that it selects (protocol section 2).

use serde::{Deserialize, Serialize};

/// The kinds of exchange: PLAN reads and explains, APPLY changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A diagnosis and steps; never actions.
    Plan,
    /// Actions, or `NO_CHANGES:`.
    Apply,
    /// Actions in the reply to a PLAN request (protocol section 13).
    Direct,
}

impl Mode {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Plan, Self::Apply, Self::Direct];

    /// Returns the name used in traces: `plan`, `apply` or `direct`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Apply => "apply",
            Self::Direct => "direct",
        }
    }

    /// Returns whether the exchange brings a change.
    pub fn brings_change(self) -> bool {
        matches!(self, Self::Apply | Self::Direct)
    }
}

/// The exchanges of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// PLAN only: the goal begins with `plan:`.
    PlanOnly,
    /// PLAN, then APPLY: repairs.
    PlanThenApply,
    /// APPLY at once: the goal begins with `apply:` or asks to create something.
    ApplyOnly,
}

/// A goal in any language, its prefix taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The words, without `plan:` or `apply:`.
    pub text: String,
    /// The exchanges that the words select.
    pub route: Route,
}

/// Words that ask for something new; a goal that begins with one goes straight to APPLY.
const CREATE_WORDS: [&str; 4] = ["create", "generate", "создай", "сгенерируй"];

impl Goal {
    /// Reads the prefix or the first word; a goal with neither is planned and then applied.
    pub fn parse(text: &str) -> Self {
        // The prefixes are compared in lower case, so that `Plan:` works as well.
        let text = text.trim();
        let lower = text.to_lowercase();
        for (prefix, route) in [("plan:", Route::PlanOnly), ("apply:", Route::ApplyOnly)] {
            if lower.starts_with(prefix) {
                // The prefixes are ASCII, so that lower case changes no length before this
                // offset.
                let rest = text.get(prefix.len()..).unwrap_or_default().trim();
                return Self { text: rest.to_owned(), route };
            }
        }
        // The first word in any script, without punctuation.
        let first = lower.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let route =
            if CREATE_WORDS.contains(&first) { Route::ApplyOnly } else { Route::PlanThenApply };
        Self { text: text.to_owned(), route }
    }

    /// Returns words that [`Goal::parse`] reads as this goal.
    /// The words are kept in plan files and bundles, which are parsed again.
    pub fn written(&self) -> String {
        match self.route {
            Route::PlanOnly => format!("plan: {}", self.text),
            Route::ApplyOnly => format!("apply: {}", self.text),
            Route::PlanThenApply => self.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_first_words_choose_the_route() {
        for (text, words, route) in [
            ("plan: why is it slow", "why is it slow", Route::PlanOnly),
            ("APPLY: rename it", "rename it", Route::ApplyOnly),
            ("fix the parser", "fix the parser", Route::PlanThenApply),
            ("Почини тесты", "Почини тесты", Route::PlanThenApply),
            ("Создай README", "Создай README", Route::ApplyOnly),
            ("generate docs", "generate docs", Route::ApplyOnly),
            ("created files leak", "created files leak", Route::PlanThenApply),
        ] {
            let goal = Goal::parse(text);
            assert_eq!(goal, Goal { text: words.to_owned(), route }, "{text}");
            assert_eq!(Goal::parse(&goal.written()), goal, "{text}");
        }
    }
}
