//! Decides where the spelling of a word may be corrected: in prose, in comments, and in names
//! that one function uses.

use std::ops::Range;

use papayu_lang::{Family, SpanKind, find_spans, is_local_name};

/// Endings of files that are prose.
const PROSE: [&str; 8] = ["adoc", "markdown", "md", "mdx", "org", "rst", "tex", "txt"];

/// Returns the reason why a person has to decide about a correction at a place; `None` if it is
/// safe.
pub(super) fn find_risk(
    path: &str,
    text: &str,
    place: &Range<usize>,
    correction: &str,
) -> Option<&'static str> {
    let family = Family::of_path(path);
    if !family.is_code() {
        let is_prose = PROSE.iter().any(|ending| path.ends_with(&format!(".{ending}")));
        let is_free =
            if is_prose { !is_quoted(text, place) } else { is_in_comment_line(text, place) };
        return (!is_free).then_some("it may be a name or a value that others use");
    }
    let spans = find_spans(path, text);
    match spans.iter().find(|span| span.range.contains(&place.start)).map(|span| span.kind) {
        Some(SpanKind::Comment) => is_quoted(text, place).then_some("it may be a name"),
        Some(SpanKind::Text) => Some("the text may be a key or a message that others use"),
        None => {
            let whole = whole_name(text, place);
            let name = text.get(whole.clone()).unwrap_or_default();
            let start = text.get(whole.start..place.start).unwrap_or_default();
            let end = text.get(place.end..whole.end).unwrap_or_default();
            let is_safe = !has_word(text, &format!("{start}{correction}{end}"))
                && is_local_name(path, text, name);
            (!is_safe).then_some("other code may use the name")
        }
    }
}

/// Returns `true` for a character of an identifier.
fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Returns the range of the whole name that contains a part.
fn whole_name(text: &str, place: &Range<usize>) -> Range<usize> {
    let before = text.get(..place.start).unwrap_or_default();
    let after = text.get(place.end..).unwrap_or_default();
    let start = before.trim_end_matches(is_word).len();
    start..place.end + after.len() - after.trim_start_matches(is_word).len()
}

/// Returns `true` if the text contains the name as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|letter| !is_word(letter)).any(|word| word == name)
}

/// Returns `true` if a place in prose is code, a link or a name: between backquotes, in a
/// fenced block, or joined to characters that sentences do not have.
fn is_quoted(text: &str, place: &Range<usize>) -> bool {
    let before = text.get(..place.start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let lines = text.get(..line_start).unwrap_or_default().lines();
    let fences = lines.filter(|line| {
        let line = line.trim_start_matches([' ', '\t', '/', '*', '#', '!', '>']);
        line.starts_with("```") || line.starts_with("~~~")
    });
    let line = text.get(line_start..place.start).unwrap_or_default();
    let is_joined =
        |letter: char| letter.is_alphanumeric() || "_-/\\@#$%&=+~<>|{}`".contains(letter);
    let start = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let after = text.get(place.end..).unwrap_or_default();
    let end = after.split(char::is_whitespace).next().unwrap_or_default();
    let is_link = start.contains("](") || start.contains("://") || end.contains("()");
    fences.count() % 2 == 1
        || line.matches('`').count() % 2 == 1
        || is_link
        || start.ends_with(is_joined)
        || end.starts_with(is_joined)
        || end.strip_prefix(['.', ':']).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
        || start.strip_suffix(['.', ':']).is_some_and(|rest| rest.ends_with(char::is_alphanumeric))
}

/// Returns `true` if the line of a place in a data file is a comment.
fn is_in_comment_line(text: &str, place: &Range<usize>) -> bool {
    let before = text.get(..place.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    line.starts_with(['#', ';']) || line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_comments_and_local_names_are_corrected_and_nothing_else() {
        for (path, marked, is_free) in [
            ("a.md", "I «recieve» it.\n", true),
            ("a.md", "(«recieve», it)\n", true),
            ("a.md", "\u{feff}«recieve» — “it”\n", true),
            ("a.md", "“«recieve»”\n", true),
            ("a.md", "a «recieve»All\n", false),
            ("a.md", "Call `«recieve»` first.\n", false),
            ("a.md", "```\n«recieve»\n```\n", false),
            ("a.md", "```\na\n```\n«recieve»\n", true),
            ("a.md", "See [it](docs/«recieve».md).\n", false),
            ("a.md", "the flag --«recieve»\n", false),
            ("a.txt", "«recieve»_count\n", false),
            ("a.txt", "shop.«recieve»\n", false),
            ("a.py", "# «recieve» it\n", true),
            ("a.py", "# calls `«recieve»`\n", false),
            ("a.py", "# calls «recieve»()\n", false),
            ("a.py", "def «recieve»(a):\n    return a\n", false),
            ("a.py", "def f(a):\n    «recieve» = a\n    return recieve\n", true),
            ("a.py", "def f(a):\n    «recieve»_it = a\n    return recieve_it\n", true),
            ("a.py", "def f(receive):\n    «recieve» = receive\n    return recieve\n", false),
            ("a.py", "print('«recieve»')\n", false),
            ("a.py", "row['«recieve»'] = 1\n", false),
            ("a.ts", "interface A { «recieve»: string }\n", false),
            ("a.json", "{\"«recieve»\": 1}\n", false),
            ("a.yaml", "«recieve»: 1\n", false),
            ("a.yaml", "# «recieve» it\n", true),
            ("a.proto", "message A { string «recieve» = 1; }\n", false),
            ("schema.sql", "create table «recieve» (a int);\n", false),
        ] {
            let start = marked.find('«').unwrap();
            let text = marked.replace(['«', '»'], "");
            let place = start..start + "recieve".len();
            let risk = find_risk(path, &text, &place, "receive");
            assert_eq!(risk.is_none(), is_free, "{path}: {marked}: {risk:?}");
        }
    }
}
