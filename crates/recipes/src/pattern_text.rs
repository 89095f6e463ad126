//! The texts of patterns and fixes: the names in them, and variables without a value.

use papayu_lang::Language;
use std::collections::BTreeSet;

use super::name_role::is_reference;
use super::rules::RewriteRule;
use super::source_tree::SourceTree;
use super::text_edit::replace_word;

/// The texts around a pattern that is no program by itself.
pub(crate) const CONTEXTS: [(Language, &str, &str); 2] = [
    (Language::Go, "func f() { _ = ", " }"),
    (Language::Java, "class C { Object f() { return ", "; } }"),
];

/// Returns a pattern without the text around it that its language needs.
pub(crate) fn without_context(pattern: &str) -> &str {
    let inner = CONTEXTS
        .iter()
        .find_map(|(_, before, after)| pattern.strip_prefix(before)?.strip_suffix(after));
    inner.unwrap_or(pattern)
}

/// Returns a pattern with its names replaced, the longest first.
pub(crate) fn replace_names<'n>(
    text: &str,
    names: impl Iterator<Item = (&'n String, &'n String)>,
) -> String {
    let mut names: Vec<_> = names.collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    // Replaced by marks first, so that no replacement is replaced again.
    let mut text = text.to_owned();
    for (at, (name, _)) in names.iter().enumerate() {
        text = replace_word(&text, name, &format!("\u{1}{at}\u{2}"));
    }
    for (at, (_, with)) in names.iter().enumerate() {
        text = text.replace(&format!("\u{1}{at}\u{2}"), with);
    }
    text
}

/// Returns a fix without a variable and the comma after it, or else before it.
pub(crate) fn without_variable(fix: &str, variable: &str) -> String {
    let Some((before, after)) = fix.split_once(variable) else { return fix.to_owned() };
    if let Some(rest) = after.trim_start().strip_prefix(',') {
        return format!("{before}{}", rest.trim_start());
    }
    let shorter = before.trim_end().strip_suffix(',').unwrap_or(before);
    format!("{shorter}{after}")
}

/// Returns the names that the patterns of a rule write as they are, and that are no members.
pub(crate) fn root_names(rule: &RewriteRule) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for pattern in rule.patterns() {
        let pattern = pattern.replace('$', "µ");
        let Some(tree) = SourceTree::parse(rule.language, &pattern) else { continue };
        let leaves = tree.leaves(tree.root()).into_iter();
        let written =
            leaves.filter(|leaf| is_reference(*leaf) && !tree.text_of(*leaf).contains('µ'));
        names.extend(written.map(|leaf| tree.text_of(leaf).to_owned()));
    }
    names
}
