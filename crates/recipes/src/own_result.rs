//! Finds the places that a rule has changed before, where its fix matches its own pattern.

use ast_grep_core::Pattern;
use ast_grep_core::matcher::MatcherExt;
use serde_json::Value;

use super::rewrite_scope::{NamedRule, RuleMatch};

/// The fix of a rule as a pattern; none for a fix that may be what any place of the pattern already is.
pub(crate) struct OwnResult(Option<Pattern>);

impl OwnResult {
    /// Reads the fix of a rule with the names of a file.
    ///
    /// A rule that swaps two arguments has no such pattern: every place looks like its result.
    pub(crate) fn of(rule: &NamedRule<'_>) -> Self {
        let pattern = rule.document.get("rule").and_then(|it| it.get("pattern"));
        let texts =
            pattern.and_then(Value::as_str).zip(rule.document.get("fix").and_then(Value::as_str));
        Self(texts.and_then(|(pattern, fix)| {
            let is_found = |text: &str, by: &Pattern| {
                let tree = rule.file.parse(text)?;
                let grep = ast_grep_core::AstGrep::doc(tree);
                Some(grep.root().find(by).is_some())
            };
            let plain = |text: &str| text.replace('$', "");
            let (old, new) =
                (Pattern::try_new(pattern, rule.file), Pattern::try_new(fix, rule.file));
            let (old, new) = (old.ok()?, new.ok()?);
            let is_own = is_found(&plain(fix), &old)? && !is_found(&plain(pattern), &new)?;
            is_own.then_some(new)
        }))
    }

    /// Returns whether a place is what the fix makes.
    pub(crate) fn has(&self, matched: &RuleMatch<'_>) -> bool {
        self.0.as_ref().is_some_and(|fix| fix.match_node((**matched).clone()).is_some())
    }
}
