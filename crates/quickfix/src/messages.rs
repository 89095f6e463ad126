//! The messages of a tool about something that is missing, read by a table of their forms.

use papayu_base::text::{Pattern, group};

/// A form of message, and the kind of what it is about.
pub(super) struct Form<S> {
    sort: S,
    pattern: Pattern,
}

/// Returns a row of a table of forms. The pattern names `name` (or `other`), and perhaps `of` and `proposed`.
pub(super) const fn form<S>(sort: S, pattern: &'static str) -> Form<S> {
    Form { sort, pattern: Pattern::new(pattern) }
}

/// The parts of a message about something that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Missing<S> {
    /// The kind, which decides the rule.
    pub(super) sort: S,
    /// The name, path or module that is wrong.
    pub(super) name: String,
    /// The module, package or type that does not have it.
    pub(super) of: Option<String>,
    /// The name that the tool proposes instead.
    pub(super) proposed: Option<String>,
}

/// Returns the parts of a message by the first form that fits; `None` for a message of another form.
pub(super) fn read_message<S: Copy>(forms: &[Form<S>], message: &str) -> Option<Missing<S>> {
    forms.iter().find_map(|form| {
        let found = form.pattern.captures(message)?;
        let part = |name| group(&found, name).map(str::to_owned);
        Some(Missing {
            sort: form.sort,
            name: part("name").or_else(|| part("other"))?,
            of: part("of"),
            proposed: part("proposed"),
        })
    })
}

/// Returns whether every pattern of a table compiles.
#[cfg(test)]
pub(super) fn are_valid<S>(forms: &[Form<S>]) -> bool {
    forms.iter().all(|form| form.pattern.is_valid())
}
