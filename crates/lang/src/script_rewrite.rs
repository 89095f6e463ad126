//! Rewrites what the TypeScript grammars cannot read, with every other byte in its place.

/// Returns the text with semicolons before members that begin with `<` (their grammar reads these as the
/// end of the line above), and without the `type` of `export type *`; `None` when there is nothing to write.
pub(super) fn rewrite_script(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut changed = false;
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
}
