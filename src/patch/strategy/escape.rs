//! A patch written with entities or escaped quotes that the file does not have.

use crate::patch::parse::{FileSection, HunkRow, LineMark};
use crate::patch::source::SourceText;

/// Entities that a page escapes together: what it shows as code has none of their signs raw.
const MARKUP: [(&str, char); 3] = [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&')];
const QUOTES: [(&str, char); 4] =
    [("&quot;", '"'), ("&#34;", '"'), ("&#39;", '\''), ("&apos;", '\'')];

/// Returns the patch without the escapes, when its old lines are in the file without them and not
/// with them, and no line has the escaped signs raw.
pub(in crate::patch) fn unescape_patch(
    patch: &str,
    section: &FileSection<'_>,
    source: &SourceText<'_>,
) -> Option<String> {
    let escaped = section.hunks.iter().flat_map(|hunk| &hunk.rows).any(|row| {
        row.mark != LineMark::Insert && (row.raw.contains('&') || row.raw.contains("\\\""))
    });
    if !escaped {
        return None;
    }
    let entities = Escapes::count_entities(section);
    let undone = |text: &str| entities.undo_escapes(text);
    if is_escaped(&undone, section, source) {
        return Some(undone(patch));
    }
    let all = old_rows(section).all(|text| unescape_quotes(text).1);
    let undone = |text: &str| unescape_quotes(text).0;
    (all && is_escaped(&undone, section, source)).then(|| undone(patch))
}

fn old_rows<'s>(section: &'s FileSection<'_>) -> impl Iterator<Item = &'s str> {
    section.hunks.iter().flat_map(|hunk| &hunk.rows).map(HunkRow::text)
}

/// Tells whether the old lines are in the file once the escapes are undone, and none is with them.
fn is_escaped(
    undo: &dyn Fn(&str) -> String,
    section: &FileSection<'_>,
    source: &SourceText<'_>,
) -> bool {
    let mut without = false;
    let old = section.hunks.iter().flat_map(|hunk| &hunk.rows);
    for text in old.filter(|row| row.mark != LineMark::Insert).map(HunkRow::text) {
        let undone = undo(text);
        if undone == text {
            continue;
        }
        if source.has_folded(text) {
            return false;
        }
        without |= source.has_folded(&undone);
    }
    without
}

/// The entities that a patch is escaped with.
struct Escapes(Vec<(&'static str, char)>);

impl Escapes {
    /// Returns those of which no line has the sign raw, if the old lines have any at all.
    fn count_entities(section: &FileSection<'_>) -> Self {
        let old = section.hunks.iter().flat_map(|hunk| &hunk.rows);
        let old: Vec<&str> =
            old.filter(|row| row.mark != LineMark::Insert).map(HunkRow::text).collect();
        let seen = |(entity, _): &(&str, char)| old.iter().any(|text| text.contains(entity));
        let raw = |sign: char| old_rows(section).any(|text| text.contains(sign));
        if !MARKUP.iter().chain(&QUOTES).any(seen) {
            return Self(Vec::new());
        }
        let markup = !raw('<') && !raw('>');
        let mut entities: Vec<_> = MARKUP.iter().filter(|_| markup).copied().collect();
        let quotes = QUOTES.iter().filter(|quote| (markup || seen(quote)) && !raw(quote.1));
        entities.extend(quotes.copied());
        // Last, so that an entity that was meant to be shown stays one.
        entities.sort_by_key(|(_, sign)| *sign == '&');
        Self(entities)
    }

    fn undo_escapes(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (entity, sign)| {
            text.replace(entity, sign.encode_utf8(&mut [0; 4]))
        })
    }
}

/// Takes one level of backslashes off quotes and backslashes; tells whether every quote had one.
fn unescape_quotes(text: &str) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let mut all = true;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' => out.extend(chars.next_if(|next| matches!(next, '"' | '\\')).or(Some('\\'))),
            char => {
                all &= char != '"';
                out.push(char);
            }
        }
    }
    (out, all)
}
