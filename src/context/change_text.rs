//! Describes what changed since the command last passed: suspects, moved versions, and the old text of shown lines.

use std::fmt::Write as _;

use super::gathered::Context;
use crate::changes::{ChangedHunk, Changes};
use papayu_base::domain::CulpritRecord;
use papayu_base::domain::changes::{DefinitionChange, DependencyMove};

/// The title of the text.
pub(super) const TITLE: &str =
    "CHANGES since the command passed (untrusted text of the repository)";

/// Most characters of the text.
const MAX_CHARS: usize = 5_000;

/// Most lines of each part.
const MAX_ROWS: usize = 20;

/// Most lines of old text that are shown of a place.
const MAX_OLD_LINES: usize = 20;

/// Most suspected commits.
const MAX_SUSPECTS: usize = 2;

/// Returns the changes in words. The old text is that of the places that the context shows, in the order in which they
/// matter. `None` if nothing of them concerns what the context shows.
pub(super) fn describe_changes(changes: &Changes, context: &Context) -> Option<String> {
    let head = changes.record().line() + "\n";
    let mut text = head.clone();
    let suspects = context.suspects.iter().take(MAX_SUSPECTS).map(CulpritRecord::line);
    let moved = changes.dependencies.iter().map(DependencyMove::line).take(MAX_ROWS);
    for line in suspects.chain(moved) {
        let _ = writeln!(text, "{line}");
    }
    for file in changes.files.iter().filter(|file| is_shown(context, &file.path)) {
        let gone = file.definitions.iter().filter(|it| it.change != DefinitionChange::Added);
        for definition in gone.take(MAX_ROWS) {
            let (name, path) = (&definition.name, &file.path);
            let _ = match (definition.change, &definition.was) {
                (DefinitionChange::Removed, _) => writeln!(text, "{path}: `{name}` is removed"),
                (_, Some(was)) => writeln!(text, "{path}: `{was}` is now `{name}`"),
                _ => Ok(()),
            };
        }
    }
    let mut seen: Vec<(&str, u32)> = Vec::new();
    for (path, lines) in &context.order {
        let Some(file) = changes.file(path.as_str()) else { continue };
        let is_here = |hunk: &&ChangedHunk| hunk.lines().0 <= lines.1 && lines.0 <= hunk.lines().1;
        for hunk in file.hunks.iter().filter(is_here).filter(|hunk| !hunk.old_text.is_empty()) {
            let place = (file.path.as_str(), hunk.range.new_start);
            let block = describe_hunk(&file.path, hunk);
            if seen.contains(&place) || text.chars().count() + block.chars().count() > MAX_CHARS {
                continue;
            }
            seen.push(place);
            text.push_str(&block);
        }
    }
    (text != head).then_some(text)
}

fn is_shown(context: &Context, path: &str) -> bool {
    context.files.iter().any(|file| file.path.as_str() == path)
}

/// Returns a place with the lines that it had when the command passed.
fn describe_hunk(path: &str, hunk: &ChangedHunk) -> String {
    let (first, last) = hunk.lines();
    let place = if hunk.range.new_lines == 0 {
        format!("{path}: between lines {first} and {last} there was")
    } else {
        format!("{path}: lines {first}-{last} were")
    };
    let lines: Vec<&str> = hunk.old_text.lines().collect();
    let (count, shown) = (lines.len(), lines.get(..MAX_OLD_LINES).unwrap_or(&lines));
    let old = format!("-{}\n", shown.join("\n-"));
    let more = count.saturating_sub(MAX_OLD_LINES);
    let more = if more > 0 { format!("({more} more lines)\n") } else { String::new() };
    format!("{place}\n{old}{more}")
}
