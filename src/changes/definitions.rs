//! The definitions that a change adds, removes, renames or edits.

use std::collections::BTreeMap;

use super::diff::ChangedHunk;
use papayu_base::domain::changes::{DefinitionChange, DefinitionMove};
use papayu_index::{Symbol, SymbolKind, language};
use papayu_lang::Language;

/// Most definitions that are listed for a file.
const MAX_LISTED: usize = 40;

/// A definition with its text.
struct DefinedText {
    /// The number of its first definition of that name, which keeps the order of the file.
    lines: (u32, u32),
    text: String,
}

/// Returns the changed definitions of a file; none for a file without a grammar.
pub(super) fn find_definition_moves(
    path: &str,
    old: &str,
    new: &str,
    hunks: &[ChangedHunk],
) -> Vec<DefinitionMove> {
    let Some(language) = Language::of_path(path) else { return Vec::new() };
    let (old, new) = (list_definitions(language, old), list_definitions(language, new));
    let mut moves = Vec::new();
    for (name, gone) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let short = last_name(name);
        let same = |(other, it): &(&String, &DefinedText)| {
            !old.contains_key(*other) && gone.text.replace(short, last_name(other)) == it.text
        };
        let renamed = new.iter().find(same).map(|(other, _)| other.clone());
        let (change, was) = match &renamed {
            Some(_) => (DefinitionChange::Renamed, Some(name.clone())),
            None => (DefinitionChange::Removed, None),
        };
        let named = renamed.unwrap_or_else(|| name.clone());
        moves.push(DefinitionMove { name: named, change, was });
    }
    let is_renamed = |name: &String, moves: &[DefinitionMove]| {
        moves.iter().any(|it| it.name == *name && it.was.is_some())
    };
    for (name, definition) in &new {
        if is_renamed(name, &moves) {
            continue;
        }
        let change = match old.get(name) {
            None => DefinitionChange::Added,
            Some(before) if before.text == definition.text => continue,
            // Of nested definitions only the innermost is listed.
            Some(_) if !is_innermost(definition.lines, &new, hunks) => continue,
            Some(_) => DefinitionChange::Changed,
        };
        moves.push(DefinitionMove { name: name.clone(), change, was: None });
    }
    moves.truncate(MAX_LISTED);
    moves
}

/// Returns whether a hunk touches lines of a definition that none of the definitions inside it has.
fn is_innermost(
    lines: (u32, u32),
    all: &BTreeMap<String, DefinedText>,
    hunks: &[ChangedHunk],
) -> bool {
    let touches = |lines: (u32, u32), hunk: &ChangedHunk| {
        let (first, last) = hunk.lines();
        first <= lines.1 && lines.0 <= last
    };
    let inner =
        |it: &&DefinedText| it.lines != lines && lines.0 <= it.lines.0 && it.lines.1 <= lines.1;
    hunks.iter().any(|hunk| {
        touches(lines, hunk) && !all.values().filter(inner).any(|it| touches(it.lines, hunk))
    })
}

/// Returns the definitions of a text by their names with those of the definitions around them.
fn list_definitions(language: Language, text: &str) -> BTreeMap<String, DefinedText> {
    let lines: Vec<&str> = text.lines().collect();
    let symbols = language::parse(language, text).facts.symbols;
    let mut all = BTreeMap::new();
    for symbol in symbols.iter().filter(|it| it.kind != SymbolKind::Property) {
        let range = symbol.start.saturating_sub(1) as usize..(symbol.end as usize).min(lines.len());
        let text = lines.get(range).unwrap_or_default().join("\n");
        let definition = DefinedText { lines: (symbol.start, symbol.end), text };
        all.entry(qualified_name(symbol, &symbols)).or_insert(definition);
    }
    all
}

/// Returns the name of a symbol with the names of those around it: `Cart.total`.
fn qualified_name(symbol: &Symbol, symbols: &[Symbol]) -> String {
    let mut name = symbol.name.to_string();
    let mut parent = symbol.parent;
    // No file nests definitions deeper, and a cycle of parents ends.
    for _ in 0..8 {
        let Some(around) = parent.and_then(|at| symbols.get(at as usize)) else { break };
        name = format!("{}.{name}", around.name);
        parent = around.parent;
    }
    name
}

fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::diff::parse_diff;
    use super::*;

    #[test]
    fn definitions_are_added_removed_renamed_and_changed() {
        let old = "def gone():\n    return 0\n\n\ndef soft(text):\n    return text\n\n\nclass Cart:\n    def total(self):\n        return 1\n\n    def size(self):\n        return 2\n";
        let new = "def mild(text):\n    return text\n\n\nclass Cart:\n    def total(self):\n        return 3\n\n    def size(self):\n        return 2\n\n\ndef fresh():\n    return 9\n";
        let patch = diffy::DiffOptions::new().set_context_len(0).create_patch(old, new).to_string();
        let diff = format!(
            "diff --git a/a.py b/a.py\n{}",
            patch.replace("--- original\n+++ modified", "--- a/a.py\n+++ b/a.py")
        );
        let file = parse_diff(&diff).remove(0);
        assert_eq!(file.old_text(new).as_deref(), Some(old));
        let moves = find_definition_moves("a.py", old, new, &file.hunks);
        let shown: Vec<_> =
            moves.iter().map(|it| (it.name.as_str(), it.change, it.was.as_deref())).collect();
        let expected = [
            ("gone", DefinitionChange::Removed, None),
            ("mild", DefinitionChange::Renamed, Some("soft")),
            ("Cart.total", DefinitionChange::Changed, None),
            ("fresh", DefinitionChange::Added, None),
        ];
        assert_eq!(shown, expected);
        assert_eq!(find_definition_moves("a.txt", old, new, &file.hunks), []);
    }
}
