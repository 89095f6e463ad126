//! Patches written with entities or escaped quotes that the file does not have.

use crate::hunk::{HunkRow, LineMark};
use crate::parse::FileSection;
use crate::source::SourceText;

/// An entity and its character.
#[derive(Clone, Copy)]
struct Entity {
    escaped: &'static str,
    char: char,
}

/// Entities that are escaped together: a page that escapes code has none of these characters raw.
const MARKUP: [Entity; 3] = [
    Entity { escaped: "&lt;", char: '<' },
    Entity { escaped: "&gt;", char: '>' },
    Entity { escaped: "&amp;", char: '&' },
];
const QUOTES: [Entity; 4] = [
    Entity { escaped: "&quot;", char: '"' },
    Entity { escaped: "&#34;", char: '"' },
    Entity { escaped: "&#39;", char: '\'' },
    Entity { escaped: "&apos;", char: '\'' },
];

/// Returns the patch without escapes.
///
/// Returns `None` unless the file has the old lines without the escapes and not with them, and no line
/// of the patch has the escaped characters raw.
pub(crate) fn unescape_patch(
    patch: &str,
    section: &FileSection<'_>,
    source: &SourceText<'_>,
) -> Option<String> {
    let old = old_lines(section);
    if !old.iter().any(|text| text.contains('&') || text.contains("\\\"")) {
        return None;
    }
    let entities = find_entities(section, &old);
    if needs_unescape(&old, source, |text| undo_entities(&entities, text)) {
        return Some(undo_entities(&entities, patch));
    }
    let all_escaped = all_rows(section).all(|row| !has_raw_quote(row.text()));
    (all_escaped && needs_unescape(&old, source, unescape_quotes)).then(|| unescape_quotes(patch))
}

fn all_rows<'s, 'a>(section: &'s FileSection<'a>) -> impl Iterator<Item = &'s HunkRow<'a>> {
    section.hunks.iter().flat_map(|hunk| &hunk.rows)
}

fn old_lines<'a>(section: &FileSection<'a>) -> Vec<&'a str> {
    all_rows(section).filter(|row| row.mark != LineMark::Insert).map(HunkRow::text).collect()
}

/// Returns `true` if the file has an old line without its escapes, and none with them.
fn needs_unescape(old: &[&str], source: &SourceText<'_>, undo: impl Fn(&str) -> String) -> bool {
    let mut found = false;
    for text in old {
        let undone = undo(text);
        if undone == *text {
            continue;
        }
        if source.has_folded(text) {
            return false;
        }
        found |= source.has_folded(&undone);
    }
    found
}

/// Returns the entities of characters that no line has raw, if the old lines have any entity.
fn find_entities(section: &FileSection<'_>, old: &[&str]) -> Vec<Entity> {
    let is_used = |entity: &Entity| old.iter().any(|text| text.contains(entity.escaped));
    let is_raw = |char: char| all_rows(section).any(|row| row.text().contains(char));
    if !MARKUP.iter().chain(&QUOTES).any(is_used) {
        return Vec::new();
    }
    let markup = !is_raw('<') && !is_raw('>');
    let mut entities: Vec<Entity> = if markup { MARKUP.to_vec() } else { Vec::new() };
    entities
        .extend(QUOTES.iter().filter(|quote| (markup || is_used(quote)) && !is_raw(quote.char)));
    // `&amp;` comes last, so that `&amp;lt;` becomes `&lt;` and not `<`.
    entities.sort_by_key(|entity| entity.char == '&');
    entities
}

/// Returns a text with these entities replaced by their characters.
fn undo_entities(entities: &[Entity], text: &str) -> String {
    entities.iter().fold(text.to_owned(), |text, entity| {
        text.replace(entity.escaped, entity.char.encode_utf8(&mut [0; 4]))
    })
}

/// Removes one level of backslashes before quotes and backslashes.
fn unescape_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let escaped = chars.next_if(|next| char == '\\' && matches!(next, '"' | '\\'));
        out.push(escaped.unwrap_or(char));
    }
    out
}

/// Returns `true` if a text has a quote without a backslash.
fn has_raw_quote(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\\' {
            chars.next_if(|next| matches!(next, '"' | '\\'));
        } else if char == '"' {
            return true;
        }
    }
    false
}
