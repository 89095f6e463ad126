//! Reads JSON with harmless damage: trailing commas, and raw line ends and tabs in strings; nothing
//! else.

use serde::Deserialize as _;
use serde_json::Value;
use serde_json_lenient::Deserializer;

/// Parses a balanced value that strict JSON refused (protocol section 3). It is a lenient parser and not a
/// rewriter, so nothing can be guessed, closed or dropped; any other damage is an error.
///
/// # Errors
///
/// The parser's error for any damage besides a trailing comma and raw control characters in
/// strings.
pub(super) fn parse_lenient(text: &str) -> Result<Value, serde_json_lenient::Error> {
    // Named here, because five booleans in a call are not readable by their position.
    let (replace_invalid, newlines, control, v_escapes, x_escapes) =
        (false, true, true, false, false);
    let mut parser = Deserializer::from_slice_with_options(
        text.as_bytes(),
        replace_invalid,
        newlines,
        control,
        v_escapes,
        x_escapes,
    );
    parser.set_ignore_trailing_commas(true);
    // A comment may hide the end of a string, so its meaning would be a guess.
    parser.set_allow_comments(false);
    let value = Value::deserialize(&mut parser)?;
    // Text after the value is damage as well.
    parser.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn harmless_damage_is_mended_and_everything_is_kept() {
        for (text, value) in [
            ("{\"a\": [1, 2,],}", json!({"a": [1, 2]})),
            ("{\"a\": \"x\n\ty\r\nz\"}", json!({"a": "x\n\ty\r\nz"})),
            ("[{\"a\": \"я 😀 ``` {\"},]", json!([{"a": "я 😀 ``` {"}])),
            ("{\"a\": \"\\u00e9\\n\n\", }", json!({"a": "é\n\n"})),
        ] {
            assert_eq!(parse_lenient(text).ok(), Some(value), "{text}");
        }
    }

    #[test]
    fn any_other_damage_is_refused() {
        for text in [
            "{\"a\": 1", "{\"a\": \"x", "{\"a\": 1]", "{\"a\" 1}", "{a: 1}", "{'a': 1}",
            "{\"a\": None}", "{\"a\": 1,,}", "{,}", "[,]", "{\"a\": 1 /* x */}",
            "{\"a\": \"say \"hi\" now\"}", "{\"a\": 1} {", "{\"a\": \"\\x41\"}",
            "{\"a\": \"\\ud800\"}", "",
        ] {
            assert!(parse_lenient(text).is_err(), "{text}");
        }
    }
}
