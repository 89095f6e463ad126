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
    /// PLAN, then the remarks of a review: the goal begins with `review:` or asks for a review.
    Review,
}

/// A goal in any language, its prefix taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The words, without `plan:`, `apply:` or `review:`.
    pub text: String,
    /// The exchanges that the words select.
    pub route: Route,
}

/// The prefixes of goals.
const PREFIXES: [(&str, Route); 4] = [
    ("plan:", Route::PlanOnly),
    ("apply:", Route::ApplyOnly),
    ("review:", Route::Review),
    ("ревью:", Route::Review),
];

/// Words that ask for something new; a goal that begins with one goes straight to APPLY.
const CREATE_WORDS: [&str; 4] = ["create", "generate", "создай", "сгенерируй"];

/// Words for a review.
const REVIEW_WORDS: [&str; 2] = ["review", "ревью"];

/// Words that ask for a review if one of [`REVIEW_WORDS`] is among the next three.
const DO_WORDS: [&str; 6] = ["do", "make", "write", "сделай", "проведи", "напиши"];

impl Goal {
    /// Reads the prefix or the first words; a goal with neither is planned and then applied.
    ///
    /// ```
    /// use papayu_base::domain::goal::{Goal, Route};
    ///
    /// let goal = Goal::parse("plan: why is the build slow");
    /// assert_eq!((goal.route, goal.text.as_str()), (Route::PlanOnly, "why is the build slow"));
    /// assert_eq!(Goal::parse("create a changelog").route, Route::ApplyOnly);
    /// assert_eq!(Goal::parse("make the tests pass").route, Route::PlanThenApply);
    /// ```
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        for (prefix, route) in PREFIXES {
            // Compared in lower case, so that `Plan:` works as well. These letters have as many bytes in both cases.
            let begins = text.get(..prefix.len()).filter(|it| it.to_lowercase() == prefix);
            if begins.is_some() {
                let rest = text.get(prefix.len()..).unwrap_or_default().trim();
                return Self { text: rest.to_owned(), route };
            }
        }
        Self { text: text.to_owned(), route: route_of_words(&text.to_lowercase()) }
    }

    /// Returns words that [`Goal::parse`] reads as this goal.
    /// The words are kept in plan files and bundles, which are parsed again.
    pub fn written(&self) -> String {
        match self.route {
            Route::PlanOnly => format!("plan: {}", self.text),
            Route::ApplyOnly => format!("apply: {}", self.text),
            Route::Review => format!("review: {}", self.text),
            Route::PlanThenApply => self.text.clone(),
        }
    }
}

/// Returns the route that the first words of a goal select, in any script and without punctuation.
fn route_of_words(lower: &str) -> Route {
    let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let asks_for_review = REVIEW_WORDS.contains(&first)
        || DO_WORDS.contains(&first) && words.take(3).any(|word| REVIEW_WORDS.contains(&word));
    match first {
        _ if asks_for_review => Route::Review,
        first if CREATE_WORDS.contains(&first) => Route::ApplyOnly,
        _ => Route::PlanThenApply,
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
            ("review: src/parser.py", "src/parser.py", Route::Review),
            ("РЕВЬЮ: модуль", "модуль", Route::Review),
            ("сделай код-ревью модуля", "сделай код-ревью модуля", Route::Review),
            ("Review the parser", "Review the parser", Route::Review),
            ("do a code review of src", "do a code review of src", Route::Review),
            (
                "make the test of the review page pass",
                "make the test of the review page pass",
                Route::PlanThenApply,
            ),
            ("reviews are not saved", "reviews are not saved", Route::PlanThenApply),
        ] {
            let goal = Goal::parse(text);
            assert_eq!(goal, Goal { text: words.to_owned(), route }, "{text}");
            assert_eq!(Goal::parse(&goal.written()), goal, "{text}");
        }
    }
}
