//! Splits texts into lines with their own endings, and marks gaps.

/// One line of a file: its text and the ending it really has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Without the ending.
    pub text: &'a str,
    /// `\n`, `\r\n`, or empty on a last line without one.
    pub ending: &'a str,
}

/// The line endings that changed files get (`PAPAYU_NORMALIZE_EOL`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEndings {
    /// The file's own.
    #[default]
    Keep,
    /// `\n`.
    Lf,
}

/// Splits a text so that joining `text` and `ending` of every line gives it back.
///
/// ```
/// use papayu_base::text::lines::split;
///
/// let lines = split("a\r\nb");
/// assert_eq!((lines[0].text, lines[0].ending), ("a", "\r\n"));
/// assert_eq!((lines[1].text, lines[1].ending), ("b", ""));
/// ```
pub fn split(text: &str) -> Vec<TextLine<'_>> {
    // A lone `\r` is part of the text.
    text.split_inclusive('\n').map(line).collect()
}

/// Returns a raw line as text and ending, `\n` or `\r\n`.
fn line(raw: &str) -> TextLine<'_> {
    let text = raw.strip_suffix('\n').map_or(raw, |rest| rest.strip_suffix('\r').unwrap_or(rest));
    TextLine { text, ending: raw.get(text.len()..).unwrap_or_default() }
}

/// Returns the ending most lines have; `\n` for a text without any.
pub fn dominant_ending(text: &str) -> &'static str {
    let crlf = text.matches("\r\n").count();
    let all = text.matches('\n').count();
    // More than half, so that a tie keeps `\n`.
    if crlf * 2 > all { "\r\n" } else { "\n" }
}

/// Returns the text with every `\r\n` as `\n`, ending in exactly the newline it had or one if it had
/// none (`PAPAYU_NORMALIZE_EOL=lf`). A lone `\r` ends no line, here as elsewhere.
pub fn normalize_to_lf(text: &str) -> String {
    let mut out = text.replace("\r\n", "\n");
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Returns the mark for a gap of `chars` characters.
/// The count is that of characters, and models and people read it.
pub fn truncation_mark(chars: usize) -> String {
    format!("...[TRUNCATED {chars} chars]...")
}

/// Returns at most the first `chars` characters.
///
/// # Examples
///
/// ```
/// assert_eq!(papayu_base::text::first_chars("größer", 3), "grö");
/// ```
pub fn first_chars(text: &str, chars: usize) -> &str {
    // A text has at least as many bytes as characters.
    if text.len() <= chars {
        return text;
    }
    // The offset of the first character that is cut.
    text.char_indices().nth(chars).and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn split_lines_join_to_the_same_text(text in "(a|b|\r|\n|\r\n|é){0,40}") {
            let joined: String = split(&text).iter().flat_map(|l| [l.text, l.ending]).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
