//! Finds balanced objects and arrays in text, aware of strings, in one pass and without recursion.

/// Deepest nesting read; the JSON parser's own limit.
const MAX_DEPTH: usize = 128;
/// Most commas and brackets read in one value: bounds the memory that parsing it takes.
const MAX_MARKS: usize = 500_000;

/// A balanced part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BalancedSpan {
    /// The byte of its opening bracket.
    pub(super) start: usize,
    /// The byte just past its closing bracket.
    pub(super) end: usize,
    /// Number of string literals in it.
    pub(super) strings: usize,
}

/// Why what begins at an opening bracket is no value; the text after it cannot be trusted either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Flaw {
    /// The text ends first, perhaps within a string.
    #[error("the JSON is never closed: the reply looks cut off")]
    CutOff,
    /// A bracket of the other kind closes it.
    #[error("the JSON is broken: the bracket at byte {at} closes one of another kind")]
    Crossed {
        /// Counted from the first character of the reply that is no space.
        at: usize,
    },
    /// It is nested too deep to be read.
    #[error("the JSON is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// It has more values than any plan can need.
    #[error("the reply has more JSON values than any plan needs")]
    TooMany,
}

/// Returns the byte at which the next value may begin, at `from` or later: a bracket that begins the text or
/// looks like ours. `None` if there is none.
pub(super) fn bare_start(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if from == 0 && matches!(bytes.first(), Some(b'{' | b'[')) {
        return Some(0);
    }
    (from..bytes.len()).find(|&at| begins_value(bytes, at))
}

/// Returns the byte at which the next value behind a fence of JSON begins, at the byte `from` or later; `None`
/// if there is none.
pub(super) fn fenced_start(text: &str, from: usize) -> Option<usize> {
    const FENCE: &str = "```json";
    let mut rest = text.get(from..)?;
    loop {
        rest = rest.split_once(FENCE)?.1;
        // The word may continue (`jsonc`), and the value may begin on the next line.
        let inner = rest.trim_start_matches(char::is_alphanumeric).trim_start();
        if inner.starts_with(['{', '[']) {
            return Some(text.len() - inner.len());
        }
    }
}

/// Returns true where a value of the protocol may begin, as opposed to brackets in prose and code:
/// an object begins with a key or is empty, an array with an object or is empty.
fn begins_value(bytes: &[u8], at: usize) -> bool {
    let inner = match bytes.get(at) {
        Some(b'{') => [b'"', b'}'],
        Some(b'[') => [b'{', b']'],
        _ => return false,
    };
    let rest = bytes.get(at + 1..).unwrap_or_default();
    rest.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| inner.contains(byte))
}

/// Reads on from the opening bracket at byte `start` to the bracket that closes it.
///
/// Fails with [`Flaw::CutOff`] if the text ends first, [`Flaw::Crossed`] if a bracket closes one of another
/// kind, [`Flaw::TooDeep`] at [`MAX_DEPTH`] levels, and [`Flaw::TooMany`] over [`MAX_MARKS`] commas and
/// brackets.
pub(super) fn scan_value(text: &str, start: usize) -> Result<BalancedSpan, Flaw> {
    let bytes = text.as_bytes();
    let mut open = Vec::new();
    let (mut strings, mut marks) = (0, 0);
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            // Brackets within a string are text.
            b'"' => {
                strings += 1;
                at = end_of_string(bytes, at + 1).ok_or(Flaw::CutOff)?;
            }
            b'{' | b'[' => {
                open.push(byte);
                marks += 1;
            }
            b'}' | b']' => {
                let opened = if byte == b'}' { b'{' } else { b'[' };
                if open.pop() != Some(opened) {
                    return Err(Flaw::Crossed { at });
                }
                if open.is_empty() {
                    return Ok(BalancedSpan { start, end: at + 1, strings });
                }
            }
            b',' => marks += 1,
            _ => {}
        }
        if open.len() >= MAX_DEPTH {
            return Err(Flaw::TooDeep);
        }
        // Checked while scanning, so that a flood costs no more than the limit.
        if marks > MAX_MARKS {
            return Err(Flaw::TooMany);
        }
        at += 1;
    }
    Err(Flaw::CutOff)
}

/// Returns where the closing quote is.
fn end_of_string(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            // The next byte is escaped, whatever it is.
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value in order, or what stopped the search.
    fn values(text: &str, next: fn(&str, usize) -> Option<usize>) -> Result<Vec<&str>, Flaw> {
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(start) = next(text, from) {
            let span = scan_value(text, start)?;
            found.push(text.get(span.start..span.end).expect("a span on character borders"));
            from = span.end;
        }
        Ok(found)
    }

    #[test]
    fn outermost_values_are_found_among_prose_and_code() {
        for (text, expected) in [
            ("", Ok(vec![])),
            ("no brackets", Ok(vec![])),
            (r#"{"a": "}"} tail"#, Ok(vec![r#"{"a": "}"}"#])),
            (
                r#"a[0], ${x}, {"a": [{}]} or [ {"b": 1} ]"#,
                Ok(vec![r#"{"a": [{}]}"#, r#"[ {"b": 1} ]"#]),
            ),
            (r#"{"a": "\"]}\\"}"#, Ok(vec![r#"{"a": "\"]}\\"}"#])),
            ("[1, 2]", Ok(vec!["[1, 2]"])),
            ("x [1, 2]", Ok(vec![])),
            (r#"{"a": [{"b": 1}}, {"c": 2}"#, Err(Flaw::Crossed { at: 15 })),
            (r#"{"a": [{"b": 1}"#, Err(Flaw::CutOff)),
            (r#"{"a": "never closed }"#, Err(Flaw::CutOff)),
            ("{\"a\": \"x\\", Err(Flaw::CutOff)),
        ] {
            assert_eq!(values(text, bare_start), expected, "{text}");
        }
    }

    #[test]
    fn fences_are_found_whatever_stands_round_them() {
        let text =
            "```python\n{}\n``` ```json\n{\"a\": \"```json {}\"}\n``` ```jsonc [] ``` ```json none";
        assert_eq!(values(text, fenced_start), Ok(vec!["{\"a\": \"```json {}\"}", "[]"]));
    }

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        assert_eq!(values(&"[".repeat(1000), bare_start), Err(Flaw::TooDeep));
        let many = format!("[{{}}{}]", ",{}".repeat(400_000));
        assert_eq!(values(&many, bare_start), Err(Flaw::TooMany));
    }
}
