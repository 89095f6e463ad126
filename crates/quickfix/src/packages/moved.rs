//! Packages that have another version since the command passed.

use super::super::diagnostic_context::Spot;
use super::super::line_index::LineIndex;
use super::super::tool_context::ToolContext;
use papayu_base::domain::changes::{ChangeRecord, DependencyMove, FileChangeKind};
use papayu_base::text::split_identifier;

/// Words that give a name another meaning.
const OTHER: [&str; 10] =
    ["un", "unsafe", "unchecked", "raw", "no", "not", "non", "internal", "private", "try"];

/// Returns the packages of a file that have another version since the command passed. There is none if the line of the spot
/// changed since then, because it may be wrong itself.
pub(in super::super) fn list_moved<'t>(
    tools: &ToolContext<'t>,
    spot: &Spot,
) -> Vec<&'t DependencyMove> {
    let Some(changes) = tools.changes.filter(|it| !has_changed(it, spot)) else {
        return Vec::new();
    };
    all_moved(changes).filter(|it| names_package(&spot.source, &it.name)).collect()
}

/// Returns the packages of a file that moved, and those that moved with them.
pub(super) fn list_moved_with<'t>(tools: &ToolContext<'t>, spot: &Spot) -> Vec<&'t DependencyMove> {
    let changes = tools.changes.filter(|_| !list_moved(tools, spot).is_empty());
    changes.into_iter().flat_map(all_moved).collect()
}

/// Returns the packages with a version before and after.
fn all_moved(changes: &ChangeRecord) -> impl Iterator<Item = &DependencyMove> {
    changes.dependencies.iter().filter(|it| it.from.is_some() && it.to.is_some())
}

/// Returns whether the line of a spot is not as it was when the command passed.
fn has_changed(changes: &ChangeRecord, spot: &Spot) -> bool {
    match changes.files.iter().find(|file| file.path == spot.path.as_str()) {
        Some(file) if file.change == FileChangeKind::Changed => file
            .hunks
            .iter()
            .any(|hunk| (hunk.new_start..hunk.new_start + hunk.new_lines).contains(&spot.line)),
        Some(_) => true,
        None => changes.more_files > 0,
    }
}

/// Returns whether a file names a package: in quotes with its path, or as a word of its code.
pub(super) fn names_package(source: &LineIndex, name: &str) -> bool {
    let is_quoted = ['"', '\''].iter().any(|quote| source.text.contains(&format!("{quote}{name}")));
    is_quoted || !name.contains('/') && !source.word_places(&name.replace('-', "_")).is_empty()
}

/// Returns whether a name that a tool proposes for one of an old version may be what became of it: one of them has the words
/// of the other, or their beginnings.
pub(in super::super) fn is_later_name(old: &str, new: &str) -> bool {
    let (one, other) = (split_identifier(old), split_identifier(new));
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    let is_shared =
        |word: &String| long.iter().any(|it| it == word || word.len() > 2 && it.starts_with(word));
    let is_other = |word: &String| OTHER.contains(&word.as_str()) && !one.contains(word);
    let is_hidden = new.starts_with('_') && !old.starts_with('_');
    !short.is_empty() && short.iter().all(is_shared) && !other.iter().any(is_other) && !is_hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_name_has_the_words_of_the_old_one_and_none_of_another_meaning() {
        for (old, new, expected) in [
            ("append", "_append", false),
            ("decode", "encode", false),
            ("getRow", "setRow", false),
            ("load", "unsafe_load", false),
            ("to_simple", "simple", true),
            ("del", "delete", true),
            ("safeLoad", "load", true),
            ("Round", "RoundToUnit", true),
            ("", "load", false),
        ] {
            assert_eq!(is_later_name(old, new), expected, "{old} {new}");
        }
    }
}
