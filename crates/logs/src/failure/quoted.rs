//! Finds the source lines that tools print with a failure.
//!
//! Their words are the code's own, so the context search finds the file by them even if no location is known.

/// Returns the source of a line with a gutter: ` > 12 |  expect(x)`, `12 │ var x`; `None` for marks and
/// for other lines.
pub(super) fn strip_gutter(text: &str) -> Option<&str> {
    let rest = text.trim_start().trim_start_matches(['>', '→', '❯']).trim_start();
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == rest.len() {
        return None;
    }
    source_text(after.trim_start().strip_prefix(['|', '│', '┊'])?)
}

/// Returns the text, or `None` if it consists of marks only, such as `^^^^` under a line of
/// source.
pub(super) fn source_text(text: &str) -> Option<&str> {
    text.chars().any(char::is_alphanumeric).then(|| text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gutter_is_taken_off_and_marks_are_no_source() {
        for (line, source) in [
            ("    > 12 |     expect(a).toBe(1);", Some("expect(a).toBe(1);")),
            ("  3 │ var x", Some("var x")),
            ("12 | let x = 1;", Some("let x = 1;")),
            ("   |     ^^^^", None),
            ("12 |     ", None),
            ("12 passed", None),
            ("", None),
        ] {
            assert_eq!(strip_gutter(line), source, "{line}");
        }
    }
}
