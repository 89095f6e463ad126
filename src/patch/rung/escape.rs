//! A patch written with entities or escaped quotes that the file does not have.

use crate::patch::parse::{Mark, Section};
use crate::patch::source::Source;

const ENTITIES: [(&str, &str); 7] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    // Last, so that an entity that was meant to be shown stays one.
    ("&amp;", "&"),
];
const QUOTES: [(&str, &str); 2] = [("\\\"", "\""), ("\\'", "'")];

/// Returns the patch without the escapes, when its old lines are in the file without them and not
/// with them.
pub(in crate::patch) fn unescaped(
    patch: &str,
    section: &Section<'_>,
    source: &Source<'_>,
) -> Option<String> {
    [&ENTITIES[..], &QUOTES[..]]
        .into_iter()
        .find(|table| is_escaped(table, section, source))
        .map(|table| undo(table, patch))
}

fn is_escaped(table: &[(&str, &str)], section: &Section<'_>, source: &Source<'_>) -> bool {
    let escaped = |text: &str| table.iter().any(|(escape, _)| text.contains(escape));
    let mut without = false;
    let rows = section.hunks.iter().flat_map(|hunk| &hunk.rows);
    for row in rows.filter(|row| row.mark != Mark::Insert && escaped(row.text())) {
        if source.has_folded(row.text()) {
            return false;
        }
        without |= source.has_folded(&undo(table, row.text()));
    }
    without
}

fn undo(table: &[(&str, &str)], text: &str) -> String {
    table.iter().fold(text.to_owned(), |text, (escape, meant)| text.replace(escape, meant))
}
