//! Rewrites what the TypeScript grammars cannot read, with every other byte in its place.

/// Returns the text with semicolons before members that begin with `<` (their grammar reads these as the
/// end of the line above), without the `type` of `export type *`, and without the annotations `in` and `out` of type
/// parameters; `None` when there is nothing to write.
pub(super) fn rewrite_script(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut changed = blank_variance(text, &mut bytes);
    let mut ends = None;
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let at = from + line.len() - start.len();
        if start.starts_with('<')
            && at > from
            && ends.is_some_and(can_end_member)
            && let Some(before) = bytes.get_mut(at - 1)
        {
            *before = b';';
            changed = true;
        }
        if let Some(word) = star_type(start)
            && let Some(word) = bytes.get_mut(at + word..at + word + 4)
        {
            word.fill(b' ');
            changed = true;
        }
        let is_comment = ["//", "/*", "*"].iter().any(|mark| start.starts_with(mark));
        if !is_comment {
            ends = start.trim_end().bytes().last().or(ends);
        }
        from += line.len();
    }
    changed.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// Replaces the words `in` and `out` before the name of a type parameter by blanks: `A<in out T, out U>`. Returns
/// `true` if there are some.
fn blank_variance(text: &str, bytes: &mut [u8]) -> bool {
    let (mut changed, mut at) = (false, 0);
    // A type parameter begins after `<` or `,`; blanks, comments and other modifiers may be in between.
    let mut begins = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = token_length(rest);
        let (token, after) = rest.split_at(length);
        match token {
            "in" | "out" if begins && precedes_name(after) => {
                if let Some(word) = bytes.get_mut(at..at + length) {
                    word.fill(b' ');
                    changed = true;
                }
            }
            "<" | "," => begins = true,
            _ if token.trim().is_empty() || token.starts_with("//") || token.starts_with("/*") => {}
            _ => begins &= token == "const",
        }
        at += length;
    }
    changed
}

/// Returns the length of the first token: a word, a comment, or one other character.
fn token_length(text: &str) -> usize {
    let word = text.find(|c: char| !c.is_alphanumeric() && !"_$".contains(c)).unwrap_or(text.len());
    let first = text.chars().next().map_or(1, char::len_utf8);
    let end_of = |end: &str| text.find(end).map_or(text.len(), |at| at + end.len());
    match text.get(..2) {
        Some("//") => end_of("\n"),
        Some("/*") => end_of("*/"),
        _ => word.max(first),
    }
}

/// Returns `true` if blanks and a name follow. `out extends T` is a parameter with the name `out`.
fn precedes_name(after: &str) -> bool {
    let next = after.trim_start();
    let is_name = next.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c));
    let word = next.split_at(if is_name { token_length(next) } else { 0 }).0;
    next.len() < after.len() && is_name && word != "extends"
}

/// Returns where the word `type` of an `export type *` is.
fn star_type(line: &str) -> Option<usize> {
    let after = line.strip_prefix("export")?.trim_start().strip_prefix("type")?;
    let star = after.trim_start().starts_with('*');
    star.then(|| line.len() - after.len() - 4)
}

/// Returns `true` for a byte that can end a member of a class, so that a line break after it may
/// end the member (automatic semicolons).
fn can_end_member(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$)]}>'\"`".contains(&byte) || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::rewrite_script;

    #[test]
    fn places_stay_where_they_are() {
        let text = "interface A {\r\n  (a: b): c['d']\n  // <\n  <E>(f: g): h\n}\n  export  type * from 'é'\n";
        let expected = "interface A {\r\n  (a: b): c['d']\n  // <\n ;<E>(f: g): h\n}\n  export       * from 'é'\n";
        assert_eq!(rewrite_script(text).as_deref(), Some(expected));
        assert_eq!(
            rewrite_script("f(\n  <a/>,\n  <b/>)\n<c\nexport type { d }\nexport typed * 2"),
            None
        );
    }

    #[test]
    fn annotations_of_type_parameters_become_blanks_and_names_stay() {
        for (text, expected) in [
            ("interface A<out T> {}", "interface A<    T> {}"),
            (
                "type B<\n  in out T,\n  // é\n  out U = in>",
                "type B<\n         T,\n  // é\n      U = in>",
            ),
            ("class C<const in T, /* a */ in U> {}", "class C<const    T, /* a */    U> {}"),
        ] {
            assert_eq!(rewrite_script(text).as_deref(), Some(expected));
        }
        for text in ["type A<out> = B", "type A<out extends B, C> = D", "for (a in b) c = [d, out]"]
        {
            assert_eq!(rewrite_script(text), None, "{text}");
        }
    }
}
