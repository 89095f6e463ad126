//! The signature of a failure: the tool, its code, and the message with its variable parts left out.

use papayu_base::domain::{Failure, FailureReport};
use papayu_base::text::is_word_char;
use serde::{Deserialize, Serialize};

use super::fault::RecipeFault;

/// The failures that a recipe repairs. Every field that is given has to fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The toolchain as `explain` names it, such as `python`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool's own code, such as `TS2305`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The first line of the message; `*` is any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// A package, or a module of it, that the file must import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependency: Option<String>,
    /// The versions of the dependency, such as `>=1.2, <2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Signature {
    /// Returns the signature of the failures of a tool that name an API: each form of use has a message and a code of its own.
    pub(crate) fn of_name(failure: &Failure, name: &str) -> Self {
        let tool = Some(failure.toolchain.clone()).filter(|it| !it.is_empty());
        Self { tool, message: Some(format!("*{name}*")), ..Self::default() }
    }

    /// Returns the signature of a failure, in which every quoted word is variable that `is_api` does not know.
    pub(crate) fn of_failure(failure: &Failure, is_api: &dyn Fn(&str) -> bool) -> Self {
        let headline = failure.headline();
        let has_code = failure.code.is_some();
        let message = generalize_message(&headline, is_api);
        // The names that a compiler reports are the API; without one the code alone would be every failure of its kind.
        let is_useful = count_letters(&message) >= 3;
        Self {
            tool: Some(failure.toolchain.clone()).filter(|it| !it.is_empty()),
            code: failure.code.clone(),
            message: Some(message).filter(|_| is_useful || !has_code),
            ..Self::default()
        }
    }

    /// Returns whether a failure has the signature.
    pub fn matches(&self, failure: &Failure) -> bool {
        let is_same = |own: &Option<String>, other: Option<&str>| {
            own.as_deref().is_none_or(|own| other.is_some_and(|it| it.eq_ignore_ascii_case(own)))
        };
        is_same(&self.tool, Some(&failure.toolchain))
            && is_same(&self.code, failure.code.as_deref())
            && self.message.as_deref().is_none_or(|pattern| {
                has_in_order(&failure.headline(), pattern)
                    || has_in_order(&failure.message, pattern)
            })
    }

    /// Returns the failures of a report that have the signature.
    pub(crate) fn select<'r>(&self, report: &'r FailureReport) -> Vec<&'r Failure> {
        report.failures.iter().filter(|failure| self.matches(failure)).collect()
    }

    /// Refuses a signature that every failure has.
    pub(crate) fn check(&self) -> Result<(), RecipeFault> {
        let letters = self.message.as_deref().map_or(0, count_letters);
        if self.code.is_none() && letters < 3 {
            let hint = "give a `code`, or a `message` with at least 3 letters";
            return Err(RecipeFault::new("`when` fits every failure", hint));
        }
        self.check_range()
    }
}

/// Returns the letters and digits of a pattern.
fn count_letters(pattern: &str) -> usize {
    pattern.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Returns whether a text has the parts of a pattern between its `*`, in their order.
fn has_in_order(text: &str, pattern: &str) -> bool {
    let mut rest = text;
    pattern.split('*').map(str::trim).filter(|part| !part.is_empty()).all(|part| {
        let found = find_alone(rest, part).and_then(|at| rest.get(at + part.len()..));
        found.map(|after| rest = after).is_some()
    })
}

/// Returns whether a text has a word that is not a part of another.
pub(crate) fn has_name(text: &str, name: &str) -> bool {
    !name.is_empty() && find_alone(text, name).is_some()
}

/// Returns the place of a part that does not begin or end within a word.
fn find_alone(text: &str, part: &str) -> Option<usize> {
    let (first, last) = (part.starts_with(is_word_char), part.ends_with(is_word_char));
    let mut places = text.match_indices(part).map(|(at, _)| at);
    places.find(|at| {
        let before = text.get(..*at).is_some_and(|it| it.ends_with(is_word_char));
        let after = text.get(at + part.len()..).is_some_and(|it| it.starts_with(is_word_char));
        !(first && before || last && after)
    })
}

/// Returns a message with `*` for every number, path and name that is not part of an API.
///
/// A word of prose has no mark of a name: no digit, no capital inside, no quotes around it, no `_`, `/`, `.` or `:`.
fn generalize_message(message: &str, is_api: &dyn Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| is_word_char(c) || c == '$';
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        let after_is_name = after.starts_with(['.', '/', ':', '('])
            && after.chars().nth(1).is_some_and(|c| is_word(c) || c == ':' || c == ')');
        let before_is_name = out.ends_with(['.', '/', '*']) || out.ends_with("::");
        if is_word(first) {
            let has_mark = word.contains(|c: char| c.is_ascii_digit() || c == '_' || c == '$')
                || word.chars().skip(1).any(char::is_uppercase)
                    && word.chars().any(char::is_lowercase);
            let is_variable = quoted || has_mark || after_is_name || before_is_name;
            let is_kept = !is_variable || is_api(word) || is_error_name(word);
            out.push_str(if is_kept { word } else { "*" });
        } else {
            // `'` in `can't` is no quote.
            let is_inside =
                out.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
            if matches!(first, '`' | '"' | '‘' | '’') || first == '\'' && !is_inside {
                quoted = !quoted;
            }
            out.push(first);
        }
        rest = after;
    }
    while let Some(shorter) = shorten(&out) {
        out = shorter;
    }
    out
}

/// Returns whether a word is the class of an error, which names the kind of failure.
fn is_error_name(word: &str) -> bool {
    ["Error", "Exception", "Warning"].iter().any(|ending| word.ends_with(ending))
}

/// Joins the `*` of a path to one; `None` if there is nothing to join.
fn shorten(text: &str) -> Option<String> {
    for pair in ["**", "*.*", "*/*", "*::*", "/*", "*-*", "*:*"] {
        if text.contains(pair) {
            return Some(text.replacen(pair, "*", 1));
        }
    }
    None
}
