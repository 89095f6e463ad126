//! The tokens of changed files as one line of text, for the rules that are patterns.

use std::collections::HashMap;

use super::flag::Flag;
use papayu_base::text::Pattern;
use papayu_lang::{ChangedText, Family, TokenKind, cut_tokens};

/// A pattern for the tokens of some languages.
pub(super) struct AddedTextRule {
    /// Empty for every language.
    pub(super) families: &'static [Family],
    /// A predicate of the change, such as `ends the process`.
    pub(super) message: &'static str,
    /// Matched against the tokens with one blank between them, strings in double quotes.
    pub(super) pattern: Pattern,
}

/// Returns a rule for some languages; no language means every language.
pub(super) const fn rule(
    families: &'static [Family],
    message: &'static str,
    pattern: &'static str,
) -> AddedTextRule {
    AddedTextRule { families, message, pattern: Pattern::new(pattern) }
}

/// Characters of a match that a message shows.
const MAX_SHOWN: usize = 60;

/// A match of a rule that is more than before.
pub(super) struct AddedMatch {
    pub(super) path: String,
    /// From 1.
    pub(super) line: usize,
    pub(super) message: &'static str,
    /// The matched text.
    pub(super) text: String,
}

impl AddedMatch {
    /// Returns the place with the start of the matched text.
    pub(super) fn into_flag(self) -> Flag {
        let shown: String = self.text.chars().take(MAX_SHOWN).collect();
        Flag { path: self.path, line: self.line, message: format!("{}: `{shown}`", self.message) }
    }
}

/// Returns the matches in the files after the change that were not there before.
///
/// Matches are compared by rule and text over all files, so code that moves from one file to
/// another is not new.
pub(super) fn find_added(changes: &[&ChangedText<'_>], rules: &[AddedTextRule]) -> Vec<AddedMatch> {
    let mut known: HashMap<(&'static str, String), usize> = HashMap::new();
    for change in changes {
        for hit in find_hits(change.path, change.before, rules) {
            *known.entry((hit.message, hit.text)).or_default() += 1;
        }
    }
    let after = changes.iter().flat_map(|change| find_hits(change.path, change.after, rules));
    after
        .filter(|hit| match known.get_mut(&(hit.message, hit.text.clone())) {
            Some(left) if *left > 0 => {
                *left -= 1;
                // This match pairs with one from before the change.
                false
            }
            _ => true,
        })
        .collect()
}

/// Returns the places where the rules match the code of a text.
///
/// The tokens are joined by one blank, so a pattern does not depend on the layout: `os.kill(0)`
/// is `os . kill ( 0 )`. Comments are left out.
fn find_hits(path: &str, text: &str, rules: &[AddedTextRule]) -> Vec<AddedMatch> {
    let family = Family::of_path(path);
    let (mut joined, mut starts, mut lines) = (String::new(), Vec::new(), Vec::new());
    for token in cut_tokens(path, text).code {
        starts.push(joined.len());
        lines.push(token.line);
        if token.kind == TokenKind::Text {
            joined.push('"');
            joined.push_str(&token.text);
            joined.push('"');
        } else {
            joined.push_str(&token.text);
        }
        joined.push(' ');
    }
    let mut found = Vec::new();
    for rule in rules.iter().filter(|it| it.families.is_empty() || it.families.contains(&family)) {
        for hit in rule.pattern.find_iter(&joined) {
            // A match may begin inside a token; the line is that of the token that contains its
            // start.
            let at = starts.partition_point(|start| *start <= hit.start()).saturating_sub(1);
            found.push(AddedMatch {
                path: path.to_owned(),
                line: lines.get(at).copied().unwrap_or(1),
                message: rule.message,
                text: hit.as_str().trim().to_owned(),
            });
        }
    }
    found
}
